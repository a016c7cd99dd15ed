"""Run raisedex as `python -m extractor`."""

from extractor.cli.main import main

if __name__ == "__main__":
    main()
