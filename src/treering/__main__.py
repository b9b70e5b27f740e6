"""`python -m treering` is `treering`."""

from treering.cli import main

main()
