"""`python -m merklize` is the command `merklize`."""

from merklize.cli import main

main()
