"""The rules of the levels: what enters the prompt, why, and at what price."""
