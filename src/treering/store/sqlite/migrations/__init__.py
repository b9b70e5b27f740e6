"""Numbered SQL scripts, frozen once released: `vault_*` and `control_*`."""
