"""The HTTP face: parses a request, calls one verb, formats the reply."""
