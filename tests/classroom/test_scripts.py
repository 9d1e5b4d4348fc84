"""The scripts of web pages: packages of npm, and only those that are pinned."""

import tarfile
from io import BytesIO

import pytest

from helpers.classroom import scripts


def test_a_package_that_is_not_the_pinned_one_is_refused_and_not_kept(tmp_path, monkeypatch):
    def changed(package):
        (tmp_path / "npm").mkdir()
        with tarfile.open(tmp_path / "npm" / "requirejs-2.3.8.tgz", "w:gz") as archive:
            archive.addfile(tarfile.TarInfo("package/require.js"), BytesIO())

    monkeypatch.setattr(scripts, "KEPT", tmp_path / "npm")
    monkeypatch.setattr(scripts, "fetch", changed)
    with pytest.raises(ValueError, match="requirejs 2.3.8 is not the package that .* pins"):
        scripts.scripts()
    assert list((tmp_path / "npm").iterdir()) == []
