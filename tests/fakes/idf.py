"""Stands for idf.py: `--version`, and `build` of our project for any of the chips, with the files that ESP-IDF leaves.

FAKE_IDF says how it behaves, FAKE_LOG names a file to which each call is added as a line of JSON.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.fakes import esp_images as images

BEHAVIOUR = os.environ.get("FAKE_IDF", "")
VERSIONS = {"old": "ESP-IDF v5.4.2", "next": "ESP-IDF v6.0-beta1-12-gabcdef", "mute": "", "odd": "idf 5.5"}


def main() -> int:
    words = sys.argv[1:]
    if words == ["--version"]:
        print(VERSIONS.get(BEHAVIOUR, "ESP-IDF v5.5.1"))
        if BEHAVIOUR == "inactive":
            print("ERROR: The following Python requirements are not satisfied", file=sys.stderr)
        return 2 if BEHAVIOUR == "inactive" else 0
    defines = dict(word[2:].split("=", 1) for word in words if word.startswith("-D"))
    project, build = Path(words[words.index("-C") + 1]), Path(words[words.index("-B") + 1])
    wanted = [Path(name) for name in defines["SDKCONFIG_DEFAULTS"].split(";")][-1].read_text()
    with Path(os.environ["FAKE_LOG"]).open("a") as log:
        call = {"defines": defines, "wanted": wanted.split(), "words": words, "IDF_TARGET": os.environ["IDF_TARGET"]}
        log.write(json.dumps({"program": "idf.py", **call}) + "\n")
    assert (project / "CMakeLists.txt").is_file()
    assert (project.parents[1] / "core" / "run.c").is_file(), "the sources are there as a whole"
    chip = defines["IDF_TARGET"]
    assert chip == os.environ["IDF_TARGET"]
    for step in range(1, 41):
        print(f"[{step}/40] Building C object esp-idf/main/x{step}.c.obj")
    if BEHAVIOUR == "hangs":
        time.sleep(600)
    if BEHAVIOUR == "fails":
        print("FAILED: esp-idf/intercore/run.c.obj")
        print("/x/run.c:12:5: error: 'foo' undeclared (first use in this function)")
        print("\n".join(f"noise {n}" for n in range(1000)))
        print("ninja failed with exit code 1, output of the command is in the build folder")
        return 2
    taken = wanted.replace("CONFIG_INTERCORE_CODE_IRAM=y\n", "") if BEHAVIOUR == "forgets" else wanted
    lines = [f"# {line[:-2]} is not set" if line.endswith("=n") else line for line in taken.splitlines()]
    Path(defines["SDKCONFIG"]).write_text("\n".join(["#", "CONFIG_IDF_TARGET_X=y", *lines]) + "\n")
    leave(build, "esp32s3" if BEHAVIOUR == "other" else chip, wanted)
    return 0


def leave(build: Path, chip: str, wanted: str) -> None:
    """Leave what a build leaves."""
    (build / "bootloader").mkdir(parents=True)
    (build / "partition_table").mkdir()
    names = {images.TABLE: "partition_table/partition-table.bin", images.APP: "intercore.bin"}
    files = {offset: names.get(offset, "bootloader/bootloader.bin") for offset in images.parts(chip)}
    for offset, data in images.parts(chip, program=wanted.encode()).items():
        (build / files[offset]).write_bytes(data)
    (build / "intercore.elf").write_bytes(images.elf())
    args = {"flash_files": {hex(offset): name for offset, name in files.items()}, "extra_esptool_args": {"chip": chip}}
    if BEHAVIOUR == "escapes":
        args["flash_files"]["0x110000"] = "../../../../etc/passwd"
    (build / "flasher_args.json").write_text("{" if BEHAVIOUR == "scribbles" else json.dumps(args))


if __name__ == "__main__":
    sys.exit(main())
