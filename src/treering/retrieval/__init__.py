"""Finding memories: terms, passages, vectors, and the index that ranks by them."""
