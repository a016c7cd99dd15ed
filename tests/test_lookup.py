"""A key is an id, the beginning of one, a place or a piece of text, in this order."""

from __future__ import annotations

from dataclasses import replace

import pytest

from extractor.lookup import find_gone, look_up, placeholder_text
from extractor.model import Placeholder, Record, Tombstone
from tests.sample import CORPUS, SEED, STUB, TRANSLATED, UNKNOWN, corpus_of, worded


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        (SEED.id, [SEED]),
        (SEED.id.upper(), [SEED]),
        (f"  {SEED.id}\n", [SEED]),
        ("b02e", [STUB]),
        ("9c1f", [TRANSLATED, SEED]),  # two ids begin so: both, in the order of the corpus
        ("9c1f0", [SEED]),
        ("b02", []),  # three digits are too few to mean an id, and no text has them
        ("vllm/config/compilation.py:1055", [SEED]),
        ("vllm/config/compilation.py:1058", [SEED]),  # its last line
        ("vllm/config/compilation.py:1059", []),
        ("vllm/config/compilation.py:1054", []),
        ("config/compilation.py:1056", [SEED]),
        ("compilation.py:1055", [SEED]),
        ("ilation.py:1055", []),  # not at the border of a part
        ("./vllm/config/compilation.py:1055", [SEED]),
        ("vllm\\config\\compilation.py:1055", [SEED]),
        ("/usr/lib/python3/site-packages/vllm/config/compilation.py:1055", [SEED]),
        ("other/config/compilation.py:1055", []),
        ("compilation.py:1055:12", [SEED]),
        ("compilation.py:1055:", [SEED]),  # as copied from a compiler's or grep's output
        ("shape.py:9", [STUB]),
        ("must be POSITIVE,\n   got", [SEED]),
        ("got {self.encoder", [SEED]),
        ("ValueError: All encoder", [SEED]),
        ("did you mean {}?", [TRANSLATED]),
        ("called {name!r:>10}", [TRANSLATED]),  # only its second variant says so
        ("valueerror", [TRANSLATED, SEED]),
        ("builtins.KeyError", [TRANSLATED]),  # the class of its second variant
        ("QuotaError", [UNKNOWN]),
        ("nobody says this", []),
        ("", []),
        ("   ", []),
        (":12", []),
    ],
)
def test_look_up(key: str, expected: list[Record]) -> None:
    """The first reading that finds something decides."""
    assert expected == list(look_up(CORPUS, key))


def test_text_is_found_where_no_id_begins_so() -> None:
    """A word of hex digits may be text."""
    record = worded("a decade has passed")

    assert (record,) == look_up(corpus_of(SEED, record), "decade")


def test_a_place_in_a_text_is_found() -> None:
    """What looks like a place but is none may be text."""
    record = worded("bad value in config:12")

    assert (record,) == look_up(corpus_of(SEED, record), "config:12")


def test_a_place_within_the_tree_comes_before_a_longer_one() -> None:
    """`setup.py` at the root is meant by `pkg/setup.py` only where there is no such file."""
    root = replace(STUB, location=replace(STUB.location, path="setup.py"))
    inner = replace(UNKNOWN, location=replace(UNKNOWN.location, path="pkg/setup.py", line=9))

    assert (inner,) == look_up(corpus_of(inner, root), "pkg/setup.py:9")
    assert (inner, root) == look_up(corpus_of(inner, root), "setup.py:9")


@pytest.mark.parametrize(
    ("placeholder", "expected"),
    [
        (Placeholder("x"), "{x}"),
        (Placeholder("x", "r"), "{x!r}"),
        (Placeholder("x", None, ".2f"), "{x:.2f}"),
        (Placeholder("x", "s", ">10"), "{x!s:>10}"),
    ],
)
def test_a_placeholder_reads_as_in_an_f_string(placeholder: Placeholder, expected: str) -> None:
    """Braces, expression, conversion, format."""
    assert expected == placeholder_text(placeholder)


def test_an_earlier_id_leads_to_its_error() -> None:
    """A published link lives on; an id of today goes before it."""
    heir = replace(STUB, aliases=("fedcba9876543210",))
    corpus = corpus_of(SEED, heir)

    assert (heir,) == look_up(corpus, "fedcba98")
    assert (SEED,) == look_up(corpus_of(SEED, replace(STUB, aliases=(SEED.id,))), SEED.id)


def test_what_is_gone_is_found_by_its_ids() -> None:
    """So that a link to it says what became of it."""
    gone = Tombstone("0123456789abcdef", ("fedcba9876543210",), "title", "ValueError", "a.py", "f", "1", "2")
    corpus = replace(corpus_of(SEED), gone=(gone,))

    assert gone == find_gone(corpus, "0123") == find_gone(corpus, "FEDCBA9876543210")
    assert find_gone(corpus, "9999") is None
    assert find_gone(corpus, "title") is None
