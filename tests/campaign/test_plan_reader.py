"""What a plan file may say, and the line that is named where it says something else."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from intercore.campaign.plan_reader import parse, read
from intercore.campaign.planning import drafts, without_effect
from intercore.errors import UsageError
from intercore.files.bounds import PLAN
from intercore.record.factors import of_target
from intercore.record.measurement import Part, StopRule
from intercore.record.plan import canonical, measured

WHOLE = """\
# A plan
repetitions = 2
seed = 5
until = "2%"
cap = 9
budget = "1 h 30 min"

[[target]]
name = "pico-sim"

[[target]]
name = "serial"
port = "socket://127.0.0.1:1"
baud = 9600
max_baud = 115200

[[experiment]]
benchmark = "speedup"
fraction = 0.5
factors = { mode = "pool", n = { from = 1, to = 20, step = 6 } }

[[experiment]]
benchmark = "switch"
targets = ["pico-sim"]
skip_impossible = true

[experiment.factors]
size = { from = 4, to = 100, factor = 5 }
opt = [
    "O2",
    # smaller
    "Os",
]
from = [0, 1]
"""


def test_a_plan_is_read() -> None:
    file = parse(WHOLE, "plan.toml")
    assert (file.repetitions, file.seed, file.stop, file.budget) == (2, 5, StopRule(0.02, 9), 5400.0)
    sim, serial = file.targets
    assert (sim.name, sim.port, serial.port, serial.baud, serial.max_baud) == (
        "pico-sim",
        None,
        "socket://127.0.0.1:1",
        9600,
        115200,
    )
    first, second = file.experiments
    assert first.levels == {"mode": ["pool"], "n": [1, 7, 13, 19]}
    assert (first.fraction, first.skip_impossible, first.targets) == (0.5, False, None)
    assert second.levels == {"size": [4, 20, 100], "opt": ["O2", "Os"], "from": [0, 1]}
    assert second.skip_impossible
    assert (second.is_for(sim), second.is_for(serial)) == (True, False)


def replaced(old: str, new: str) -> str:
    assert WHOLE.count(old) == 1, old
    return WHOLE.replace(old, new)


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("repetitions = 2", "repetitions = 0", 2, "repetitions=0 is out of range"),
        ("repetitions = 2", "repetitions = true", 2, "a whole number"),
        ("repetitions = 2", "repetitions = '2'", 2, "a whole number"),
        ("seed = 5", "sede = 5", 3, "did you mean 'seed'"),
        ("seed = 5", 'benchmark = "a"', 3, r"unknown key 'benchmark' here: benchmark belongs below \[\[experiment\]\]"),
        ("seed = 5", 'port = "COM3"', 3, r"unknown key 'port' here: port belongs below \[\[target\]\]"),
        ("seed = 5", "seed = -1", 3, "seed=-1 is out of range:"),
        ('until = "2%"', "until = 2", 4, "in quotes, not 2"),
        ('until = "2%"', 'until = "0%"', 4, "out of range"),
        ('until = "2%"', "", 5, "cap limits the repetitions"),
        ("cap = 9", "cap = 1", 5, "at least .*2"),
        ('budget = "1 h 30 min"', 'budget = "0 s"', 6, "be above 0 and at"),
        ('budget = "1 h 30 min"', 'budget = "soon"', 6, "'soon' is not a duration"),
        ('budget = "1 h 30 min"', "budget = 5", 6, "budget must be a"),
        ('name = "pico-sim"', 'name = "pico-sym"', 9, "did you mean 'pico-sim'"),
        ('name = "pico-sim"', 'name = ""', 9, "name is empty"),
        ('name = "pico-sim"', 'nmae = "pico-sim"', 9, "did you mean 'name'"),
        ('name = "pico-sim"', 'name = "pico-sim"\nport = "COM3"', 10, "has no port"),
        ("fraction = 0.5", 'targets = ["pico-sim"]', 11, "the target serial at"),
        ('port = "socket://127.0.0.1:1"\n', "", 11, "needs a port"),
        ("baud = 9600", "baud = 0", 14, "baud=0 is out of range"),
        ("max_baud = 115200", 'max_baud = "fast"', 15, "whole number"),
        ('benchmark = "speedup"\n', "", 17, "benchmark is missing"),
        ("fraction = 0.5", "fraction = 0", 19, "at most 1"),
        ("fraction = 0.5", "fraction = nan", 19, "at most 1"),
        ("fraction = 0.5", "fraction = true", 19, "at most 1"),
        ('mode = "pool"', "mode = []", 20, "mode has no level"),
        ('mode = "pool"', "mode = 1.5", 20, "a whole number, a string or"),
        ('mode = "pool"', "mode = true", 20, "not true"),
        ('mode = "pool"', 'mode = "a b"', 20, "printable ASCII"),
        ("step = 6", "step = 0", 20, "step is out of range"),
        ("step = 6", "stride = 6", 20, "'stride' is unknown"),
        (", step = 6", "", 20, "step or factor"),
        ("step = 6", "step = 6, factor = 2", 20, "step or factor"),
        ("{ from = 1, to = 20, step = 6 }", "{ from = 2, to = 1, step = 6 }", 20, "n has no level: the range"),
        ("{ from = 1, to = 20, step = 6 }", "{ from = 1, to = 99999, step = 1 }", 20, "10000"),
        ('targets = ["pico-sim"]', 'targets = ["pico-sim", "host"]', 24, "this plan has no target 'host'"),
        ('targets = ["pico-sim"]', "targets = []", 24, "a list of names"),
        ('targets = ["pico-sim"]', 'targets = ["pico-sim", "pico-sim"]', 24, "twice: remove one"),
        ('name = "pico-sim"', 'name = "pico-sim"\nimage = "a.elf"', 9, "pico-sim"),
        ('name = "pico-sim"', 'name = "pico-sim"\nemulated = true', 9, "pico-sim"),
        ('name = "pico-sim"', 'name = "pico-sim"\nemulated = 1', 10, "true or false"),
        ('port = "socket://127.0.0.1:1"', 'port = "/dev/tty\\u0000"', 13, "a control character"),
        ('port = "socket://127.0.0.1:1"', 'port = "\\u202E0MCA"', 13, "a control character"),
        ('mode = "pool"', 'mode = "\\u0967"', 20, "printable ASCII"),
        ('mode = "pool"', 'workload = ["fp", "./fft.c"]', 20, "your own workload.*workload=./fft.c"),
        ("skip_impossible = true", "skip_impossible = 1", 25, "true or false"),
        ("factor = 5", "factor = 1", 28, "at least 2, and from"),
        ('    "Os",', '    "O2",', 32, "opt=O2 is given twice"),
        ('    "Os",', "    2.0,", 32, r"not 2\.0"),
        ("from = [0, 1]", "from = [[0], 1]", 34, "not a list"),
        ("from = [0, 1]", "from = [0, 1", 34, "TOML syntax error: a list is not closed"),
        (
            'mode = "pool"',
            'mode = "pool',
            20,
            "TOML syntax error: a string is not closed: a quote is missing on this line",
        ),
        (
            'mode = "pool"',
            "mode = 'pool",
            20,
            "TOML syntax error: a string is not closed: a quote is missing on this line",
        ),
        ("fraction = 0.5", "primitive = 1", 19, r"'primitive' here: a factor belongs below \[experiment.factors\]"),
        ("fraction = 0.5", "seed = 1", 19, "'seed' here: seed belongs at the beginning of the file"),
        ("from = [0, 1]", "from = [0, 1]\nfrom = 2", 35, "TOML syntax error: from is given twice"),
        ("from = [0, 1]", "from = ", 34, "a value is missing"),
        ("from = [0, 1]", "from = [0,", 34, "a list is not closed"),
        ("from = [0, 1]", "from = [0, one]", 34, 'one is not a value: text must be in quotes, "one"'),
        ("from = [0, 1]", "from = {a = 1, a = 2}", 34, "a is given twice"),
        ('mode = "pool"', "mode = pool", 20, "pool is not a value"),
        ("skip_impossible = true", "skip_impossible = True", 25, "write true"),
        ("from = [0, 1]", "from = 1979-05-27", 34, "a date or time"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(old: str, new: str, line: int, message: str) -> None:
    with pytest.raises(UsageError, match=rf"(?s)^plan.toml:{line}: .*({message})"):
        parse(replaced(old, new), "plan.toml")


@pytest.mark.parametrize("key", ["target", "experiment"])
@pytest.mark.parametrize("value", ["", "{KEY} = 1", "{KEY} = []", "[{KEY}]", "{KEY} = [1]"])
def test_a_plan_has_targets_and_experiments(key: str, value: str) -> None:
    other = '[[experiment]]\nbenchmark = "a"' if key == "target" else '[[target]]\nname = "host"'
    wrong = f"{key} must be a list of tables: write" if value else f"the plan has no {key}: add"
    with pytest.raises(
        UsageError, match=rf"plan.toml:\d: {wrong} the line \[\[{key}\]\] and, below it, for example, \w+ ="
    ):
        parse(value.replace("{KEY}", key) + "\n" + other, "plan.toml")


def test_two_boards_of_one_kind_are_told_apart_by_their_ports() -> None:
    two = '[[target]]\nname = "serial"\nport = "a"\n[[target]]\nname = "serial"\nport = "{}"\n'
    rest = '[[experiment]]\nbenchmark = "clock"\n'
    assert [entry.port for entry in parse(two.format("b") + rest, "p").targets] == ["a", "b"]
    with pytest.raises(UsageError, match="p:4: the target serial at a appears twice"):
        parse(two.format("a") + rest, "p")


def test_too_many_settings_are_refused_before_they_are_listed() -> None:
    many = "\n".join(f"f{number} = {{ from = 1, to = 100, step = 1 }}" for number in range(9))
    text = f'[[target]]\nname = "host"\n[[experiment]]\nbenchmark = "clock"\n[experiment.factors]\n{many}'
    with pytest.raises(UsageError, match="1000000000000000000 settings, but at most"):
        parse(text, "p")


@pytest.mark.parametrize(
    ("factors", "line", "message"),
    [
        ('opt = ["O2", "O9"]', 6, "the factor opt has no level 'O9'"),
        ("clock_mhz = [48, 500]", 6, "clock_mhz=500 is not"),
        ('code = "sram"\nxip_cache = "off"', 7, "xip_cache=off has no effect with code=sram"),
    ],
)
def test_factors_of_a_target_are_checked_before_it_is_opened(factors: str, line: int, message: str) -> None:
    head = '[[target]]\nname = "pico-sim"\n[[experiment]]\nbenchmark = "clock"\n[experiment.factors]\n'
    with pytest.raises(UsageError, match=f"p:{line}: .*{message}"):
        drafts(parse(head + factors, "p"))


def test_a_file_that_is_none_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot read .*No such file"):
        read(tmp_path / "missing.toml")
    with pytest.raises(UsageError, match=r"cannot read .*directory"):
        read(tmp_path)
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"seed = 1\n# \xff\n")
    with pytest.raises(UsageError, match=r"binary.toml:2: this line is not UTF-8"):
        read(binary)
    binary.write_bytes(WHOLE.encode("utf-16"))
    with pytest.raises(UsageError, match=r"binary.toml:1: the file is UTF-16 text: save the file as UTF-8"):
        read(binary)
    binary.write_text(f"seed = {'9' * 5000}")
    with pytest.raises(UsageError, match=r"plan file: .*thousands of digits"):
        read(binary)
    binary.write_bytes(b"#" * (PLAN.most + 1))
    with pytest.raises(UsageError, match=r"cannot read .*128 KiB"):
        read(binary)
    binary.write_text("a = " + "[" * 100_000)
    with pytest.raises(UsageError, match=r"binary.toml"):
        read(binary)


def test_a_plan_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    """As editors of Windows put it in front."""
    plan = tmp_path / "plan.toml"
    plan.write_text(WHOLE, encoding="utf-8-sig")
    marked = read(plan)
    assert marked == parse(WHOLE, str(plan))
    plan.write_text(replaced("seed = 5", "sede = 5"), encoding="utf-8-sig")
    with pytest.raises(UsageError, match=r"plan.toml:3: .*did you mean 'seed'"):
        read(plan)


@given(st.text(max_size=200) | st.sampled_from(WHOLE.split("\n")).map("{}\n[[target]]".format))
@example("[[target]]\n[[experiment]]")
def test_any_text_is_a_plan_or_refused_with_the_name_of_the_file(text: str) -> None:
    with pytest.raises(UsageError, match=r"^plan.toml:"):
        parse(text, "plan.toml")


@settings(max_examples=40)
@given(st.data())
def test_any_lines_of_a_plan_left_out_or_doubled_are_a_plan_or_refused(data: st.DataObject) -> None:
    lines = WHOLE.split("\n")
    times = data.draw(st.lists(st.sampled_from([1, 1, 1, 1, 0, 2]), min_size=len(lines), max_size=len(lines)))
    text = "\n".join(line for line, count in zip(lines, times, strict=True) for _ in range(count))
    try:
        file = parse(text, "plan.toml")
    except UsageError as error:
        assert str(error).startswith("plan.toml")  # noqa: PT017 - most such texts are none, and some are
    else:
        assert file.targets
        assert all(levels for one in file.experiments for levels in one.levels.values())


# What an experiment skips

SKIPPING = """
[[target]]
name = "pico-sim"
[[experiment]]
benchmark = "message"
skip = {skip}
factors = {{ from = [0, 1], to = [0, 1], transport = ["ring", "queue"] }}
"""


def test_an_experiment_skips_settings_that_have_certain_levels() -> None:
    (one,) = parse(SKIPPING.format(skip="[{ from = 0, to = 0 }, { from = 1, to = 1 }]"), "plan.toml").experiments
    assert one.skip == ({"from": 0, "to": 0}, {"from": 1, "to": 1})


@pytest.mark.parametrize(
    ("skip", "says"),
    [
        ("3", "a list of"),
        ("[{}]", "a list of"),
        ("[{ form = 0 }]", "this experiment has no factor 'form'; did you mean 'from'"),
        ("[{ from = 2 }]", "of the experiment"),
        ("[{ from = true }]", "of the experiment"),
        ('[{ from = 0 }, { transport = "fifo" }]', "transport='fifo' is not a"),
        ("[{ from = [0] }]", "of the experiment"),
    ],
)
def test_what_cannot_be_skipped_is_refused_with_its_line(skip: str, says: str) -> None:
    with pytest.raises(UsageError, match=r"plan\.toml:6: ") as refused:
        parse(SKIPPING.format(skip=skip), "plan.toml")
    assert says in str(refused.value)


# The plan that builds for the ESP32


def test_the_plan_of_builds_for_the_esp32_has_all_that_the_chip_can_have() -> None:
    text = (Path(__file__).parents[2] / "plans" / "seed-000-esp32-builds.toml").read_text()
    (draft,) = drafts(parse(text, "seed-000-esp32-builds.toml"))
    (build,) = draft.builds
    assert build == {"opt": ["O2", "Os"], "cpu_mhz": [80, 160, 240], "code": ["flash", "iram"]}


# The plan for the board of seed 003


@pytest.mark.parametrize(
    ("supply", "clocks"),
    [
        ("smps", {(60, 60), (120, 60), (120, 120), (240, 60), (240, 120), (400, 200)}),
        (
            "ldo",
            {(60, 60), (120, 60), (120, 120), (240, 60), (240, 120), (240, 240), (400, 200)}
            | {(480, 60), (480, 120), (480, 240)},
        ),
    ],
)
def test_the_plan_for_the_stm32h745_has_all_builds_that_the_chip_can_have(
    supply: str, clocks: set[tuple[int, int]]
) -> None:
    text = (Path(__file__).parents[2] / "plans" / "seed-003.toml").read_text()
    (draft,) = drafts(parse(text.replace('supply = "smps"', f'supply = "{supply}"'), "seed-003.toml"))
    (build,), (experiment,) = draft.builds, draft.experiments
    part = Part("message", {**experiment.levels, **build}, skip=experiment.skip)
    plan = msgspec.structs.replace(draft.plan, parts=(part,), excluded=tuple(without_effect(draft.target, part)))
    whole = measured(plan, part)
    assert {(one["m7_mhz"], one["m4_mhz"]) for one in whole} == clocks
    assert all(one["from"] != one["to"] and one["shared"] == one["region"] for one in whole)
    builds = {canonical(of_target(one)) for one in whole}
    assert len(builds) == len(clocks) * 3 * 2 * 2 * 4, "memories, caches and optimisations"
    assert len(whole) == len(builds) * 2 * 2 * 2 * 6, "transports, directions, measures and sizes"
