"""Values as pickled bytes, however deep they are nested."""

from __future__ import annotations

import pickle
import sys

_PROTOCOL = 5
# Pickling recurses for each level of an expression; scan refuses files that are nested deeper than this allows.
_RECURSION_LIMIT = 20_000


def packed(value: object) -> bytes:
    """Return a value as bytes. Not for several threads at once: the recursion limit is one for all of them."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _RECURSION_LIMIT))
    try:
        return pickle.dumps(value, _PROTOCOL)
    finally:
        sys.setrecursionlimit(before)
