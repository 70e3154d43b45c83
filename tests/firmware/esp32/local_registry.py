"""Makes a folder from which the component manager takes packed components as from a registry. Run by its own Python.

The words are the archive, the folder, and the component's name with its namespace.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

from idf_component_manager.core import ManifestManager
from idf_component_tools.archive_tools import unpack_archive
from idf_component_tools.hash_tools.calculate import hash_dir
from idf_component_tools.hash_tools.checksums import ChecksumsManager

archive, folder, name = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
namespace, short = name.split("/")
unpacked = folder / "unpacked"
unpack_archive(str(archive), str(unpacked))
ChecksumsManager(unpacked).dump(folder)
(checksums,) = (path.name for path in folder.iterdir() if path.is_file())
shutil.copy(archive, folder / archive.name)
manifest = ManifestManager(str(unpacked), short).load()
dependencies = [{"source": "idf", "name": "idf", "spec": one.version_spec} for one in manifest.requirements]
version = {
    "version": str(manifest.version),
    "component_hash": hash_dir(str(unpacked)),
    "dependencies": dependencies,
    "targets": manifest.targets,
    "url": archive.name,
    "checksums": checksums,
    "docs": {},
    "examples": [],
    "license": None,
}
listed = folder / "components" / namespace / f"{short}.json"
listed.parent.mkdir(parents=True)
listed.write_text(json.dumps({"name": short, "namespace": namespace, "versions": [version]}))
