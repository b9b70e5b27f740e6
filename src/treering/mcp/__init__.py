"""The MCP face: tools and resources over the same verbs, on the official SDK."""
