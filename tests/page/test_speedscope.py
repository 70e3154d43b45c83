"""Files for speedscope are what its own schema says."""

from __future__ import annotations

import json

import jsonschema
import pytest

from intercore.profile.speedscope import speedscope
from tests.built_once import ROOT
from tests.page.browsing import ASKED
from tests.profile.programs import profiled
from tests.sim.firmware import example

pytestmark = pytest.mark.skipif(not ASKED, reason="needs speedscope's package: make test-page")
SCHEMA = ROOT / "build/page/node_modules/speedscope/dist/release/file-format-schema.json"


@pytest.mark.parametrize("name", ["alarm", "spinlock", "bank_conflict", "pio"])
def test_a_file_keeps_to_the_schema_of_speedscope(name: str) -> None:
    profile, _ = profiled(example(name))
    schema = json.loads(SCHEMA.read_text())
    jsonschema.Draft7Validator.check_schema(schema)
    jsonschema.Draft7Validator(schema).validate(json.loads(speedscope(profile)))


def test_the_schema_is_one_that_a_file_can_break() -> None:
    schema = json.loads(SCHEMA.read_text())
    broken = json.loads(speedscope(profiled(example("pio"))[0]))
    del broken["shared"]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft7Validator(schema).validate(broken)
