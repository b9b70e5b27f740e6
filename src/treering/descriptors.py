"""How many files a server may hold open, and how many vaults fit in."""

from __future__ import annotations

import contextlib
import sys

_WANTED = 65_536
_A_VAULT = 7
_SHARE = 3
_FEWEST_VAULTS = 8


def raised_descriptors() -> int:
    """Raise this process's limit of open files as far as it may, to 65,536; what it is then."""
    if sys.platform == "win32":
        return _WANTED
    # There is no such module on Windows.
    import resource  # noqa: PLC0415

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    unlimited = resource.RLIM_INFINITY
    wanted = _WANTED if hard == unlimited else min(_WANTED, hard)
    if soft not in (unlimited, wanted) and soft < wanted:
        # macOS refuses more than its kernel's own limit, which it does not tell here.
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _WANTED if soft == unlimited else soft


def vaults_within(descriptors: int) -> int:
    """How many vaults may be open: at seven files each, they get a third of what there is."""
    return max(_FEWEST_VAULTS, descriptors // _SHARE // _A_VAULT)
