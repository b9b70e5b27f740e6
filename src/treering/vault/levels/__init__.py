"""The levels: statements, the block that enters every prompt, and what surrounds them."""
