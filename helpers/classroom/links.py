"""Where a notebook runs with nothing to install: links of this repository to Binder and Colab."""

import re
import subprocess

from .series import ROOT
from .translated import pages_in

GITHUB = re.compile(
    r"(?:https?://(?:[^/@]*@)?|ssh://git@|git@)github\.com(?::\d+)?[:/]+([^/]+/[^/]+?)(?:\.git)?/*"
)
BRANCH = "colab"  # where the workflow "pages" puts the copies that colab.py makes


def repository() -> str:
    """owner/name on GitHub, from the remote "origin"; "" if there is none."""
    found = GITHUB.fullmatch(from_git("remote", "get-url", "origin"))
    return found[1] if found else ""


def from_git(*asked: str) -> str:
    """The output of git in this folder; "" if there is no git, or it reports an error."""
    try:
        told = subprocess.run(["git", *asked], cwd=ROOT, capture_output=True, text=True)
    except OSError:
        return ""
    return told.stdout.strip() if told.returncode == 0 else ""


def github(repository: str, language: str = "en") -> str:
    """The page on GitHub that explains how to run the series on one's own computer."""
    page = "#start" if language == "en" else f"/blob/HEAD/docs/README.{language}.md"
    return f"https://github.com/{repository}{page}"


def binder(repository: str, name: str, language: str = "en") -> str:
    """The link that opens a notebook on mybinder.org: an original, or a copy from postBuild."""
    folder = "notebooks" if language == "en" else pages_in("my_notebooks", language)
    return f"https://mybinder.org/v2/gh/{repository}/HEAD?urlpath=lab/tree/{folder}/{name}.ipynb"


def colab(repository: str, name: str, language: str = "en") -> str:
    """The link that opens a notebook's copy in Colab."""
    folder = pages_in(BRANCH, language)
    return f"https://colab.research.google.com/github/{repository}/blob/{folder}/{name}.ipynb"
