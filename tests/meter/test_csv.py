"""Files as the programs of several makes write them, and such as nobody can read.

The forms are those of Nordic's Power Profiler (pc-nrfconnect-ppk, src/actions/exportChartAction.ts), of Joulescope's
program (pyjoulescope_ui, its exporter of CSV), of a Keysight multimeter's data log and of a German one's, with commas.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from intercore.errors import UsageError
from intercore.meter.meter import MeterError
from intercore.meter.registry import opened

if TYPE_CHECKING:
    from pathlib import Path

    from intercore.record.meter_recording import Trace

MILLIAMPS = (12.0, 40.0, 40.25, 11.5)
NORDIC = "Timestamp(ms),Current(uA),D0-D7,D0,D1,D2,D3,D4,D5,D6,D7\n" + "".join(
    f"{0.01 * number:.2f},{1000 * current:.3f},{int(current > 20)}1000000,{int(current > 20)},1,0,0,0,0,0,0\n"
    for number, current in enumerate(MILLIAMPS)
)
JOULESCOPE = "#time (s),current (A),voltage (V)\n" + "".join(
    f"{5e-7 * number:.7f},{current / 1e3:.9g},3.30{number}\n" for number, current in enumerate(MILLIAMPS)
)
MULTIMETER = "Data log,34465A\r\nStart,2026-11-24T10:00:00\r\n\r\nTime (s),DCI (A)\r\n" + "".join(
    f"{0.1 * number:.3f},{current / 1e3:+.8E}\r\n" for number, current in enumerate(MILLIAMPS)
)
GERMAN = "Zeit;Strom [mA]\n" + "".join(
    f"{0.5 * number:.1f};{current:.2f}\n".replace(".", ",") for number, current in enumerate(MILLIAMPS)
)
DATED = "time,current_mA\n" + "".join(
    f"2026-11-24T10:00:0{number}.500,{current}\n" for number, current in enumerate(MILLIAMPS)
)


def trace(folder: Path, text: str, options: str) -> Trace:
    path = folder / "current.csv"
    path.write_bytes(text.encode())
    seen = opened(f"csv:{path}?{options}").end(())
    assert seen.trace is not None
    return seen.trace


@pytest.mark.parametrize(
    ("text", "options", "interval"),
    [
        (NORDIC, "volts=3.3", 1e-5),
        (JOULESCOPE, "mark=none", 5e-7),
        (MULTIMETER, "volts=3.3", 0.1),
        (GERMAN, "time=Zeit&current=2&volts=3.3", 0.5),
        (DATED, "volts=3.3", 1.0),
        (
            "\n".join(f"{number},{current}" for number, current in enumerate(MILLIAMPS)),
            "time=1&current=2&current_unit=mA&volts=5",
            1.0,
        ),
    ],
    ids=["Nordic", "Joulescope", "Keysight", "with commas", "with dates", "without a header"],
)
def test_each_make_is_read_in_seconds_and_amperes(tmp_path: Path, text: str, options: str, interval: float) -> None:
    found = trace(tmp_path, text, options)
    assert found.amps == pytest.approx(np.array(MILLIAMPS) / 1e3)
    assert found.interval_s == pytest.approx(interval)
    assert found.seconds[0] == pytest.approx(interval / 2), "the middle of the first sample"


def marks(found: Trace) -> list[bool]:
    return [] if found.mark is None else [bool(level) for level in found.mark]


def test_the_mark_is_the_column_that_is_called_so(tmp_path: Path) -> None:
    assert marks(trace(tmp_path, NORDIC, "volts=3.3")) == [False, True, True, False]
    assert marks(trace(tmp_path, NORDIC, "volts=3.3&mark=D1")) == [True] * 4
    assert trace(tmp_path, NORDIC, "volts=3.3&mark=none").mark is None


def test_a_voltage_is_a_column_or_stated(tmp_path: Path) -> None:
    assert trace(tmp_path, JOULESCOPE, "").volts == pytest.approx([3.300, 3.301, 3.302, 3.303])
    assert trace(tmp_path, JOULESCOPE, "volts=5").volts == pytest.approx(5)
    with pytest.raises(UsageError, match=r"no voltage: .*volts=3\.3"):
        trace(tmp_path, NORDIC, "")


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        ("", MeterError, "check that the file is CSV"),
        ("what\never\n", MeterError, "check that the file is CSV"),
        (NORDIC.replace("40000.000", "overload"), MeterError, "could not convert"),
        (NORDIC.replace("40000.000", "nan"), MeterError, "number"),
        (NORDIC[: NORDIC.index("0.02,")] + NORDIC[NORDIC.index("0.00,") :], MeterError, "does not increase between"),
        (NORDIC[: NORDIC.index("0.01,")], MeterError, "1 sample,|holds 1"),
        (NORDIC.replace("Current(uA)", "Strom"), UsageError, "no column can be identified as the current"),
    ],
    ids=["empty", "prose", "overload", "nan", "back in time", "one", "no current"],
)
def test_a_file_that_cannot_be_is_refused(tmp_path: Path, text: str, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        trace(tmp_path, text, "volts=3.3")


def test_a_column_that_is_not_there_is_told_with_those_that_are(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="did you mean 'D0'"):
        trace(tmp_path, NORDIC, "volts=3.3&mark=D00")
    with pytest.raises(UsageError, match="is not a unit"):
        trace(tmp_path, NORDIC, "volts=3.3&current_unit=mV")
    with pytest.raises(MeterError, match="cannot read"):
        opened(f"csv:{tmp_path / 'nothing.csv'}?volts=3.3").end(())
