"""The command ``ferryman``, also as ``python -m ferryman``."""

from ferryman.cli import main

if __name__ == "__main__":
    main()
