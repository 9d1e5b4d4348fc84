"""The other Pythons on this computer: `make test-all` runs unit tests and notebooks on each, as

    python -m tests.tools.other_pythons 3.14 3.13 3.12 3.11

does. Each has an environment of its own in build/, which is reused until the requirements change.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

# On some systems the module that creates environments is a separate package; it is needed here.
ASK = "import ensurepip, sys; print('%d.%d' % sys.version_info[:2])"


def find_python(version: str) -> str | None:
    """The path of this Python, such as "3.12": on the PATH, else the newest of pyenv's; or None."""
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    releases = [
        path
        for path in pyenv.glob("versions/*")
        if re.fullmatch(rf"{re.escape(version)}\.\d+", path.name)
    ]
    releases.sort(key=lambda path: int(path.name.rpartition(".")[2]), reverse=True)
    candidates = [shutil.which(f"python{version}"), *(path / "bin" / "python" for path in releases)]
    return next((str(path) for path in candidates if path and says(path) == version), None)


def says(python) -> str:
    """The version that it reports; "" if it does not start, or cannot create environments."""
    try:
        asked = subprocess.run([python, "-c", ASK], capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return asked.stdout.strip()


def main(versions: list[str]) -> None:
    """Run `make test-python` on each one that exists, and on all of them even if one fails."""
    own = f"{sys.version_info.major}.{sys.version_info.minor}"
    found = {version: find_python(version) for version in versions if version != own}
    there = [f"{version} ({path})" for version, path in found.items() if path]
    lacking = [version for version, path in found.items() if not path]
    print(
        f"Other Pythons than {own}: {', '.join(there) or 'none'};",
        f"not found: {', '.join(lacking) or 'none'}.",
        flush=True,
    )
    failed = []
    for version, path in found.items():
        told = [f"PYTHON={path}", f"VENV=build/python{version}"]
        if path and subprocess.run(["make", "test-python", *told]).returncode:
            failed.append(version)
    sys.exit(f"Red on Python {', '.join(failed)}." if failed else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
