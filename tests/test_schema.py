"""The JSON Schemas and the dataclasses of the model say the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import MISSING, Field, fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import pytest
from jsonschema import Draft202012Validator

from extractor import batch, model
from extractor.validation import load_schema

RECORD, CORPUS, BATCH = load_schema("record"), load_schema("corpus"), load_schema("batch")
DIFF, HISTORY = load_schema("diff"), load_schema("history")
SCHEMAS: dict[type, dict[str, Any]] = {
    model.Record: RECORD,
    model.ExceptionClass: RECORD["$defs"]["exception_class"],
    model.Variant: RECORD["$defs"]["variant"],
    model.CallSite: RECORD["$defs"]["call_site"],
    model.Part: RECORD["$defs"]["part"],
    model.Surface: RECORD["$defs"]["surface"],
    model.Placeholder: RECORD["$defs"]["placeholder"],
    model.Location: RECORD["$defs"]["location"],
    model.Guard: RECORD["$defs"]["guard"],
    model.Handler: RECORD["$defs"]["handler"],
    model.Context: RECORD["$defs"]["context"],
    model.Corpus: CORPUS,
    model.Tool: CORPUS["$defs"]["tool"],
    model.SourceInfo: CORPUS["$defs"]["source"],
    model.Options: CORPUS["$defs"]["options"],
    model.Summary: CORPUS["$defs"]["summary"],
    model.Diagnostic: CORPUS["$defs"]["diagnostic"],
    model.Tombstone: CORPUS["$defs"]["tombstone"],
    batch.Batch: BATCH,
    batch.Totals: BATCH["$defs"]["totals"],
    batch.Outcome: BATCH["$defs"]["outcome"],
}
FIELDS = [pytest.param(noun, field, id=f"{noun.__name__}.{field.name}") for noun in SCHEMAS for field in fields(noun)]


def test_every_dataclass_of_the_model_has_a_schema() -> None:
    """A noun that is added to the model is added to the schema."""
    named = [*vars(model).values(), *vars(batch).values()]
    nouns = {noun for noun in named if isinstance(noun, type) and is_dataclass(noun)}

    assert nouns == set(SCHEMAS)


@pytest.mark.parametrize(
    "schema", [RECORD, CORPUS, BATCH, DIFF, HISTORY], ids=["record", "corpus", "batch", "diff", "history"]
)
def test_the_schema_is_one(schema: dict[str, Any]) -> None:
    """It is valid JSON Schema 2020-12, and names no web host of ours."""
    Draft202012Validator.check_schema(schema)

    assert "https://json-schema.org/draft/2020-12/schema" == schema["$schema"]
    assert "://" not in schema["$id"]


@pytest.mark.parametrize("noun", SCHEMAS, ids=lambda noun: noun.__name__)
def test_the_schema_has_the_fields_of_the_dataclass(noun: type) -> None:
    """The same names in the same order, and no others."""
    schema = SCHEMAS[noun]

    assert [field.name for field in _fields(noun)] == list(schema["properties"])
    assert schema["additionalProperties"] is False


@pytest.mark.parametrize("noun", SCHEMAS, ids=lambda noun: noun.__name__)
def test_what_has_no_default_is_required(noun: type) -> None:
    """A field may be missing exactly where the dataclass has a default."""
    assert [field.name for field in _fields(noun) if field.default is MISSING] == SCHEMAS[noun]["required"]


@pytest.mark.parametrize(("noun", "field"), FIELDS)
def test_defaults_agree(noun: type, field: Field[Any]) -> None:
    """The schema states the default of the dataclass."""
    stated = SCHEMAS[noun]["properties"][field.name].get("default", MISSING)

    assert (list(field.default) if isinstance(field.default, tuple) else field.default) == stated


@pytest.mark.parametrize(("noun", "field"), FIELDS)
def test_types_agree(noun: type, field: Field[Any]) -> None:
    """What the schema accepts is what the dataclass holds; a Literal is a closed list of words."""
    hint = get_type_hints(noun)[field.name]
    expected = _accepted(hint)
    if (noun, field.name) == (model.Record, "unresolved"):
        expected = {*map(repr, model.UNRESOLVED), "null"}  # a str in the model, because the list is data there

    assert expected == set(_accepts(SCHEMAS[noun]["properties"][field.name]))


@pytest.mark.parametrize(
    "schema", [RECORD, CORPUS, BATCH, DIFF, HISTORY], ids=["record", "corpus", "batch", "diff", "history"]
)
def test_every_field_is_described(schema: dict[str, Any]) -> None:
    """A reader of the schema needs no other page."""
    described = [schema, *schema["$defs"].values()]
    described += [part for whole in described for part in whole.get("properties", {}).values()]

    assert [] == [part for part in described if not part.get("description", "").endswith(".")]


def _fields(noun: type) -> tuple[Field[Any], ...]:
    return fields(noun)


def _accepted(hint: Any) -> set[str]:
    """Return what a type hint accepts, in words for comparison."""
    origin = get_origin(hint)
    if origin in (Union, UnionType):
        return set().union(*map(_accepted, get_args(hint)))
    if origin is Literal:
        return set(map(repr, get_args(hint)))
    if origin is tuple:
        return {f"list of {item}" for item in _accepted(get_args(hint)[0])}
    if origin is dict:
        return {"counts"}
    plain = {str: "string", int: "integer", bool: "boolean", NoneType: "null"}
    return {plain.get(hint) or hint.__name__}


def _accepts(schema: dict[str, Any]) -> Iterator[str]:
    """Yield what a schema accepts, in the same words."""
    if "$ref" in schema:
        yield _referenced(schema["$ref"])
    for alternative in schema.get("oneOf", ()):
        yield from _accepts(alternative)
    for word in schema.get("enum", ()):
        yield "null" if word is None else repr(word)
    types = schema.get("type", ())
    for name in [types] if isinstance(types, str) else types:
        yield from (f"list of {item}" for item in _accepts(schema["items"])) if name == "array" else [name]


def _referenced(reference: str) -> str:
    if reference.endswith("#/$defs/counts"):
        return "counts"
    if reference == RECORD["$id"]:
        return "Record"
    schema = [noun for noun, schema in SCHEMAS.items() if schema is _definition(reference)]
    return schema[0].__name__


def _definition(reference: str) -> dict[str, Any]:
    name = reference.rpartition("/")[2]
    every: dict[str, dict[str, Any]] = RECORD["$defs"] | CORPUS["$defs"] | BATCH["$defs"]
    return every[name]
