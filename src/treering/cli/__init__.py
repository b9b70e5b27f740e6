"""The command line."""

from treering.cli.app import main

__all__ = ["main"]
