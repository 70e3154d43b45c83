"""The page shows what was measured, loads nothing, trusts no string, and never passes off what is not measured."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import os
import re
import shlex
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pytest
from markupsafe import Markup

from intercore.benchmarks import other, registry
from intercore.benchmarks.benchmark import Analysis
from intercore.benchmarks.findings import UnknownBenchmark
from intercore.benchmarks.options import Options
from intercore.benchmarks.reports import reports
from intercore.errors import IntercoreError, UsageError
from intercore.page.page import write_page
from intercore.record.findings import KernelsDiffer, KernelsOfOne, SeveralKernels
from intercore.record.measurement import Measurement, Part, Plan, Run, Series
from intercore.view.axes import Axis
from intercore.view.figure import Figure, Line, Panel, Points
from intercore.view.section import CombinedReport
from intercore.view.svg import texts_of
from tests.page_figures import figures_drawn

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import ArrayLike

    from intercore.record.measurement import Level
    from intercore.view.figure import Series as DrawnSeries
    from intercore.view.section import Report

STARTED = "2026-01-02T03:04:05+00:00"
NOTHING: Mapping[str, Any] = {}
of_speedups = pytest.mark.measures("speedup")
SIZES = (1_000, 10_000, 100_000, 1_000_000)
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'&</pre><!--"
CONDITIONS = {"chip": "Fictional M0+", "cores": "2", "clock": "timer", "tick_hz": "1000", "compiler.flags": "-O2"}


def ticks(name: str, values: ArrayLike) -> Series:
    return Series(name, "common", 10**9, np.asarray(values, dtype=np.int64))


def measurement(
    n: int,
    mode: str = "create",
    samples: int = 9,
    benchmark: str = "speedup",
    factors: Mapping[str, Level] = NOTHING,
    conditions: Mapping[str, str] = NOTHING,
    checks: Mapping[str, int] = NOTHING,
) -> Measurement:
    """Work of 20 ns per unit; starting and joining costs 80 µs in mode create and 5 µs in others."""
    noise = np.random.default_rng(n).integers(0, 200, samples)
    t1 = 20 * n + noise
    tp = t1 // 2 + (80_000 if mode == "create" else 5_000) + noise[::-1]
    setting: dict[str, Level] = {
        "workload": "fp",
        "mode": mode,
        "join": "notify",
        "n": n,
        "cores": 2,
        "dither_us": 1000,
    }
    return Measurement(
        benchmark=benchmark,
        factors=setting | dict(factors),
        repetition=0,
        series=(
            ticks("timestamp_overhead.0", [36] * 20),
            ticks("timestamp_overhead.1", [41] * 20),
            ticks("t1", t1),
            ticks("tp", tp),
        ),
        conditions=CONDITIONS | dict(conditions),
        checks={"wrong": 0, "migrated": 0, "preempted": 0, "lost": 0} | dict(checks),
        started=STARTED,
    )


def run(*measurements: Measurement, number: int = 7, **changes: object) -> Run:
    levels: dict[str, list[Level]] = {"n": list(SIZES), "mode": ["create", "pool"], "opt": ["O2", "O3"], "seed": [5]}
    plan = msgspec.structs.replace(Plan("host", None, "speedup", (Part("speedup", levels),), seed=5), **changes)
    return Run(number, plan, STARTED, "0.1.0", max(8, len(measurements)), measurements)


def both_modes() -> list[Measurement]:
    return [measurement(n, mode) for n in SIZES for mode in ("create", "pool")]


class Page(HTMLParser):
    """What a browser would make of the page."""

    def __init__(self, source: str, figures: Sequence[Figure]) -> None:
        super().__init__()
        self.source, self.figures = source, figures
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.rows: list[list[str]] = []
        self._text: list[str] = []
        self._inside: list[str] = []
        self.feed(source.replace("<wbr>", ""))  # where a word may be broken, which is no part of it
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._inside.append(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in {"td", "th"} and self.rows:
            self.rows[-1].append("")
        elif tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag: str) -> None:
        while self._inside and self._inside.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if "script" in self._inside:
            self.scripts[-1] += data
        elif "style" not in self._inside:
            self._text.append(data)
            if "td" in self._inside or "th" in self._inside:
                self.rows[-1][-1] += data.strip() + " "

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", "".join(self._text))

    def row(self, *start: str) -> list[str]:
        cells = [[" ".join(cell.split()) for cell in row] for row in self.rows]
        return next(row for row in cells if row[: len(start)] == list(start))


def page(folder: Path, *runs: Run, options: Options | None = None) -> Page:
    path = folder / "page.html"
    with figures_drawn() as figures:
        write_page([reports(one, options or Options()) for one in runs], path)
    return Page(path.read_text(encoding="utf-8"), figures)


def series_of(*figures: Figure) -> list[DrawnSeries]:
    return [one for figure in figures for panel in figure.panels for one in panel.series]


def points_of(*figures: Figure) -> list[Points]:
    return [one for one in series_of(*figures) if isinstance(one, Points)]


def references_of(figure: Figure) -> set[str]:
    return {one.words for panel in figure.panels for one in panel.references}


def test_the_page_loads_nothing(tmp_path: Path) -> None:
    shown = page(tmp_path, run(*both_modes()))
    loading = {"src", "href", "srcset", "data", "action", "poster", "background", "formaction"}
    found = [(tag, name, text) for tag, names in shown.elements for name, text in names.items() if name in loading]
    assert found
    assert not [each for each in found if not (each[1] == "href" and str(each[2]).startswith("#"))]
    assert not {tag for tag, _ in shown.elements} & {"link", "iframe", "object", "embed", "img", "base"}
    style = shown.source.split("<style>")[1].split("</style>")[0]
    assert "url(" not in style
    assert "@import" not in style


@of_speedups
def test_the_answers_come_first_and_lead_to_their_sections(tmp_path: Path) -> None:
    shown = page(tmp_path, run(*both_modes()))
    text = shown.text
    assert text.index("created tasks break even") < text.rindex("Cost of crossing cores") < text.index("Two cores did")
    ids = [attrs["id"] for _, attrs in shown.elements if "id" in attrs]
    assert len(ids) == len(set(ids))
    links = {attrs["href"] for tag, attrs in shown.elements if tag == "a"}
    assert {"#answers", "#overview", "#speedup", "#warnings", "#method"} <= links
    assert {str(link).removeprefix("#") for link in links} <= set(ids)
    assert shown.row("Parallel work")[1] == "created tasks break even"
    known = reports(run(*both_modes())).reports[0].answers
    assert [answer.question for answer in known[:2]] == ["created tasks break even", "woken tasks break even"]
    for answer in known:
        found = [row for row in shown.rows if answer.question in [cell.strip() for cell in row]]
        assert len(found) == 1
        for cells in found:
            assert (answer.headline or answer.about) in [" ".join(cell.split()) for cell in cells]


@of_speedups
def test_names_in_the_answers_are_explained_below_them_and_no_others(tmp_path: Path) -> None:
    shown = page(tmp_path, run(*both_modes()))
    (explained,) = re.findall(r'<dl class="choices">(.*?)</dl>', shown.source, re.DOTALL)
    names = re.findall("<dt>(.*?)</dt><dd>.+?</dd>", explained)
    assert set(names) == {"created tasks", "woken tasks", "floating point"}


@of_speedups
def test_how_fast_a_core_computes_is_told_before_what_else_differs(tmp_path: Path) -> None:
    def slowed(one: Measurement) -> Measurement:
        series = [msgspec.structs.replace(each, ticks=each.ticks * 300) for each in one.series]
        return msgspec.structs.replace(one, series=tuple(series))

    chip = run(*map(slowed, both_modes()), number=8, target="pico-sim", simulated=True)
    other = run(*both_modes(), target="pico-amp-sim", simulated=True)
    text = page(tmp_path, chip, other).text
    assert re.search(r"A core of pico-amp-sim computes at least 300 × faster \(speedup: time on one core \(T1\)", text)
    assert "Differences: Largest gaps where pico-amp-sim is faster: pure computing, at least 300 ×." in text
    assert "pico-amp-sim is faster, at most" not in text, "nothing else was measured"


@of_speedups
def test_page_of_several_runs_has_a_card_and_column_each_and_host_last(tmp_path: Path) -> None:
    chip = run(*both_modes(), number=8, target="pico-sim", simulated=True)
    shown = page(tmp_path, run(*both_modes()), chip)
    targets = re.findall(r'<p class="target"><strong>(.*?)</strong>', shown.source)
    assert targets == ["pico-sim", "host"]
    head = shown.row("about", "question")
    assert head[2:] == ["pico-sim (SIMULATED)", "host", "host is"]
    assert shown.row("Parallel work", "created tasks break even")[-1] == ""  # each by its own time
    assert len(shown.row("Parallel work", "created tasks break even")) == 5
    assert "Differences: pico-sim (SIMULATED) and host" in shown.text
    disturbed = page(tmp_path, run(*both_modes(), measurement(2_000, checks={"preempted": 3})), chip)
    assert disturbed.row("about", "question")[2:4] == ["pico-sim (SIMULATED)", "host, disturbed"]


@of_speedups
def test_what_people_ask_most_comes_first_and_what_has_no_topic_last(tmp_path: Path) -> None:
    names = ("novel", "clock", "lock", "speedup")
    shown = page(tmp_path, run(*both_modes(), parts=tuple(Part(name, {}) for name in names)))
    contents = shown.source.split("<nav")[1].split("</nav>")[0]
    assert re.findall('href="#([a-z]+)">(.*?)<', contents)[2:6] == [
        *(("speedup", "Parallel work"), ("lock", "Locks"), ("clock", "The clock"), ("novel", "Novel")),
    ]


@of_speedups
def test_a_section_is_called_in_its_heading_what_the_contents_call_it(tmp_path: Path) -> None:
    chip = run(*both_modes(), number=8, target="pico-sim", simulated=True)
    parts = tuple(Part(name, {}) for name in ("novel", "clock", "lock", "speedup"))
    source = page(tmp_path, run(*both_modes(), parts=parts), chip).source
    entries = re.findall('href="#([a-z]+)">(.*?)<', source.split("<nav")[1].split("</nav>")[0])
    headings = dict(re.findall(r'<h2><a href="#([a-z]+)">(.*?)</a>', source))
    assert len(entries) > 6
    for name, entry in entries:
        assert re.sub("<.*?>", "", headings[name]).partition(":")[0] == entry


@of_speedups
def test_what_is_folded_of_the_warnings_is_named(tmp_path: Path) -> None:
    chip = run(*both_modes(), measurement(2_000, checks={"preempted": 3, "migrated": 2, "lost": 1, "wrong": 1}))
    source = page(tmp_path, chip).source.split('<section id="warnings">')[1].split("</section>")[0]
    (folded,) = re.findall("<summary>(.*?)</summary>", source)
    count = len(re.findall("<strong>", source.split("<details>")[1]))
    assert folded == f"{count} more: parallel work {count}"


@of_speedups
def test_each_of_two_equal_runs_has_its_own_picture_of_what_crossing_cores_costs(tmp_path: Path) -> None:
    shown = page(tmp_path, run(*both_modes(), target="a"), run(*both_modes(), target="b", number=8))
    overviews = shown.source.split('<section id="overview">')[1].split("</section>")[0]
    assert re.findall(r'<p class="title">(.*?)</p>', overviews) == ["a", "b"]
    assert overviews.count('class="plot overview"') == 2


@of_speedups
def test_a_card_says_how_far_to_trust_the_numbers_and_whether_anything_disturbed_them(tmp_path: Path) -> None:
    disturbed = page(tmp_path, run(*both_modes(), measurement(2_000, checks={"preempted": 3})))
    count = len(re.findall("<li>", disturbed.source.split('id="warnings"')[1].split("</section>")[0]))
    assert "Disturbed: yes, a task was preempted 3 times, in 1 of 9 measurements." in disturbed.text
    assert f"{count} warning{'s' * (count > 1)} limit{'s' * (count == 1)} the use of the numbers" in disturbed.text
    assert "Validity: Measured on this target" in disturbed.text
    assert re.search("Disturbed: (no|not detected): no preemption", page(tmp_path, run(*both_modes())).text)
    placed = [
        msgspec.structs.replace(one, conditions={**one.conditions, "memory.code": "sram-striped"})
        for one in both_modes()
    ]
    chip = page(tmp_path, run(*placed, simulated=True)).text
    assert "Its model counts every cycle" in chip
    assert "Its code runs from striped SRAM; expect different timings from flash." in chip
    assert "What the simulated chip assumes" in chip, "where what the model assumes leads to"
    assert "What the simulated chip assumes" not in disturbed.text


@of_speedups
def test_pictures_are_there_without_a_script(tmp_path: Path) -> None:
    shown = page(tmp_path, run(*both_modes()))
    drawings = [attrs for tag, attrs in shown.elements if tag == "div" and "drawing" in str(attrs.get("class"))]
    assert len(drawings) == 4 + 1  # and the overview
    labelled = [str(attrs["aria-label"]) for _, attrs in shown.elements if attrs.get("role") == "img"]
    assert {label.split(".")[0] for label in labelled} >= {"Speed-up over duration", "Efficiency over duration"}
    assert sum(label.startswith("Cost of crossing cores: ") for label in labelled) == 1
    buttons = [attrs for tag, attrs in shown.elements if tag == "button" and "data-figure" in attrs]
    assert {attrs.get("data-figure") for attrs in buttons} == {"0", "1", "2", "3"}
    assert all("hidden" in attrs for attrs in buttons)


@of_speedups
@pytest.mark.parametrize(
    ("plan", "command"),
    [
        ({}, "intercore run --resume"),
        ({"file": "my plan.toml"}, "intercore sweep 'my plan.toml'"),
        ({"file": "a.toml", "file_options": ("--fraction", "1%")}, "intercore sweep a.toml --fraction 1%"),
        ({"partner": 8}, "intercore compare --alternate --resume"),
    ],
)
def test_an_unfinished_run_says_with_which_command_it_goes_on(
    tmp_path: Path, plan: dict[str, object], command: str
) -> None:
    unfinished = page(tmp_path, run(*both_modes()[:3], **plan))
    assert f"3 of 8 measurements (not complete; continue with {command})" in unfinished.text
    assert "not complete" not in page(tmp_path, run(*both_modes(), **plan)).text


@of_speedups
def test_the_browser_is_told_to_run_our_script_only_and_to_load_nothing(tmp_path: Path) -> None:
    shown = page(tmp_path, run(*both_modes()))
    policy = next(
        attrs["content"] for _, attrs in shown.elements if attrs.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy is not None
    _, script = shown.scripts
    allowed = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{allowed}';" in policy
    assert policy.startswith("default-src 'none';")


@of_speedups
def test_what_marks_show_comes_with_the_page_by_figure_panel_and_mark(tmp_path: Path) -> None:
    shown = page(tmp_path, run(*both_modes()))
    texts = json.loads(gzip.decompress(base64.b64decode(shown.scripts[0])))
    assert texts == [texts_of(figure) for figure in shown.figures]
    assert any(text.startswith("created tasks\nn = 1,000\n") for text in texts[0][0])


@of_speedups
def test_the_table_holds_the_numbers_with_their_intervals(tmp_path: Path) -> None:
    shown = page(tmp_path, run(*both_modes()))
    n, t1, tp, speedup, efficiency, karp_flatt, samples = shown.row("1,000,000")
    assert n == "1,000,000"
    assert t1.startswith("20.0 ms")
    assert tp.startswith("10.1 ms")
    assert re.fullmatch(r"1\.984 1\.98\d – 1\.98\d", speedup)
    assert efficiency.startswith("99.2 %")
    assert karp_flatt.startswith("0.0080")
    assert samples == "9"


@of_speedups
def test_no_work_that_two_cores_do_faster_is_said_not_to_pay(tmp_path: Path) -> None:
    text = page(tmp_path, run(*both_modes())).text
    assert "not pay" not in text
    assert re.search(r"woken tasks: [^;]*; break-even \(S = 1\) at 10\.\d µs [^;]*\(extrapolated", text)


@of_speedups
def test_another_wanted_efficiency_moves_what_takes_so_much_work_and_not_the_break_even(tmp_path: Path) -> None:
    text = page(tmp_path, run(*both_modes()), options=Options(efficiency=0.75)).text
    assert re.search(
        r"created tasks: [^;]*; break-even \(S = 1\) at 160 µs [^;]*; 75 % of both cores from 48\d µs \(", text
    )


@of_speedups
def test_a_break_even_that_cannot_be_given_says_why(tmp_path: Path) -> None:
    ideal = measurement(1000, samples=1)
    t1 = ideal.samples("t1")
    ideal = msgspec.structs.replace(ideal, series=(t1, ticks("tp", t1.ticks // 2)))
    text = page(tmp_path, run(ideal)).text
    assert "break-even (S = 1): below the smallest size measured, where S = 2.00; " in text
    assert "90 % of both cores: already reached at the smallest size measured." in text


@of_speedups
def test_own_points_are_drawn_with_their_intervals_and_the_limit_is_named(tmp_path: Path) -> None:
    over_size, durations, over_duration, repetitions = page(tmp_path, run(*both_modes())).figures
    create = points_of(over_size)[0]
    assert create.name == "created tasks"
    assert create.x == pytest.approx([2.01e-5, 2.001e-4, 2.0001e-3, 2.00001e-2], rel=1e-3), "seconds on one core"
    assert all(low < y < high for (low, high), y in zip(create.y_bounds, create.y, strict=True) if y)
    assert {"limit: 2 cores", "as fast as one core"} == references_of(over_size)
    assert over_size.panels[0].x.log
    assert {"wanted: 90 %", "break-even: S = 1 on 2 cores"} <= references_of(over_duration)
    marked = {one.shape: one for one in reversed(points_of(over_duration))}
    assert marked["star"].x[0] == pytest.approx(160e-6, rel=0.01)
    assert marked["star"].y == [0.5]
    assert marked["hexagram"].x[0] == pytest.approx(1.44e-3, rel=0.01)
    assert marked["hexagram"].y == [0.9]
    assert sum(len(one.y) for one in points_of(repetitions)) == 8 * 9
    all_cores, one_core = (one for one in series_of(durations)[:2])
    assert list(one_core.values("y")) == pytest.approx([20e-9 * n for n in SIZES], rel=0.01)
    assert list(all_cores.values("y")) == pytest.approx([10e-9 * n + 80e-6 for n in SIZES], rel=0.01)


@of_speedups
def test_published_results_never_look_like_own_ones(tmp_path: Path) -> None:
    shown = page(tmp_path, run(*both_modes()))
    every = [one for one in series_of(*shown.figures) if isinstance(one, Line | Points)]
    published = [one for one in every if one.name.startswith("published: ")]
    own = [one for one in every if one not in published]
    assert published
    assert own
    for one in published:
        assert one.hollow if isinstance(one, Points) else one.dash == "dashed"
    assert {one.colour for one in published} == {"published"}
    assert "published" not in {one.colour for one in own}
    assert not any(one.hollow if isinstance(one, Points) else one.dash == "dashed" for one in own)
    assert shown.row("1,000", "4.14 ms")[-1] == "–"
    assert "TP ends at one phase of the kernel tick, 1.00 ms" in shown.text
    assert "doi:10.59266/houjs.2026.1179" in shown.text


@of_speedups
def test_every_simulated_number_is_labelled(tmp_path: Path) -> None:
    shown = page(tmp_path, run(*both_modes(), simulated=True))
    for figure in shown.figures:
        assert "SIMULATED" in figure.title
        assert "simulated" in figure.name
        assert all(("SIMULATED" in one.name) != one.name.startswith("published: ") for one in series_of(figure))
        texts = [text for panel in texts_of(figure) for text in panel]
        assert all("SIMULATED" in text or "published: " in text for text in texts)
    titles = re.findall(r'<p class="title">(.*?)</p>', shown.source)
    assert len(titles) == 4
    assert all(title.endswith("(SIMULATED)") for title in titles)
    (heading,) = re.findall(r"<h2><a href=.#speedup.>.*?</h2>", shown.source)
    assert 'class="label simulated"' in heading
    captions = re.findall(r"<caption>(.*?)</caption>", shown.source, re.DOTALL)
    published = [caption for caption in captions if caption.startswith(("Short work:", "Conditions"))]
    assert len(captions) > len(published) > 0
    assert all("SIMULATED" in caption for caption in captions if caption not in published)
    items = re.findall(r"<li>\s*<strong>(.*?)</strong>", shown.source)
    assert items == ["created tasks (SIMULATED)", "woken tasks (SIMULATED)"]
    assert "(SIMULATED)" in shown.source.split("<title>")[1].split("</title>")[0]
    assert 'class="label measured"' not in shown.source


def test_measured_numbers_are_not_called_simulated(tmp_path: Path) -> None:
    shown = page(tmp_path, run(*both_modes()))
    assert "simulated" not in shown.text.lower()
    assert "simulated" not in str([texts_of(figure) for figure in shown.figures]).lower()
    assert '<span class="label measured">measured</span>' in shown.source


@of_speedups
def test_of_a_measured_and_a_simulated_run_only_the_latter_is_labelled(tmp_path: Path) -> None:
    shown = page(tmp_path, run(measurement(1000)), run(measurement(1000), simulated=True, number=8))
    names = set(shown.figures[0].series_names)
    assert {"run 7: created tasks", "run 8: created tasks (SIMULATED)"} < names
    assert {figure.title.partition(" (")[2] for figure in shown.figures} == {"partly SIMULATED)"}
    assert all(figure.name.endswith("-partly-simulated") for figure in shown.figures)
    assert "partly SIMULATED" in shown.text
    cards = re.findall(r'<p class="target"><strong>host</strong> <span class="label (.*?)">(.*?)</span>', shown.source)
    assert cards == [("measured", "measured"), ("simulated", "SIMULATED")]


@of_speedups
def test_hostile_strings_stay_text(tmp_path: Path) -> None:
    hostile = [
        measurement(n, mode, conditions={"chip": HOSTILE, HOSTILE: "x"}, factors={"workload": HOSTILE, HOSTILE: n % 3})
        for n in SIZES
        for mode in (HOSTILE, "pool")
    ]
    shown = page(tmp_path, run(*hostile, target=HOSTILE, parts=(Part("speedup", {"mode": [HOSTILE]}),)))
    clean = page(tmp_path, run(*both_modes()))
    assert {tag for tag, _ in shown.elements} == {tag for tag, _ in clean.elements}
    assert len(shown.scripts) == 2
    assert not any(name.startswith("on") for _, attrs in shown.elements for name in attrs)
    assert " ".join(HOSTILE.split()) in shown.text
    assert any(HOSTILE in one.name for one in series_of(*shown.figures))


@of_speedups
def test_runs_of_two_kernels_are_told_before_any_number(tmp_path: Path) -> None:
    kernels = ({"os.kernel": "Linux 6.1"}, {"os.kernel": "Linux 6.2"})
    runs = [
        run(*(measurement(n, conditions=kernel) for n in SIZES), number=number)
        for number, kernel in enumerate(kernels, 1)
    ]
    shown = page(tmp_path, *runs)
    of_each = (KernelsOfOne("run 1", ("Linux 6.1",)), KernelsOfOne("run 2", ("Linux 6.2",)))
    said = KernelsDiffer(target="host", runs=of_each).text
    assert shown.text.index(said) < shown.text.index("break")
    assert "Linux 6.2" not in page(tmp_path, runs[0]).text


@of_speedups
def test_a_run_that_mixes_kernels_is_told_before_any_number(tmp_path: Path) -> None:
    mixed = [measurement(n, conditions={"os.kernel": f"Linux 6.{n}"}) for n in SIZES[:2]]
    shown = page(tmp_path, run(*mixed))
    kernels = tuple(one.conditions["os.kernel"] for one in mixed)
    assert shown.text.index(SeveralKernels(run=7, kernels=kernels).text) < shown.text.index("break")


def test_a_run_of_another_benchmark_or_without_measurements_says_so(tmp_path: Path) -> None:
    empty = page(tmp_path, run())
    assert "Run 7 has no measurement yet" in empty.text
    assert empty.scripts == []
    other = page(tmp_path, run(measurement(1000, benchmark=HOSTILE), parts=(Part(HOSTILE, {}),)))
    assert " ".join(UnknownBenchmark(benchmark=HOSTILE).text.split()) in other.text
    assert "T1 on one core" not in other.text


def test_it_says_how_it_was_measured_and_how_to_do_it_again(tmp_path: Path) -> None:
    shown = page(tmp_path, run(*both_modes(), url="socket://desk:4000", repetitions=2))
    assert "core 0: 36.0 ns (median of 160 empty pairs" in shown.text
    assert "core 1: 41.0 ns" in shown.text
    assert "Every answer includes it" in shown.text
    assert shown.row("chip") == ["chip", "Fictional M0+"]
    command = shlex.split(shown.source.split("<pre>")[1].split("\n")[0])
    assert command[:4] == ["intercore", "run", "host", "speedup"]
    assert set(command[4:6]) == {"n=1000,10000,100000,1000000", "mode=create,pool"}
    assert {"--opt=O2,O3", "--seed=5", "--repetitions=2", "--port=socket://desk:4000"} < set(command)
    assert "intercore export 7 --to samples.parquet" in shown.text


def test_a_clock_whose_rate_is_measured_at_each_start_is_one_clock(tmp_path: Path) -> None:
    rates = [2_596_089_151, 2_596_099_079, 2_596_093_918]
    counted = [
        msgspec.structs.replace(one, series=(*one.series, Series("counter.0", "counter", hz, np.arange(5))))
        for one, hz in zip(both_modes(), rates, strict=False)
    ]
    slow = msgspec.structs.replace(counted[0], series=(Series("counter.0", "counter", 48_000_000, np.arange(5)),))
    text = " ".join(page(tmp_path, run(*counted, slow)).text.split())
    assert "counter at 48,000,000 ticks per second, counter at 2,596,089,151 to 2,596,099,079 ticks per second" in text


def test_conditions_that_differ_between_runs_are_marked(tmp_path: Path) -> None:
    second = measurement(1000, conditions={"compiler.flags": "-O3"})
    shown = page(tmp_path, run(measurement(1000)), run(second, number=8))
    assert shown.row("compiler.flags") == ["compiler.flags", "-O2", "-O3"]
    assert '<tr class="disturbed"><th scope="row">compiler.<wbr>flags' in shown.source
    assert '<tr><th scope="row">chip' in shown.source


@of_speedups
def test_of_too_many_samples_the_outliers_are_drawn(tmp_path: Path) -> None:
    many = measurement(1000, samples=7000)
    many.samples("tp").ticks[1234] = 10**9
    shown = page(tmp_path, run(many))
    (strip,) = points_of(next(one for one in shown.figures if one.name == "every-repetition"))
    assert len(strip.y) == 6000
    assert any("repetition 1234\n" in text for text in strip.texts)
    assert "There are too many to draw" in shown.text


@of_speedups
def test_odd_samples_do_not_break_the_plots(tmp_path: Path) -> None:
    odd = measurement(1000)
    odd.samples("t1").ticks[:2] = (10, 11)
    odd.samples("tp").ticks[3:5] = (10, 10**17)
    assert len(page(tmp_path, run(odd, measurement(2000, samples=1))).figures) == 4


def test_no_run_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no run"):
        write_page([], tmp_path / "page.html")


@pytest.mark.parametrize("name", ["missing/page.html", "folder", "."])
def test_a_page_that_cannot_be_written_is_an_error_that_leaves_nothing_behind(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    before = sorted(os.listdir(tmp_path))  # noqa: PTH208 - names are compared
    with pytest.raises(IntercoreError, match="cannot write"):
        write_page([reports(run(measurement(1000)))], tmp_path / name)
    assert sorted(os.listdir(tmp_path)) == before  # noqa: PTH208


def test_a_page_that_fails_half_way_leaves_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "page.html"
    path.write_text("old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(IntercoreError, match="No space left on device"):
        write_page([reports(run(measurement(1000)))], path, force=True)
    assert path.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["page.html"]


@pytest.mark.measures("lock")
def test_a_note_of_one_target_stands_there_and_one_of_both_once(tmp_path: Path) -> None:
    def locked(number: int, target: str, mutex: str) -> Run:
        told = {"object.mutex": mutex, "spinlock": "polled"}
        setting: Mapping[str, Level] = {"measure": "contention", "lock": "mutex"}
        one = measurement(1, benchmark="lock", samples=0, conditions=told, factors=setting)
        return run(one, number=number, name="lock", parts=(Part("lock", {}),), target=target)

    text = page(tmp_path, locked(1, "a", "of a kernel"), locked(2, "b", "of POSIX")).text
    both = text.index("Both targets: how it was measured")
    first, second = text.index("Mutex: of a kernel."), text.index("Mutex: of POSIX.")
    assert first < text.index("b, run 2", first) < second < both < text.index("Spinlock: polled.")
    assert text.count("Spinlock: polled.") == text.count("Mutex: of a kernel.") == 1
    assert "Both targets" not in page(tmp_path, locked(1, "a", "of a kernel")).text


@of_speedups
def test_any_benchmark_may_say_something_of_all_runs_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def combined(said: Sequence[tuple[Run, Report]]) -> CombinedReport:
        numbers = [run.id for run, report in said if report.benchmark == "novel"]
        figure = Figure("novel", "Novel", "Drawn.", [Panel(Axis(), Axis(), [], 100)])
        return CombinedReport(
            title="All of them (novel)",
            heading="What is novel",
            label="SIMULATED",
            nothing={2: "Run 2 is not novel."},
            leads={1: Markup("<p>Run 1 is novel.</p>")},
            figures=[figure],
            reading=Markup("<p>Read it so.</p>"),
            note=Markup("There is <code>more</code>."),
            numbers=Markup("<p>Of runs {}.</p>").format(numbers),
        )

    found = registry.analysis
    novelty = Analysis(msgspec.Struct, lambda of: other.report(of, "novel"), combined=combined)
    monkeypatch.setattr(registry, "analysis", lambda name: novelty if name == "novel" else found(name))
    parts = (Part("novel", {}),)
    novel = [
        run(measurement(1, benchmark="novel"), number=number, name="novel", parts=parts, target=target)
        for number, target in ((1, "a"), (2, "b"))
    ]

    alone = page(tmp_path, *novel)
    assert "What is novel: a, b" in alone.text
    assert "Run 1 is novel." in alone.text
    assert "Run 2 is not novel." in alone.text
    assert "Read it so." in alone.text
    assert "All of them (novel) SIMULATED" in alone.text
    assert "Drawn. There is more." in alone.text
    assert "Of runs [1, 2]." in alone.text
    assert [figure.name for figure in alone.figures] == ["novel"]

    beside = page(tmp_path, *novel, run(*both_modes()))
    assert "All of them (novel)" in beside.text
    assert "Speed-up on several cores (speedup)" in beside.text
    names = [figure.name for figure in beside.figures]
    assert names[0] == "novel"
    assert "speedup-over-duration" in names
