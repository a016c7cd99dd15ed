"""link: the facts of all files to records. Resolves names across files; never sees syntax."""

from extractor.link.linker import Demand, Linked, link
from extractor.link.selection import select

__all__ = ["Demand", "Linked", "link", "select"]
