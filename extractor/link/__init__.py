"""link: the facts of all files to records. Resolves names across files; never sees syntax."""

from extractor.link.linker import Demand, link
from extractor.link.selection import select

__all__ = ["Demand", "link", "select"]
