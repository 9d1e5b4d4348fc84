"""Where the notebooks run with nothing to install."""

import pytest

from helpers.classroom import links


@pytest.mark.parametrize(
    "remote, wanted",
    [
        ("https://github.com/ada/attention-notebooks", "ada/attention-notebooks"),
        ("https://ada:secret@github.com/ada/attention.git", "ada/attention"),
        ("git@github.com:ada/attention.git", "ada/attention"),
        ("ssh://git@github.com:22/ada/attention/", "ada/attention"),
        ("https://gitlab.com/ada/attention.git", ""),
        ("https://github.com/ada", ""),
        ("", ""),
    ],
)
def test_the_repository_is_what_the_workflow_or_the_remote_says(monkeypatch, remote, wanted):
    monkeypatch.delenv("GITHUB_REPOSITORY", raising=False)
    monkeypatch.setattr(links, "from_git", lambda *asked: remote)
    assert links.repository() == wanted
    monkeypatch.setenv("GITHUB_REPOSITORY", "grace/fork")
    assert links.repository() == "grace/fork"
