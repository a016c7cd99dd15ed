"""Run raisedex as `python -m extractor`."""

import sys

if __name__ == "__main__":
    # `-m` puts the current folder first, which may well be the code to analyse, and our imports must not run that.
    if not sys.flags.safe_path:
        del sys.path[0]

    from extractor.cli.main import main

    main()
