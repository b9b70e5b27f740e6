"""How the vaults are, told to whom it concerns and to anyone."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Health:
    """Which vaults are not well, and how many passages wait for their vectors."""

    unusable: list[str]
    failing: list[str]
    pending_vectors: int

    @property
    def problems(self) -> list[str]:
        """What is wrong, for who may know the vaults."""
        return [f"vault {vault_id}: cannot be used" for vault_id in self.unusable] + [
            f"vault {vault_id}: vectors cannot be computed" for vault_id in self.failing
        ]

    @property
    def summary(self) -> list[str]:
        """What is wrong, for anyone."""
        found = [(self.unusable, "be used"), (self.failing, "be given vectors")]
        return [
            f"{len(vaults)} {'vault' if len(vaults) == 1 else 'vaults'} cannot {what}"
            for vaults, what in found
            if vaults
        ]
