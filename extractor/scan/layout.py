"""Lines and indentation of a file that no parser understands: where statements and their blocks seem to stand."""

from __future__ import annotations

import re
from collections.abc import Iterator

_STRING_OR_COMMENT = re.compile(
    r'#[^\n]*|"""(?:[^\\"]|\\.|"(?!""))*"""|\'\'\'(?:[^\\\']|\\.|\'(?!\'\'))*\'\'\''
    r'|"(?:[^\\"\n]|\\.)*"|\'(?:[^\\\'\n]|\\.)*\'',
    re.DOTALL,
)
_CLAUSE = re.compile(r"(?:else|elif|except|finally)\b")
_HAS_CLAUSES = re.compile(r"(?:async[ \t]+)?(?:if|for|while|try)\b")
_RAISE = re.compile(r"(?:^|[;:])[ \t\f]*raise\b")
_TAB = 8


class Layout:
    """The lines of a text and how deep they are indented; lines can be blanked, all keep their number.

    Line numbers count from 0 in here. `margin` texts are the white space that a line starts with.
    """

    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")
        self._bare = _STRING_OR_COMMENT.sub(_blank, text).split("\n")
        self._continuing = {
            text.count("\n", 0, found.start()) + offset
            for found in _STRING_OR_COMMENT.finditer(text)
            for offset in range(1, found[0].count("\n") + 1)
        }
        self._continuing |= {number + 1 for number, line in enumerate(self._bare) if line.endswith("\\")}
        self._raises = [len(_RAISE.findall(line)) for line in self._bare]

    def margin(self, number: int) -> str:
        """Return the white space before a line."""
        line = self.lines[number]
        return line[: len(line) - len(line.lstrip(" \t\f"))]

    def indent(self, number: int) -> int | None:
        """Return how deep a line is indented, None where no statement can begin on it."""
        if number in self._continuing or not self._bare[number].strip():
            return None
        return _width(self.margin(number))

    def raises(self, lines: range) -> int:
        """Count the raise statements that these lines held at first."""
        return sum(self._raises[number] for number in lines)

    def text(self, lines: range) -> str:
        """Return the lines as text."""
        return "".join(f"{self.lines[number]}\n" for number in lines)

    def replace(self, lines: range, statement: str) -> None:
        """Put one statement in the place of these lines."""
        for number in lines:
            self.lines[number] = self._bare[number] = ""
        self._continuing -= set(lines)
        self.lines[lines.start] = self._bare[lines.start] = statement

    def statements(self, lines: range) -> list[range]:
        """Return the lines of each statement of a block: what is indented deeper belongs to the statement before."""
        starts: list[int] = []
        base = 0
        for number in lines:
            indent = self.indent(number)
            if indent is None:
                continue
            if not starts:
                base = indent
            elif indent > base or (indent == base and self._continues(number, starts[-1])):
                continue
            starts.append(number)
        return [range(start, end) for start, end in zip(starts, [*starts[1:], lines.stop], strict=True)]

    def _continues(self, number: int, start: int) -> bool:
        bare = self._bare[number].lstrip()
        between = range(start, number)
        if bare[0] in ")]}" and sum(map(self._opened, between)) > 0:
            return True
        if _CLAUSE.match(bare) and _HAS_CLAUSES.match(self._bare[start].lstrip()):
            return True
        return all(self._bare[each].lstrip()[:1] in {"", "@"} for each in between)

    def _opened(self, number: int) -> int:
        bare = self._bare[number]
        return sum(map(bare.count, "([{")) - sum(map(bare.count, ")]}"))

    def blocks(self, lines: range) -> Iterator[range]:
        """Yield the blocks of a compound statement: one behind each header that ends with a colon."""
        base = self.indent(lines.start)
        headers = [number for number in lines if self.indent(number) == base]
        for header, end in zip(headers, [*headers[1:], lines.stop], strict=True):
            ends = (number + 1 for number in range(header, end) if self._bare[number].rstrip().endswith(":"))
            first = next(ends, end)
            if any(self.indent(number) is not None for number in range(first, end)):
                yield range(first, end)

    def depth(self, lines: range) -> int:
        """Return how many levels of indentation the lines have."""
        open_indents: list[int] = []
        deepest = 0
        for number in lines:
            indent = self.indent(number)
            if indent is None:
                continue
            while open_indents and open_indents[-1] >= indent:
                open_indents.pop()
            open_indents.append(indent)
            deepest = max(deepest, len(open_indents))
        return deepest


def _blank(found: re.Match[str]) -> str:
    return "" if found[0].startswith("#") else re.sub(r"[^\n]", "_", found[0])


def _width(margin: str) -> int:
    width = 0
    for char in margin:
        width = 0 if char == "\f" else width + 1 if char == " " else width + _TAB - width % _TAB
    return width
