"""What is left to read of a file that does not parse: the same lines, without the statements that LibCST does not read.

Goes by lines and indentation, since a parser that lost its way says nothing reliable of what follows. A class or other
block that does not parse is gone into; a function is read as a whole or not at all, since its conditions hang together.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import libcst as cst

from extractor.scan.layout import Layout
from extractor.scan.locate import structure_of, too_deep

# Python itself refuses more.
_MOST_LEVELS = 100
# A tab is up to eight levels, and tree-sitter crashes on some five hundred.
_FAR_OUT = re.compile(r"^[ \t\f]{60}", re.MULTILINE)
_DEFINITION = re.compile(r"(?:async\s+)?(?P<kind>def|class)\s+(?P<name>\w+)")
_DECORATORS = re.compile(r"\s*(?:@.*\n\s*)*")


@dataclass(frozen=True, slots=True)
class Dropped:
    """A statement that could not be read. `line` counts from 1; `raises` raise statements are lost with it."""

    line: int
    what: str
    raises: int


@dataclass(frozen=True, slots=True)
class Salvage:
    """Text with as many lines as the file that LibCST reads, and what was dropped for it, by line."""

    text: str
    dropped: tuple[Dropped, ...]


def salvage(text: str) -> Salvage:
    """Return a text with every statement blanked that keeps LibCST from reading it."""
    repair = _Repair(Layout(text))
    repair.block(range(len(repair.layout.lines)), "")
    return Salvage("\n".join(repair.layout.lines), tuple(sorted(repair.dropped, key=lambda each: each.line)))


def is_indented_too_deep(text: str) -> bool:
    """Say whether a text has more levels of indentation than any Python has; parsers crash on many more."""
    if _FAR_OUT.search(text) is None:
        return False
    layout = Layout(text)
    return layout.depth(range(len(layout.lines))) > _MOST_LEVELS


def raises_in(text: str) -> int:
    """Count what looks like a raise statement in a text that need not parse."""
    layout = Layout(text)
    return layout.raises(range(len(layout.lines)))


class _Repair:
    """Goes through the blocks of a file and drops the statements that do not parse."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.dropped: list[Dropped] = []

    def block(self, lines: range, margin: str) -> None:
        """Make the statements of a block readable; all of them have to stand at this margin."""
        for statement in self.layout.statements(lines):
            if self.layout.margin(statement.start) == margin:
                self._statement(statement)
            else:
                self._drop(statement, margin, statement.start)

    def _statement(self, lines: range) -> None:
        line = self._error_line(lines)
        if line is None:
            return
        layout, margin = self.layout, self.layout.margin(lines.start)
        definition = _definition(layout.text(lines))
        if definition is not None and definition["kind"] == "def":
            self._function(lines, line)
            return
        for block in layout.blocks(lines):
            first = layout.statements(block)[0].start
            self.block(block, layout.margin(first))
        if self._error_line(lines) is not None:
            self._drop(lines, margin, line)

    def _function(self, lines: range, line: int) -> None:
        layout, margin = self.layout, self.layout.margin(lines.start)
        for block in layout.blocks(lines):
            statements = layout.statements(block)
            stray = [each for each in statements if layout.margin(each.start) != layout.margin(statements[0].start)]
            if stray:
                # A line between the margins of the function and its body ends the function.
                self._drop(range(stray[0].start, lines.stop), margin, stray[0].start)
                self._statement(range(lines.start, stray[0].start))
                return
        self._drop(lines, margin, line)

    def _error_line(self, lines: range) -> int | None:
        """Return the line that LibCST stumbles over, None where it reads the lines as a statement."""
        if self.layout.depth(lines) > _MOST_LEVELS:
            return lines.start
        text, is_indented = self.layout.text(lines), bool(self.layout.margin(lines.start))
        line = error_line("if 1:\n" + text if is_indented else text)
        return None if line is None else min(lines.start + max(line - 1 - is_indented, 0), lines.stop - 1)

    def _drop(self, lines: range, margin: str, line: int) -> None:
        layout = self.layout
        definition = _definition(layout.text(lines))
        self.dropped = [each for each in self.dropped if each.line - 1 not in lines]
        what = definition["name"] if definition is not None else "a statement"
        self.dropped.append(Dropped(line + 1, what, layout.raises(lines)))
        # A class is told from a function by the parentheses, see `Scopes.bind_assignment`.
        value = "(...)" if definition is not None and "class" in definition[0] else "..."
        layout.replace(lines, margin + (f"{what} = {value}" if definition is not None else "pass"))


def error_line(text: str) -> int | None:
    """Return the line of a text that LibCST stumbles over as a module, None where it reads all of it."""
    if too_deep(structure_of(text.encode()).tree.root_node):
        return 1
    try:
        cst.parse_module(text)
    except cst.ParserSyntaxError as error:
        # LibCST says where it gave up, which is the line after.
        return max(error.raw_line - 1, 1)
    except RecursionError:
        return 1
    return None


def _definition(text: str) -> re.Match[str] | None:
    decorators = _DECORATORS.match(text)
    return _DEFINITION.match(text, decorators.end() if decorators else 0)
