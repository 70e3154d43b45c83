"""The schema of the JSON document says what the analyses are."""

from __future__ import annotations

from typing import Annotated, Any

import jsonschema
import msgspec
import pytest

from intercore.benchmarks.reports import reports, schema_parts
from intercore.document.run import run_document
from intercore.document.schema import generate, schema
from tests.document.validity import SCHEMA
from tests.fakes import esp32 as fake_esp32


class Inner(msgspec.Struct, frozen=True):
    """A row."""

    count: Annotated[int, msgspec.Meta(ge=1)]
    """How many
    there are."""
    cost_us: float | None = None


class Outer(msgspec.Struct, frozen=True):
    """All rows."""

    rows: tuple[Inner, ...]
    by_name: dict[str, Inner]


def test_the_file_is_up_to_date() -> None:
    assert generate.up_to_date(SCHEMA) == SCHEMA, "run: make format"
    assert generate.of_comparison() == schema("comparison"), "run: make format"
    assert generate.of_profile() == schema("profile"), "run: make format"
    assert generate.of_instructions() == schema("instructions"), "run: make format"
    assert generate.of_profile_comparison() == schema("profile-comparison"), "run: make format"
    assert generate.of_check() == schema("check"), "run: make format"


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.setattr(generate, "analyses", lambda: {"example": Outer})
    return generate.up_to_date(SCHEMA)


def test_fields_are_described_by_what_stands_below_them(made: dict[str, Any]) -> None:
    assert made["$defs"]["Inner"]["properties"]["count"]["description"] == "How many there are."
    assert "description" not in made["$defs"]["Inner"]["properties"]["cost_us"]


def test_what_is_generated_is_replaced_and_what_is_written_by_hand_stays(
    made: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert generate.up_to_date(made) == made
    assert made["properties"]["analysis"]["properties"].keys() >= {"example", *written_by_benchmarks("properties")}
    assert made["$defs"].keys() >= {"Outer", *written_by_benchmarks("$defs")}
    monkeypatch.setattr(generate, "analyses", dict)
    monkeypatch.setattr(generate, "schema_parts", dict)
    without = generate.up_to_date(made)
    assert without["properties"]["analysis"]["properties"].keys() == {"answers"}
    assert without["properties"]["analysis"]["dependentRequired"] == {}
    assert not without["$defs"].keys() & {"Outer", "Inner", *written_by_benchmarks("$defs")}
    assert "measurement" in without["$defs"]


def written_by_benchmarks(part: str) -> list[str]:
    return [name for one in schema_parts().values() for name in one[part]]


def test_no_two_write_of_the_same_part() -> None:
    by_hand = [name for name, one in SCHEMA["$defs"].items() if one.get("$comment") != generate.GENERATED]
    definitions = [*written_by_benchmarks("$defs"), *by_hand]
    assert len(definitions) == len({*definitions})
    keys = written_by_benchmarks("properties")
    assert len(keys) == len({*keys})


@pytest.mark.parametrize(
    ("value", "valid"),
    [
        ({"rows": [{"count": 1, "cost_us": None}], "by_name": {}, "sentences": []}, True),
        ({"rows": [], "by_name": {"x": {"count": 2, "cost_us": 0.5}}, "sentences": ["It is."]}, True),
        ({"rows": [{"count": 0, "cost_us": None}], "by_name": {}, "sentences": []}, False),
        ({"rows": [{"count": 1}], "by_name": {}, "sentences": []}, False),
        ({"rows": [], "by_name": {}, "sentences": [], "more": 1}, False),
        ({"rows": [], "sentences": []}, False),
        ({"rows": [], "by_name": {}}, False),
    ],
)
def test_documents_are_held_against_the_types(made: dict[str, Any], value: object, *, valid: bool) -> None:
    part = {"$defs": made["$defs"], **made["properties"]["analysis"]["properties"]["example"]}
    assert jsonschema.Draft202012Validator(part).is_valid(value) is valid


@pytest.mark.parametrize("emulated", [True, False])
def test_document_of_an_emulated_chip_has_no_analysis(*, emulated: bool) -> None:
    made = msgspec.json.decode(msgspec.json.encode(run_document(reports(fake_esp32.run(emulated=emulated)))))
    jsonschema.validate(made, SCHEMA)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**made, "emulated": not emulated}, SCHEMA)
