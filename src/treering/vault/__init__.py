"""The Vault: every verb of the product in plain Python. Faces translate to and from it."""

from treering.vault.vault import Vault

__all__ = ["Vault"]
