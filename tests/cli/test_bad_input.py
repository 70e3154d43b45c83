"""What a user gets wrong: one sentence that helps, exit status 2 (1 if the words were right), and nothing changed."""

from __future__ import annotations

import os
import re
import shlex
import sqlite3
import uuid
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from intercore.cli.main import COMMANDS
from intercore.record.measurement import Part, Plan
from intercore.record.store import Store
from intercore.text import printable
from tests.cli.tool import Tool

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tests.cli.conftest import FakeBoard

RUN = ("run", "host", "speedup")
MISTYPED = ("nan", "inf", "1_000", "+5", "' 5'", "1e400", "0x10", "१२", "''", "five", "-1")
"""What no option takes for a number in its range, as typed in a shell."""
NUMBERS = {
    # the beginning of a command: (the option that a number is given to, what is named if it is out of range)
    "run host speedup": ("--timeout", "--repetitions", "--seed", "--baud", "--max-baud", "--efficiency"),
    "run host speedup --until 1%": ("--cap",),
    "sweep plan.toml": ("--jobs", "--patience"),
    "show 1": ("--efficiency",),
    "info host": ("--timeout",),
    "check b.toml host": ("--repetitions", "--timeout", "--baud"),
}
LONG = "x" * 5000
DIGITS = "9" * 5000

ASKED_WRONGLY = (
    *(
        (f"{begin} {option} {number}", option)
        for begin, options in NUMBERS.items()
        for option in options
        for number in MISTYPED
    ),
    # what is typed, and what the one sentence must contain: targets and benchmarks
    ("run hots speedup", "did you mean 'host'?"),
    ("run HOST speedup", "there is no target 'HOST'; did you mean 'host'?"),
    ("run pico_sim speedup", "did you mean 'pico-sim'?"),
    ("run STM32H745_sim switch", "did you mean 'stm32h745-sim'?"),
    ("run '' speedup", "there is no target ''"),
    ("run पिको speedup", "there is no target 'पिको'"),
    (f"run {LONG} speedup", ": host, pico-sim"),
    ("run '\x1b[2Jhost' speedup", "'�[2Jhost'; did you mean 'host'?"),
    ("run '\u202ehost' speedup", "'�host'; did you mean 'host'?"),
    ("run 'ho\u200bst' speedup", "'ho�st'; did you mean 'host'?"),
    ("run 'host\u2028' speedup", "'host�'; did you mean 'host'?"),
    ("run '\udcff' speedup", "there is no target '�'"),
    ("list seriell", "did you mean"),
    ("new workload Big-Name", "'Big-Name' cannot be the name of a workload"),
    ("new workload 3bad", "begin with a lower-case letter or an underscore, and use at most 16"),
    ("new wrokload fft", "new has no command 'wrokload'; did you mean 'workload'?"),
    (
        "info avr",
        ": host, pico-sim, pico-amp-sim, pico2-riscv-sim, stm32h745-sim, pico, pico-amp, pico2-riscv, stm32h745, "
        "esp32, esp32s3, esp32p4, esp32-qemu, serial",
    ),
    ("shell hos", "did you mean 'host'?"),
    ("report hots", "did you mean 'host'?"),
    ("compare hots 1", "did you mean 'host'?"),
    ("baseline save b.txt five", "the number of a stored run"),
    ("baseline sav b.txt", "baseline has no command 'sav'; did you mean 'save'?"),
    ("baseline 1", "intercore baseline save"),
    ("predict hots message size=5", "did you mean 'host'?"),
    ("trace hots switch", "did you mean 'host'?"),
    ("profile app.elf --seconds 0", "--seconds 0 is not between 0 and 3600"),
    ("validate pcio --port x", "did you mean 'pico'?"),
    ("validate pico", "give --port"),
    ("validate pico --port x --simulate-board 3", "give --port"),
    ("validate pico --simulate-board -1", "--simulate-board=-1 is out of range"),
    ("validate pico --port x --baud 1e3", "--baud"),
    ("import", "FILE"),
    ("validate pico --port x -o text.db", "text.db already exists and is not a file of intercore validate"),
    ("hunt app.elf --max-time -1", "--max-time -1 is not between 0 and 3600"),
    ("hunt app.elf --vary 0", "--vary 0 is not between 1 and 1,000,000"),
    ("hunt app.elf --seed 3", "--seed 3 is for --vary"),
    ("hunt app.elf --jobs 2", "--jobs 2 is for --vary"),
    ("hunt app.elf --vary 9 --jobs 0", "--jobs 0 is less than 1"),
    ("hunt app.elf --vary 9 --seed -1", "--seed -1 is not between 0 and"),
    ("hunt app.elf --timeline plan.toml", "--timeline plan.toml is a file, not a folder"),
    ("hunt app.elf --replay later", "later is not a deviation that --vary has printed, such as hold:core=1"),
    ("hunt app.elf --vary 9 --replay power-on:seed=1", "--vary and --replay: give one of them"),
    ("trace stm32h745-sim switch", "stm32h745-sim has no recorder"),
    ("trace esp32-qemu switch", "the recorder's code must not wait for flash: add code=iram"),
    ("trace pico-sim switch primitive=queue,mutex", "one level of primitive"),
    ("trace pico-sim switch trace=100", ": the nearest are 0"),
    ("run", "name a target and a benchmark, e.g. intercore run host speedup"),
    ("run host", "name a benchmark, e.g. intercore run host speedup"),
    ("run hots", "did you mean 'host'?"),
    ("run host spedup", "did you mean 'speedup'?"),
    ("run host ''", "there is no benchmark ''"),
    ("run host SUITE", "there is no benchmark 'SUITE'"),
    ("predict host spedup size=5", "irq, lock, message, speedup, switch"),
    ("build host", "there is no board 'host'"),
    ("flash picoo", "did you mean 'pico'?"),
    ("library platformio", "platformio"),
    ("library arduino -o plan.toml", "plan.toml already exists and is not a folder"),
    ("build pico -o plan.toml", "plan.toml is a file, not a folder"),
    ("rum host speedup", "there is no command 'rum'; did you mean 'run'?"),
    ("meters --format xml", "xml"),
    ("meters ppk2", "unexpected"),
    ("run host clock --meter ppk3:/dev/x", "did you mean 'ppk2'"),
    ("run host clock --meter typed:50?stp=1", "did you mean 'step'"),
    ("run host clock --meter typed: --path ship", "did you mean 'chip'"),
    ("run host clock --path chip", "--meter"),
    ("run host clock --meter place", "labgrid"),
    ("run host clock --currents no.toml", "simulated chip"),
    ("run pico-sim clock --currents no.toml", "no.toml"),
    ("run pico-sim clock --meter typed:", "no current"),
    ("doctor host pico", "unexpected extra argument"),
    ("suite", ": intercore run host suite"),
    ("clock --opt O2", "'clock' is a benchmark; to measure it, name a target: intercore run host clock"),
    ("pico-sim", "'pico-sim' is a target; to measure on it: intercore run pico-sim suite"),
    ("hots", "there is no command 'hots'; if you mean the target 'host': intercore run host suite"),
    ("swich", "if you mean the benchmark 'switch': intercore run host switch"),
    ("watch", "there is no command 'watch'"),
    (
        "run pico2 suite",
        "there is no target 'pico2': of the Raspberry Pi Pico 2 (RP2350) only the RISC-V cores are supported yet",
    ),
    ("run rp2350 suite", "only the RISC-V cores are supported yet"),
    ("list Pico-2W", "RP2350"),
    ("flash pico2", "RP2350"),
    ("build rp2350-amp", "RP2350"),
    ("run rp2040 suite", "use pico, or without a board"),
    ("run esp32c3 suite", "one main core"),
    ("run stm32h755 suite", "not supported yet"),
    ("xyzzy", "there is no command 'xyzzy'"),
    ("run host speedup --fast", "--fast"),
    # factors and levels
    ("run host speedup mod=pool", "did you mean 'mode'?"),
    ("run host speedup zzz=1", ", opt, trace"),
    ("run host speedup =5", "name=value"),
    ("run host speedup n", "name=value"),
    ("run host speedup n=", "name=value"),
    ("run host speedup n=1,,2", "name=value"),
    ("run host speedup n=10 n=20", "n is given twice"),
    ("run host speedup n=10,10", "n=10 is given 2 times"),
    ("run host speedup mode=pol", "did you mean 'pool'?"),
    ("run host speedup mode=pool,spn", "did you mean 'spin'?"),
    ("run host speedup mode=POOL", "pool"),
    ("run host speedup n=many", "a whole number"),
    ("run host speedup n=1.5", "a whole number"),
    ("run host speedup n=1e6", "a whole number"),
    ("run host speedup n=१२", "a whole number"),
    ("run host speedup n=1_000", "a whole number"),
    ("run host speedup n=+5", "a whole number"),
    ("run host speedup 'n= 5'", "a whole number"),
    ("run host speedup n=nan", "a whole number"),
    ("run host speedup 'n=\x1b[31m'", "a whole number"),
    (f"run host speedup n={'9' * 30}", "out of range"),
    (f"run host speedup n={DIGITS}", "a whole number"),
    ("run host speedup n=0", "n=0 is out of range: the target accepts 1 to"),
    ("run host speedup samples=-1", "samples=-1 is out of range"),
    ("run host speedup samples=999999999", "out of range"),
    ("run host speedup rest_ms=60001", "out of range: the target accepts"),
    (f"run host speedup cores={64 + (os.cpu_count() or 1)}00", "out of range: the target accepts"),
    ("run host speedup cores=0", "out of range: the target accepts"),
    (
        f"run host speedup n={','.join(map(str, range(1, 1200)))} samples={','.join(map(str, range(1, 1000)))}",
        "at most 1000000",
    ),
    ("run host suite n=10", "omit n"),
    ("run host suite code=flash", "host has no build factor 'code'"),
    ("run host speedup clock_mhz=48", "host has no build factor 'clock_mhz'"),
    ("run host speedup opt=O3 --opt O2", "opt is given twice"),
    ("run host speedup --opt O9", "O2, O3"),
    ("run host speedup --opt O2,fast", "fast"),
    ("run host speedup --opt O2,O2", "given 2 times"),
    ("run host speedup --opt ''", "O0, O1, O2, O3, Os, Ofast"),
    ("run pico-sim speedup clock_mhz=nan", "a whole number (48 to 133)"),
    ("run pico-sim speedup clock_mhz=१२५", "a whole number (48 to"),
    ("run pico-sim speedup clock_mhz=1_25", "a whole number (48 to"),
    ("run pico-sim speedup clock_mhz=1e400", "the nearest is 133"),
    ("run pico-sim speedup clock_mhz=500", "the nearest is 133"),
    ("build pico --clock-mhz १२५", "a whole number (48 to"),
    ("build pico --opt O9", "O2, O3"),
    ("build stm32h745 --code flash", "stm32h745 has no option --code"),
    ("run serial speedup --port socket://127.0.0.1:1 --opt O2", "--opt"),
    # numbers with a range of their own
    ("run host speedup --timeout 0", "--timeout=0 is out of range:"),
    ("run host speedup --repetitions 0", "--repetitions=0 is out of range"),
    ("run host speedup --repetitions 1000001", "--repetitions=1000001 is out of range"),
    ("run host speedup --seed 4294967296", "--seed=4294967296 is out of range:"),
    ("info serial --port /dev/ttyACM0 --baud 0", "--baud=0 is out of range"),
    ("info pico-sim --baud 99999999999", "--baud=99999999999 is out of range:"),
    ("run host speedup --efficiency 80", "--efficiency=80 is not a percentage: write 80% or 0.8"),
    ("show --efficiency 0", "above 0% and below 100%"),
    ("report --efficiency 1", "write 1% or 100%"),
    ("report --efficiency 100%", "above 0% and below 100%"),
    ("show --within 5", "write 5% or 0.05"),
    ("show --within=-0.1", "--within=-0.1 is out of range"),
    ("run pico-sim speedup --explain-worst", "--explain-worst cannot explain the samples of speedup: choose irq or"),
    ("run host irq --explain-worst", "intercore trace host irq"),
    ("run stm32h745-sim irq --explain-worst", "possible on pico-sim or pico-amp-sim"),
    ("run pico2-riscv-sim jitter --explain-worst", "possible on pico-sim or pico-amp-sim"),
    ("show --deadline soon", "must be a time such as 50us"),
    ("show --deadline=-1us", "--deadline=-1us is out of range"),
    ("show --rate often", "must be a rate such as 1kHz"),
    ("show --rate 2THz", "must be a rate such as 1kHz"),
    ("show --rate=0", "--rate=0 is out of range"),
    ("show --rate 2GHz", "--rate=2GHz is out of range"),
    ("show --idle 150%", "--idle=150% is out of range: it must be from 0% to 100%"),
    ("show --idle=-5%", "--idle=-5% is out of range"),
    (
        "report --efficiency high",
        "--efficiency must be a percentage such as 5%, or a fraction such as 0.05, not 'high'",
    ),
    ("report --where size", "is not a condition: write a factor"),
    ("report --where longest_us<=few", "<= compares numbers, but"),
    ("report --where size<=4", "run 1 has no factor 'size'"),
    ("report --where longest_us>999", "no measurement of run 1 has longest_us>999"),
    ("report --lines longest_us", "apply to curves"),
    ("report --axis n", "apply to curves"),
    ("report --exhibit seed-003-figur-4", "did you mean 'seed-003-figure-4'"),
    ("run host speedup --until 1", "such as 1%"),
    ("run host speedup --until much", "such as 1%"),
    ("run host speedup --until १%", "such as 1%"),
    ("run host speedup --until nan%", "such as 1%"),
    ("run host speedup --until 0%", "above 0%"),
    ("run host speedup --until 101%", "at most 100%"),
    ("run host speedup --cap 5", "--until"),
    ("run host speedup --until 1% --cap 2 --repetitions 3", "at least 3"),
    # ports
    ("run host speedup --port /dev/ttyACM0", "omit --port"),
    ("run stm32h745-sim speedup --port usb", "omit --port"),
    ("run pico-sim speedup --port USB0", "omit --port"),
    ("run serial speedup", "--port /dev/ttyACM0"),
    ("list serial", "--port /dev/ttyACM0"),
    ("shell serial", "--port /dev/ttyACM0"),
    ("info serial --port ''", "--port /dev/ttyACM0"),
    ("info serial --port carrier-pigeon://x", "'carrier-pigeon://' is not a known kind of port"),
    ("info serial --port socket://", "expected socket://HOST:PORT"),
    ("run serial speedup --port socket://h", "expected socket://HOST:PORT"),
    ("list serial --port socket://h:99999", "a port from 1 to 65535"),
    ("shell serial --port socket://h:१", "expected socket://HOST:PORT"),
    ("info pico --port socket://[::1:5", "expected socket://HOST:PORT"),
    ("info serial --port rfc2217://h:-1", "expected rfc2217://HOST:PORT"),
    ("info serial --port rfc2217://h:1?timeout=x", "expected rfc2217://<host>:<port>"),
    ("info serial --port 'hwgrep://('", "behind hwgrep://"),
    ("info serial --port loop://?logging=x", "behind loop://"),
    ("info serial --port labgrid://", "expected labgrid://PLACE"),
    ("info serial --port labgrid://x@", "expected labgrid://PLACE"),
    # faults and images
    ("run host speedup --fault reset@1e6", "--fault applies only to simulated targets"),
    ("run pico-sim speedup --fault nonsense", "--fault: unknown fault 'nonsense': expected uart-in"),
    ("run pico-sim speedup --fault flip=2", "--fault: unknown fault 'flip=2': expected uart-in"),
    ("run pico-sim speedup --fault uart-out:flip=2", "'2' is not a probability: give a number from 0 to 1"),
    ("run pico-sim speedup --fault uart-in:flip=nan", "'nan' is not a probability: give a number from 0 to 1"),
    ("run pico-sim speedup --fault reset@१", "--fault: 'reset@१' is not a fault"),
    ("run pico-sim speedup --fault ''", "--fault: unknown fault '': expected uart-in"),
    ("run pico-amp-sim suite --fault stuck:core=7@1", "there is no core 7"),
    ("run pico-sim speedup --image firmware.elf", "pico-sim"),
    ("run pico-sim speedup --emulated", "pico-sim"),
    ("run host speedup --emulated", "targets at a port:"),
    ("run --resume --emulated", "--emulated, or omit"),
    ("info pico-sim --image binary.bin", "pico-sim"),
    ("list host --image binary.bin", "image does not apply"),
    ("shell pico-amp-sim --image folder", "pico-amp-sim"),
    ("run esp32-qemu speedup opt=O2 --image binary.bin", "or omit --image"),
    # flashing
    ("flash stm32h745 --with opencod", "did you mean 'openocd'?"),
    ("flash stm32h745 --probe ';'", "is not the serial number of a debug probe"),
    ("flash pico --drive folder", "folder is not the boot drive of a Pico"),
    ("flash pico --port /dev/ttyACM0", "--port does not apply"),
    ("flash esp32", "--port"),
    ("flash esp32 --port /dev/ttyUSB0 --image binary.bin --opt O2", "--opt has no effect"),
    # stored runs
    ("show first", "run 1 has no benchmark 'first'"),
    ("show clock 1", "show takes one run, followed by its benchmarks"),
    ("show 1 clokc", "did you mean 'clock'?"),
    ("list host clokc", "did you mean 'clock'?"),
    ("doctor hots", "did you mean 'host'?"),
    ("show १", "the number of a stored run"),
    ("show 1_0", "the number of a stored run"),
    ("show 99", "there is no run 99"),
    ("show 0", "there is no run 0"),
    (f"show {'9' * 25}", "there is no run 999"),
    (f"show {DIGITS}", "the number of a stored run"),
    ("report 99", "there is no run 99"),
    (f"report {DIGITS}", "there is no target '999"),
    ("report pico", "no run of the target pico. To measure one:"),
    ("compare 1 99", "there is no run 99"),
    ("compare 1 १", "there is no target '१'"),
    ("compare", "nothing to compare: name two runs or targets"),
    ("compare 1", "there is nothing to compare run 1 with: name two runs or targets"),
    (f"compare {LONG} 1", "there is no target 'xxx"),
    ("compare folder/ 1", "cannot read folder: Is a directory"),
    ("compare binary.bin 1", "binary.bin:2: this line is not UTF-8 text"),
    ("compare text.db 1", "text.db:1: this file is not a baseline, because its first line does not begin with"),
    # budgets
    ("check", "BUDGETS"),
    ("check missing.toml host", "cannot read missing.toml: No such file or directory"),
    ("check 1 nul.toml", "1 is not a budget file; the budget file comes first: intercore check nul.toml 1"),
    ("check binary.bin host", "binary.bin:2: this line is not UTF-8 text"),
    ("check utf16.toml host", "utf16.toml:1: the file is UTF-16 text"),
    ("check digits.toml host", "thousands of digits"),
    ("check deep.toml host", ": the lists and tables in the file are nested"),
    ("check plan.toml host", "plan.toml:1: unknown key 'target'"),
    ("export", "RUN"),
    ("export 1", "--to"),
    ("export --to x.csv", "RUN"),
    ("export 99 --to x.csv", "there is no run 99"),
    ("export one --to x.csv", "the number of a stored run"),
    ("export 1 --to samples.xlsx", ".parquet or .csv"),
    ("export 1 --to samples", ".parquet or .csv"),
    ("export 1 --to ''", ".parquet or .csv"),
    ("predict host message", "the size of the message is missing"),
    ("predict host message size=nan", "size=nan is not a number of bytes"),
    ("predict host message size=१२", "size=१२ is not a number of bytes"),
    ("predict host message size=-1", "size=-1 is not a number of bytes"),
    ("predict host message size", "name=value"),
    ("predict host message size=300", "holds no times of message with measure=latency on host"),
    ("run --resume host speedup", "--resume"),
    ("run --resume --seed 9", "--seed, or omit"),
    ("run --resume", "nothing to resume"),
    ("show --store missing.db", "there is no store missing.db"),
    ("runs --store missing/x.db", "there is no store missing/x.db"),
    ("list --format xml", "'table', 'json', 'csv'"),
    ("show --format ''", "'table', 'json', 'csv'"),
    # plan files
    ("sweep", "PLAN"),
    ("sweep missing.toml", "cannot read missing.toml: No such file or directory"),
    ("sweep folder", "cannot read folder: Is a directory"),
    ("sweep binary.bin", "binary.bin:2: this line is not UTF-8 text"),
    ("sweep latin1.toml", "latin1.toml:2: this line is not UTF-8 text"),
    ("sweep utf16.toml", "utf16.toml:1: the file is UTF-16 text"),
    ("sweep empty.toml", "the plan has no target: add the line [[target]] and, below it, for example, name ="),
    ("sweep text.db", "text.db:1: TOML syntax error"),
    ("sweep nul.toml", "nul.toml:6: TOML syntax error"),
    ("sweep digits.toml", "thousands of digits"),
    ("sweep deep.toml", "than 100 levels"),
    ("sweep level.toml", "level.toml:5: n must be"),
    ("sweep marked.toml", "marked.toml:4: there is no benchmark 'spedup'; did you mean 'speedup'?"),
    ("sweep devanagari.toml", "devanagari.toml:5: n="),
    ("sweep nan.toml", "nan.toml:5: a level of n"),
    ("sweep budget.toml", "budget.toml:1: budget: '१ min' is"),
    ("sweep repetitions.toml", "repetitions.toml:1: repetitions"),
    ("sweep port.toml --no-estimate", "port.toml:3: cannot open socket://h:99999: expected socket://HOST:PORT"),
    ("sweep control.toml", "control.toml:3: port"),
    ("sweep image.toml", "image.toml:2: --image does"),
    ("sweep probe.toml", "probe.toml:3: there is no flashing tool"),
    ("sweep plan.toml --cluster tcp://h:8786", "is not a simulated chip, and --cluster"),
    ("sweep simulated.toml --cluster ''", "--cluster"),
    ("sweep plan.toml --cluster tcp://h:8786 --jobs 2", "--jobs applies to this machine only"),
)
"""Two columns: what is typed, and what the one sentence must contain. The exit status is 2."""

FAILING = (
    (
        "new workload fft -o nowhere",
        "cannot write nowhere/fft.c: there is no folder nowhere. Create it, or choose another path",
    ),
    ("import missing.json", "cannot read missing.json: No such file or directory"),
    ("import folder", "cannot read folder: Is a directory"),
    ("import binary.bin", "binary.bin is no file of intercore validate"),
    ("info serial --port /dev/ttyNOTHERE", "cannot open /dev/ttyNOTHERE: No such file or directory"),
    ("info serial --port folder", "cannot open folder: Is a directory"),
    ("info serial --port /dev/null", "cannot open /dev/null: it is not a serial port"),
    ("info serial --port binary.bin", "cannot open binary.bin: it is not a serial port"),
    ("run serial speedup --port socket://127.0.0.1:1", "cannot open socket://127.0.0.1:1: Connection refused"),
    (f"info serial --port /{LONG}", "File name too long"),
    ("flash esp32 --port /dev/null --image missing.bin", "cannot read missing.bin: No such file or directory"),
    ("flash esp32 --port /dev/null --image folder", "cannot read folder: Is a directory"),
    ("flash esp32 --port /dev/null --image binary.bin", "binary.bin was not flashed"),
    ("show --store folder", "folder: the path is a folder, so choose a file"),
    ("report --store ''", "the path is a folder, so choose a file"),
    ("runs --store text.db", "the file is not an Intercore store and was not changed"),
    ("show --store binary.bin", "the file is not an Intercore store and was not changed"),
    ("show --store other.db", "another application's database and was not changed"),
    ("show --store cut.db", "the file is damaged: restore it from a backup"),
    ("show --store flipped.db", "the check sum is wrong"),
    ("report --store flipped.db", "the check sum is wrong"),
    ("compare 1 1 --store flipped.db", "the check sum is wrong"),
    ("export 1 --to x.csv --store flipped.db", "the check sum is wrong"),
    ("show --store nontext.db", "the file is damaged: restore it from a backup"),
    ("runs --store tables.db", "the tables in the file are not those of an Intercore store"),
    (f"show --store {LONG}", "File name too long"),
    (
        "export 1 --to missing/x.csv",
        "cannot write missing/x.csv: there is no folder missing. Create it, or choose another path",
    ),
    ("library arduino -o missing/deep/x.zip", "missing/deep/x.zip"),
)
"""The same where the words are right and the machine is not: the exit status is 1."""

LIBRARY = re.compile(
    r"Traceback|[Ii]nvalid literal|not supported between|\bobject\b|NoneType|codec|Errno|Expected `|null byte|could not"
    r" convert|not a valid (int|float)|x>=|os error|<class|Exception|KeyError|out of bounds|Exceeds the limit|unpack"
)
"""Words of Python's and of libraries that no user of Intercore has to know."""
ONE_SCREEN = 24 * 80
PLAN = '[[target]]\nname = "host"\n[[experiment]]\nbenchmark = "speedup"\nfactors = { n = 10, mode = "pool" }\n'
AT_A_PORT = PLAN.replace('name = "host"', 'name = "serial"\nport = "socket://h:99999"')
FILES: Mapping[str, str | bytes] = {
    "binary.bin": bytes(range(256)) * 20,
    "text.db": "hello\n",
    "plan.toml": PLAN,
    "simulated.toml": PLAN.replace("host", "pico-sim"),
    "latin1.toml": PLAN.replace("host", "höst").encode("latin-1"),
    "utf16.toml": PLAN.encode("utf-16"),
    "marked.toml": PLAN.replace("speedup", "spedup").encode("utf-8-sig"),
    "empty.toml": "",
    "nul.toml": f"{PLAN}\0",
    "digits.toml": f"seed = {DIGITS}\n{PLAN}",
    "deep.toml": f"{PLAN}x = {'[' * 3000}{']' * 3000}",
    "level.toml": PLAN.replace("10", '"1_0"'),
    "devanagari.toml": PLAN.replace("10", '"१२"'),
    "nan.toml": PLAN.replace("10", "nan"),
    "budget.toml": f'budget = "१ min"\n{PLAN}',
    "repetitions.toml": f"repetitions = nan\n{PLAN}",
    "port.toml": AT_A_PORT,
    "control.toml": AT_A_PORT.replace("h:99999", "h\\u001b[2J:1"),
    "image.toml": PLAN.replace('name = "host"', 'name = "pico-sim"\nimage = "x.elf"'),
    "probe.toml": PLAN.replace('name = "host"', 'name = "stm32h745"\nport = "/dev/ttyACM0"\nwith = "opencod"'),
}


def contents(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir() if path.is_file()}


def sql(store: Path, *statements: str) -> None:
    with closing(sqlite3.connect(store)) as db, db:
        for statement in statements:
            db.execute(statement)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory, measured_store: Path) -> Tool:
    """The tool beside a store with a complete run, and files of which none is what a command needs."""
    directory = tmp_path_factory.mktemp("wrong")
    (directory / "folder").mkdir()
    for name, content in FILES.items():
        (directory / name).write_bytes(content.encode() if isinstance(content, str) else content)
    whole = measured_store.read_bytes()
    for name in ("intercore.db", "flipped.db", "nontext.db", "tables.db"):
        (directory / name).write_bytes(whole)
    (directory / "cut.db").write_bytes(whole[: len(whole) // 2])
    sql(directory / "flipped.db", "UPDATE measurements SET started = '2026-01-01' WHERE id = 1")
    sql(directory / "nontext.db", "UPDATE conditions SET json = CAST(x'7bff7d' AS TEXT)")
    sql(directory / "tables.db", "ALTER TABLE campaigns RENAME COLUMN plan TO plam")
    sql(directory / "other.db", "CREATE TABLE recipes (name TEXT)")
    return Tool(directory, uuid.uuid4().hex)


OF_SPEEDUP = re.compile(r"speedup|--efficiency|\.toml")
"""What is typed, or what must be answered, where the benchmark is the example; the plans above have it, too."""


def rows(table: tuple[tuple[str, str], ...], status: int) -> list[object]:
    return [
        pytest.param(
            typed,
            status,
            named,
            id=f"{status}-{number}-{printable(typed)[:60]}",
            marks=[pytest.mark.measures("speedup")] if OF_SPEEDUP.search(f"{typed} {named}") else [],
        )
        for number, (typed, named) in enumerate(table)
    ]


@pytest.mark.parametrize(("typed", "status", "named"), [*rows(ASKED_WRONGLY, 2), *rows(FAILING, 1)])
def test_what_is_wrong_gets_a_sentence_that_helps_and_changes_nothing(
    desk: Tool, typed: str, status: int, named: str
) -> None:
    before = contents(desk.directory)
    result = desk.here(*shlex.split(typed)).failed(status)
    assert named in result.error
    assert not LIBRARY.search(result.err)
    assert len(result.err) < ONE_SCREEN
    assert result.err.count("\n") == 1
    assert result.err.rstrip("\n").isprintable()
    assert contents(desk.directory) == before


def test_the_table_is_as_long_as_promised() -> None:
    typed = [typed for typed, _ in (*ASKED_WRONGLY, *FAILING)]
    assert len(typed) == len(set(typed)) >= 150


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_its_rows(command: str) -> None:
    assert any(shlex.split(typed)[:1] == [command] for typed, _ in (*ASKED_WRONGLY, *FAILING))


@pytest.mark.parametrize(
    "words",
    [
        ("run", "hots", "clock"),
        ("run", "host", "clokc"),
        (*RUN, "samples=0"),
        (*RUN, "--opt", "O9"),
        ("run", "serial", "clock"),
        ("run", "--resume"),
        ("run", "--resume", "host"),
        ("show",),
        ("runs",),
        ("report",),
        ("export", "1", "--to", "x.csv"),
    ],
    ids=" ".join,
)
def test_a_command_that_is_refused_leaves_no_store_behind(tool: Tool, words: tuple[str, ...]) -> None:
    tool.here(*words).failed(2)
    assert contents(tool.directory) == {}


@pytest.mark.parametrize("words", [("show",), ("runs",), ("report",), ("export", "1", "--to", "x.csv")], ids=" ".join)
def test_without_a_store_the_sentence_says_how_to_get_one(tool: Tool, words: tuple[str, ...]) -> None:
    assert "measure something first, e.g. intercore run host speedup" in tool.here(*words).failed(2).error


def test_the_program_says_what_its_fork_says_and_a_command_in_this_process(measured: Tool) -> None:
    """All the other tests here use one of these."""
    for words in (("run", "hots", "speedup"), ("show", "99"), ("list", "--format", "xml"), ("frob",)):
        assert measured.program(*words) == measured(*words) == measured.here(*words)


def test_a_machine_that_refuses_is_named(measured: Tool, board: FakeBoard) -> None:
    board.close()
    result = measured("run", "serial", "example", "--port", board.url, "mode=pool").failed(1)
    assert f"cannot open {board.url}: Connection refused" in result.error


# Options that --resume would have to ignore


@pytest.mark.parametrize(
    "option",
    [("--opt", "O3"), ("--seed", "9"), ("--repetitions", "5"), ("--until", "1%"), ("--cap", "5")],
    ids=" ".join,
)
def test_resume_refuses_what_would_change_the_plan(tool: Tool, option: tuple[str, str]) -> None:
    with Store(tool.store) as store:
        store.create_run(Plan("host", None, "speedup", (Part("speedup", {"n": [10], "opt": ["O2"]}),)), 1)
    assert option[0] in tool("run", "--resume", *option).failed(2).error
    with Store(tool.store) as store:
        assert not store.run().measurements


def test_resume_of_a_run_of_the_host_refuses_a_port(tool: Tool) -> None:
    with Store(tool.store) as store:
        store.create_run(Plan("host", None, "speedup", (Part("speedup", {"n": [10], "opt": ["O2"]}),)), 1)
    assert "--port" in tool("run", "--resume", "--port", "/dev/ttyACM0").failed(2).error


# Where the results go


def test_a_page_that_cannot_be_written_is_an_error(measured: Tool) -> None:
    result = measured("report", "-o", "missing/page.html").failed(1)
    assert "cannot write missing/page.html: there is no folder missing" in result.error


def test_samples_that_cannot_be_written_are_an_error(measured: Tool) -> None:
    result = measured("export", "1", "--to", "missing/samples.csv").failed(1)
    assert "cannot write missing/samples.csv: there is no folder missing" in result.error
    assert ".partial" not in result.error


@pytest.mark.parametrize("words", [("report", "-o"), ("export", "1", "--to")], ids=" ".join)
def test_a_folder_is_no_place_for_a_file(measured: Tool, words: tuple[str, ...]) -> None:
    (measured.directory / "folder.csv").mkdir()
    assert "folder.csv" in measured(*words, "folder.csv").failed(1).error
    assert {path.name for path in measured.directory.iterdir()} == {"intercore.db", "folder.csv"}


@pytest.mark.parametrize("words", [("report", "-o"), ("export", "1", "--to")], ids=" ".join)
def test_a_device_is_not_replaced_by_a_file(measured: Tool, words: tuple[str, ...]) -> None:
    """As root, `-o /dev/null` would take /dev/null away from the whole machine."""
    device = measured.directory / "device.csv"
    os.mkfifo(device)
    result = measured(*words, "device.csv")
    assert device.is_fifo()
    assert "device.csv" in result.failed(1).error


@pytest.mark.parametrize(
    ("store", "words"),
    [
        pytest.param("speedups", ("report", "-o", "page.html"), marks=pytest.mark.measures("speedup"), id="a page"),
        pytest.param("measured", ("export", "1", "--to", "x.csv"), id="samples"),
    ],
)
def test_a_file_that_may_not_grow_is_an_error_and_leaves_the_old_one(
    request: pytest.FixtureRequest, store: str, words: tuple[str, ...]
) -> None:
    tool: Tool = request.getfixturevalue(store)
    old = tool.directory / words[-1]
    old.write_text("old")
    result = tool(*words, "--force", file_limit=60_000).failed(1)
    assert words[-1] in result.error
    assert old.read_text() == "old"
    assert {path.name for path in tool.directory.iterdir()} == {"intercore.db", words[-1]}


def test_a_page_that_cannot_be_written_does_not_cost_the_run(tool: Tool) -> None:
    words = ("from=0", "to=0", "longest_us=1,2,3", "samples=2", "--format", "json", "--report", "missing/page.html")
    result = tool("run", "host", "clock", "--repetitions", "1", *words)
    assert result.status in {1, 2}
    assert "missing/page.html" in result.error
    if tool.store.exists():  # it was not refused before it began
        assert tool("runs", "--format", "json").succeeded().json[0]["done"] == 3


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")  # noqa: PTH110
@pytest.mark.parametrize("words", [("list",), ("list", "--format", "json"), ("runs", "--format", "csv")], ids=" ".join)
def test_output_to_a_full_disk_is_an_error_and_not_a_traceback(measured: Tool, words: tuple[str, ...]) -> None:
    with open("/dev/full", "w") as full:  # noqa: PTH123
        done = measured.program_to(full, *words)
    assert "Traceback" not in done.err
    assert "Exception ignored" not in done.err
    assert done.status == 1
    assert "No space left on device" in done.err


def test_a_reader_that_leaves_early_is_no_error(measured: Tool) -> None:
    receiver, sender = os.pipe()
    os.close(receiver)
    with os.fdopen(sender, "w") as closed:
        done = measured.program_to(closed, "show", "--format", "json")
    assert done.err == ""
