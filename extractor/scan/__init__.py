"""scan: the facts of one file, as a pure function of its bytes. Leaves what names mean across files to `link`."""

from extractor.scan.scanner import scan

__all__ = ["scan"]
