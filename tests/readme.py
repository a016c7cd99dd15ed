"""The example in the README: what raisedex says today of the raise statement shown there.

    python -m tests.readme

writes it into the README.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

from extractor.cli.page import page
from extractor.cli.terminal import Display
from extractor.corpus import encode_record
from extractor.lookup import look_up
from extractor.model import Corpus, Options
from extractor.pipeline import extract
from extractor.source import open_source

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
_INCLUDED, _KEY = ("extractor",), "InvalidCommitError"


@cache
def corpus() -> Corpus:
    """Return the corpus of the README's commands."""
    tree = open_source(str(ROOT), include=_INCLUDED)
    return extract(tree, Options(exceptions=(_KEY,), include=_INCLUDED, context=3))


def blocks() -> dict[str, str]:
    """Return the text of each example by the name in the comment above it."""
    (record,) = look_up(corpus(), _KEY)
    shown = page(record, corpus().source, display=Display())
    # The commit is another one as soon as the README is committed, and a fork has links to itself.
    shown = re.sub(r"^source .*\n|^link .*\n", "", shown, flags=re.MULTILINE)
    fields = json.loads(encode_record(record)) | {"permalink": None}
    return {"page": f"```text\n{shown}```", "record": f"```json\n{_rendered(fields)}\n```"}


def _rendered(fields: dict[str, Any]) -> str:
    members = (f"  {json.dumps(name)}: {_value(value)}" for name, value in fields.items())
    return "{\n" + ",\n".join(members) + "\n}"


def _value(value: Any) -> str:
    if not isinstance(value, list) or not value:
        return json.dumps(value, ensure_ascii=False)
    return "[\n    " + ",\n    ".join(json.dumps(item, ensure_ascii=False) for item in value) + "\n  ]"


def filled(readme: str) -> str:
    """Return the README with the examples as they are today."""
    for name, block in blocks().items():
        pattern = rf"(<!-- {name} -->\n)```.*?\n```(?=\n)"
        readme = re.sub(pattern, lambda found, text=block: found[1] + text, readme, count=1, flags=re.DOTALL)
    return readme


if __name__ == "__main__":
    README.write_text(filled(README.read_text("utf-8")), "utf-8")
