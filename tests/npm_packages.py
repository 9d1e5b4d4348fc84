"""The scripts that make a page of the site move: packages of npm, pinned, and checked before use."""

import base64
import hashlib
import io
import json
import re
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path
from typing import NamedTuple

KEPT = Path(__file__).resolve().parent.parent / "build" / "npm"
HOST = "https://cdn.jsdelivr.net/npm/"  # publishes every package of npm, file by file
# By itself, npm would try for longer.
IN_A_MINUTE = ("--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--fetch-timeout=20000")
INSTALL = "install Node.js with npm; on Debian: sudo apt-get install npm"


class OutOfReach(Exception):
    """There is no npm, or it cannot fetch a package."""


class Script(NamedTuple):
    """One file of one version of a package; `integrity` is what npm's registry lists for it."""

    package: str
    version: str
    file: str
    integrity: str

    @property
    def address(self) -> str:
        """Where the public host has it."""
        return f"{HOST}{self.package}@{self.version}/{self.file}"


# By the names they have beside the pages. `npm view PACKAGE@VERSION dist.integrity` prints the sums.
SCRIPTS = {
    "require.js": Script(
        *("requirejs", "2.3.8", "require.js"),
        "sha512-7/cTSLOdYkNBNJcDMWf+luFvMriVm7eYxp4BcFCsAX0wF421Vyce5SXP17c+Jd5otXKGNehIonFlyQXSowL6Mw==",
    ),
    "embed-amd.js": Script(
        *("@jupyter-widgets/html-manager", "1.0.15", "dist/embed-amd.js"),
        "sha512-5thBIV6ymNgmPVOHvzx+gGy8ZSKmSazhtGw4/c4xJDVzRhG9PTeQsRjF3FUTopvFi//SABeNz1yp47bCrJ3CQA==",
    ),
    "anywidget.js": Script(  # of the series that requirements.txt has
        *("anywidget", "0.11.0", "dist/index.js"),
        "sha512-LHZgW2j5UjyerZSZcO+BtZPXGMSORQV2bUT480hOR5x/BXS8sOradi/71amJfMueSEnKX0dqPwTfsOGHTsyZpQ==",
    ),
}


def scripts() -> dict[str, bytes]:
    """What goes into the folder of scripts: each by its name, and licences.txt.

    Raises OutOfReach, or ValueError if a package is not the one that is pinned.
    """
    files, licences = {}, []
    for name, script in SCRIPTS.items():
        with tarfile.open(fileobj=io.BytesIO(tarball(script))) as archive:
            files[name] = read(archive, script.file)
            licences.append(licence(name, archive))
    return files | {"licences.txt": "\n\n".join(licences).encode()}


def tarball(script: Script) -> bytes:
    """The package that holds a script, as npm has it; fetched the first time, then kept in build/npm."""
    kept = KEPT / f"{script.package.replace('/', '+')}-{script.version}.tgz"
    if kept.exists():
        return checked(kept, script)
    KEPT.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=KEPT) as folder:
        found = fetch(f"{script.package}@{script.version}", Path(folder))
        content = checked(found, script)
        found.replace(kept)
    return content


def fetch(package: str, folder: Path) -> Path:
    """The file that npm makes of a package in `folder`; OutOfReach says why there is none."""
    npm = shutil.which("npm")
    if not npm:
        raise OutOfReach(f"npm is not installed ({INSTALL})")
    command = [npm, "pack", "--loglevel=error", "--pack-destination", ".", *IN_A_MINUTE, package]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        code = re.search(r"code (\S+)", done.stderr)
        raise OutOfReach(f"npm cannot fetch {package} ({code[1] if code else done.stderr.strip()})")
    (packed,) = folder.glob("*.tgz")
    return packed


def checked(file: Path, script: Script) -> bytes:
    """The content of a package; ValueError if it is not that of the pinned version."""
    content = file.read_bytes()
    integrity = "sha512-" + base64.b64encode(hashlib.sha512(content).digest()).decode()
    if integrity != script.integrity:
        raise ValueError(
            f"{script.package} {script.version} is not the package that tests/npm_packages.py pins.\n"
            f"expected {script.integrity}\ngot      {integrity}\n"
            "Delete the folder build/npm and try again; if this comes back, do not use the package."
        )
    return content


def licence(name: str, archive: tarfile.TarFile) -> str:
    """What the package of a script says about itself, and its licence where it brings one."""
    about = json.loads(read(archive, "package.json"))
    source = about["repository"]
    source = source if isinstance(source, str) else source["url"]
    told = f"{name}: {about['name']} {about['version']}, {about['license']}, {source}"
    has_text = "package/LICENSE" in archive.getnames()
    return f"{told}\n\n{read(archive, 'LICENSE').decode()}" if has_text else told


def read(archive: tarfile.TarFile, file: str) -> bytes:
    return archive.extractfile(f"package/{file}").read()
