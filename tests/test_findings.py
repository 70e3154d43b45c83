"""All findings: their codes are unique, their JSON comes back, and their wording is that of one file."""

from __future__ import annotations

import msgspec
import pytest

from intercore.finding import Finding
from tests.finding_examples import FILE, examples, kinds, text
from tests.firmware.rp2040.conftest import of_all_benchmarks


def test_each_code_is_of_one_finding() -> None:
    codes = [str(kind.__struct_config__.tag) for kind in kinds()]
    assert len(codes) == len(set(codes))


@pytest.mark.parametrize("kind", kinds(), ids=lambda kind: kind.__name__)
def test_a_finding_carries_its_values_beside_its_text(kind: type[Finding]) -> None:
    for example in examples(kind):
        found = example.to_json()
        assert found["code"] == kind.__struct_config__.tag
        assert found["severity"] in {"info", "warning", "error"}
        assert found["text"] == example.sentence
        assert msgspec.convert({**found["values"], "code": found["code"]}, kind) == example


def test_the_setting_stands_before_the_sentence_and_beside_the_values() -> None:
    kind = kinds()[0]
    example = msgspec.structs.replace(examples(kind)[0], setting={"opt": "O0", "n": 3})
    assert example.text == f"opt=O0 n=3: {example.sentence}"
    assert example.to_json()["setting"] == {"opt": "O0", "n": 3}


@of_all_benchmarks
def test_the_wording_is_that_of_the_file() -> None:
    assert FILE.read_text("utf-8") == text(), "make format writes the file"
