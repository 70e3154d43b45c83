"""Hold a JSON document against the schema that the package carries."""

from __future__ import annotations

import jsonschema

from intercore.document.schema import schema

SCHEMA = schema("run")
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def is_valid(document: object) -> bool:
    return bool(VALIDATOR.is_valid(document))


def check(document: object) -> None:
    errors = [f"{error.json_path}: {error.message}" for error in VALIDATOR.iter_errors(document)]
    assert not errors
