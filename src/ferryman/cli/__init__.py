"""The command line: each file parses, loads, calls one function of the library and prints."""

from ferryman.cli.app import main

__all__ = ["main"]
