"""A small corpus made by hand: the second seed and one record for each thing that a page has to say."""

from __future__ import annotations

from dataclasses import replace

from extractor.model import (
    ID_VERSION,
    SCHEMA_VERSION,
    Context,
    Corpus,
    Diagnostic,
    ExceptionClass,
    Guard,
    Handler,
    Location,
    Options,
    Placeholder,
    Record,
    SourceInfo,
    Surface,
    Tool,
    Variant,
)
from extractor.summary import summarize

COMMIT = "c7947540622ca6f0a3f8ea1c58c3b6a9c4b0a111"
VALUE_ERROR = ExceptionClass(
    "ValueError", "builtins.ValueError", ("builtins.Exception", "builtins.BaseException"), True
)
KEY_ERROR = ExceptionClass(
    "KeyError",
    "builtins.KeyError",
    ("builtins.LookupError", "builtins.Exception", "builtins.BaseException"),
    True,
)
GUESSED = ExceptionClass("QuotaError", None, (), False)

SEED = Record(
    id="9c1f03a6a98046c2",
    template_id="51d0c22be0a7714f",
    title="All encoder_cudagraph_token_budgets must be positive, got",
    kind="error",
    exception=VALUE_ERROR,
    variants=(
        Variant(
            segments=(
                "All encoder_cudagraph_token_budgets must be positive, got ",
                Placeholder("self.encoder_cudagraph_token_budgets"),
            ),
            form="f-string",
            guards=(),
            via=None,
            pattern=r"\A(?s:All\ encoder_cudagraph_token_budgets\ must\ be\ positive,\ got\ .*)\Z",
        ),
    ),
    message="All encoder_cudagraph_token_budgets must be positive, got {self.encoder_cudagraph_token_budgets}",
    unresolved=None,
    location=Location(
        path="vllm/config/compilation.py",
        module="vllm.config.compilation",
        scope="CompilationConfig.__post_init__",
        line=1055,
        column=12,
        end_line=1058,
        end_column=13,
    ),
    guards=(
        Guard(
            "early_exit",
            "self.cudagraph_mm_encoder and self.encoder_cudagraph_max_vision_items_per_batch < 0",
            holds=False,
            line=1034,
        ),
        Guard(
            "early_exit",
            "self.cudagraph_mm_encoder and self.encoder_cudagraph_max_frames_per_batch is not None"
            " and self.encoder_cudagraph_max_frames_per_batch < 0",
            holds=False,
            line=1042,
        ),
        Guard(
            "if",
            "self.encoder_cudagraph_token_budgets and any(b <= 0 for b in self.encoder_cudagraph_token_budgets)",
            holds=True,
            line=1052,
        ),
    ),
    handler=None,
    cause=None,
    escapes=True,
    context=Context(
        first_line=1049,
        lines=(
            '                "non-negative (None = auto-infer)"',
            "            )",
            "",
            "        if self.encoder_cudagraph_token_budgets and any(",
            "            b <= 0 for b in self.encoder_cudagraph_token_budgets",
            "        ):",
            "            raise ValueError(",
            '                f"All encoder_cudagraph_token_budgets must be positive, "',
            '                f"got {self.encoder_cudagraph_token_budgets}"',
            "            )",
            "",
            '        if self.backend == "":',
        ),
    ),
    permalink=f"https://github.com/vllm-project/vllm/blob/{COMMIT}/vllm/config/compilation.py#L1055-L1058",
)

TRANSLATED = Record(
    id="9c1f77d20b6e41aa",
    template_id="77aa01bc52c4e0d1",
    title="no colour called",
    kind="error",
    exception=VALUE_ERROR,
    variants=(
        Variant(
            segments=("no colour called ", Placeholder("name", "r"), "; did you mean {}?"),
            form="f-string",
            guards=(Guard("conditional", "near", holds=True, line=21),),
            via="text",
            pattern=r"\A(?s:no\ colour\ called\ .*;\ did\ you\ mean\ \{\}\?)\Z",
        ),
        Variant(
            segments=("no colour called ", Placeholder("name", "r", ">10")),
            form="f-string",
            guards=(Guard("conditional", "near", holds=False, line=21),),
            via="text",
            pattern=r"\A(?s:no\ colour\ called\ .*)\Z",
            exception=KEY_ERROR,
        ),
    ),
    message="no colour called {name!r}; did you mean {}?",
    unresolved=None,
    location=Location("paint/mix.py", "paint.mix", "look_up", 22, 8, 22, 40),
    guards=(
        Guard("assert", "name", holds=True, line=15, certain=False),
        Guard("for", "name in names", holds=True, line=16),
        Guard("early_exit", "name.isdigit()", holds=False, line=17, stale=True),
        Guard("except", "KeyError", holds=True, line=20),
    ),
    handler=Handler(("KeyError",), "error", "return COLOURS[name]", 20),
    cause="error",
    escapes=False,
    context=Context(21, ("        text = near and f'…'", "\traise ValueError(text) from error", "")),
    permalink=None,
    documented="If no colour has this name; if [bold]two[/] have",
    applied_to=("mix", "Palette.pick"),
    surface=Surface(
        ExceptionClass("ValidationError", "frame.work.ValidationError", ("builtins.ValueError",), True),
        (r"\A(?s:.*no\ colour\ called\ .*)\Z", None),
    ),
)

STUB = Record(
    id="b02e00000000feed",
    template_id=None,
    title="NotImplementedError",
    kind="abstract",
    exception=ExceptionClass("NotImplementedError", "builtins.NotImplementedError", ("builtins.RuntimeError",), True),
    variants=(Variant((), "none", (), None, r"\A\Z"),),
    message="",
    unresolved=None,
    location=Location("paint/shape.py", "paint.shape", "Shape.area", 9, 8, 9, 33),
    guards=(),
    handler=None,
    cause=None,
    escapes=True,
    context=Context(9, ("        raise NotImplementedError",)),
    permalink=None,
)

UNKNOWN = Record(
    id="d41d8cd98f00b204",
    template_id=None,
    title="QuotaError",
    kind="error",
    exception=GUESSED,
    variants=(),
    message=None,
    unresolved="starred arguments",
    location=Location("paint/shape.py", "paint.shape", "", 30, 0, 30, 24),
    guards=(),
    handler=None,
    cause=None,
    escapes=True,
    context=Context(30, ("raise QuotaError(*facts)",)),
    permalink=None,
)

SOURCE = SourceInfo(
    kind="release",
    name="vllm",
    version="0.28.0",
    license="Apache-2.0",
    repository="https://github.com/vllm-project/vllm",
    revision="v0.28.0",
    commit=COMMIT,
    committed_at="2026-08-14T09:30:00+00:00",
)
DIAGNOSTIC = Diagnostic("paint/old.py", 3, "syntax-error", "invalid syntax")


def corpus_of(*records: Record, diagnostics: tuple[Diagnostic, ...] = ()) -> Corpus:
    """Return a corpus of these records whose summary agrees with them."""
    return Corpus(
        schema_version=SCHEMA_VERSION,
        id_version=ID_VERSION,
        tool=Tool("raisedex", "0.1.0"),
        source=SOURCE,
        options=Options(exceptions=("ValueError",), exclude=("docs/*",)),
        summary=summarize(records, diagnostics, files=4, lines=1200),
        records=records,
        diagnostics=diagnostics,
    )


def worded(text: str, record: Record = UNKNOWN) -> Record:
    """Return the record with this literal text as its message, title and source."""
    return replace(
        record,
        title=text,
        message=text,
        unresolved=None,
        variants=(Variant((text,), "literal", (), None, None),),
        context=replace(record.context, lines=(text,)),
    )


# What analysed code may hold to fool a terminal, a parser or a reader.
HOSTILE = (
    "\x1b[31mred\x1b[0m \x1b]0;title\x07",
    "\x00\x08\x0b\x0c\r\x7f",
    "\x85\x9b31m\x9d",
    "left \u202eright\u202c \u2066isolated\u2069 \u200e\u061c",
    "zero\u200bwidth\ufeff\u2060\u00ad",
    "line\u2028paragraph\u2029end",
    "tag\U000e0041\U000e007f",
    "lone \ud800 surrogate",
    "[bold red]markup[/] [/nothing] :boom: \\[x]",
    '<script>alert(1)</script> & "quotes" \\ back',
    "%s {} {0} {name!r}",
    "new\nline\ttab",
)

CORPUS = corpus_of(TRANSLATED, STUB, UNKNOWN, SEED, diagnostics=(DIAGNOSTIC,))
