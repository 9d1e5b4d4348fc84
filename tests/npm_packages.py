"""Answers the public addresses of a page's scripts from the real packages of npm, kept in build/npm."""

import re
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

from make_site import NPM

KEPT = Path(__file__).resolve().parent.parent / "build" / "npm"
ADDRESS = re.compile(re.escape(NPM) + r"((?:@[^/]+/)?[^/@]+@[^/]+)/([^?#]+)(?:[?#].*)?")
NO_NPM = (
    "The site's test takes the scripts of its pages from npm, which is not installed."
    " Install Node.js with npm; on Debian: sudo apt-get install npm; then run make test again."
)


def file_at(address: str) -> Path:
    """The file of an npm package that a public address names; LookupError if there is none."""
    found = ADDRESS.fullmatch(address)
    if not found:
        raise LookupError(f"{address} names no package of npm")
    file = package(found[1]) / found[2]
    if not file.is_file():
        raise LookupError(f"{found[1]} has no file {found[2]}")
    return file


def package(spec: str) -> Path:
    """The folder that holds the package `name@version`, fetched the first time.

    Raises LookupError with npm's own words if there is none, or no npm.
    """
    folder = KEPT / spec.replace("/", "+")
    if not folder.exists():
        if not shutil.which("npm"):
            raise LookupError(NO_NPM)
        KEPT.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=KEPT) as fetched:
            command = ["npm", "pack", "--silent", "--pack-destination", fetched, spec]
            done = subprocess.run(command, cwd=fetched, capture_output=True, text=True, timeout=300)
            if done.returncode:
                raise LookupError(f"npm pack {spec}: {done.stdout}{done.stderr}")
            with tarfile.open(next(Path(fetched).glob("*.tgz"))) as archive:
                archive.extractall(fetched, filter="data")
            keep(Path(fetched) / "package", folder)
    return folder


def keep(fetched: Path, folder: Path) -> None:
    """Move a package to where it stays, unless another process was faster."""
    try:
        fetched.rename(folder)
    except OSError:
        if not folder.exists():
            raise
