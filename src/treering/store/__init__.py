"""Where vaults are kept: one protocol, one engine per folder."""
