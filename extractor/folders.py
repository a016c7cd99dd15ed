"""Where we keep things from run to run."""

from __future__ import annotations

import os

CACHE_VARIABLE = "RAISEDEX_CACHE_DIR"
"""The environment variable that names another folder for what is kept between runs."""


def cache_folder() -> str:
    """Return the folder for what is kept between runs; it need not exist."""
    named = os.environ.get(CACHE_VARIABLE)
    if named:
        return named
    from platformdirs import user_cache_dir

    return user_cache_dir("raisedex", appauthor=False)
