"""The rooms of helpers/, and which other rooms each of them may import. Arrows go one way."""

import ast
from pathlib import Path

import pytest

HELPERS = Path(__file__).resolve().parent.parent / "helpers"

FOR_ALL = {
    "_",
    "plural",
    "LANGUAGE",
    "catalogue",
    "TRANSLATIONS",
    "MESSAGES",
    "PROGRESS",
    "title_of",
}
ROOMS = {  # a module or package of helpers → those that it may import
    "tools": set(),
    "data": set(),
    "models": {"tools"},
    "pictures": set(),
    "explorer": {"pictures", "tools"},
    "inside": {"explorer", "pictures"},
    "judge": {"pictures"},
    "exercises": {"models", "data", "judge"},
    "checks": {"exercises", "explorer", "judge"},
    "classroom": {"exercises", "data"},
}


def files_of(room):
    package = HELPERS / room
    return sorted(package.rglob("*.py")) if package.is_dir() else [HELPERS / f"{room}.py"]


def imported(path, source):
    """The rooms that a file of helpers imports."""
    package = ["helpers", *path.relative_to(HELPERS).parts[:-1]]
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name.split(".") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = base + (node.module.split(".") if node.module else [])
            names = [[*module, alias.name] for alias in node.names]
        else:
            continue
        found |= {name[1] for name in names if name[0] == "helpers" and len(name) > 1}
    return found - FOR_ALL


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_what_it_may_and_nothing_else(room):
    used = set()
    for path in files_of(room):
        found = imported(path, path.read_text(encoding="utf-8")) - {room}
        beyond = found - ROOMS[room]
        assert not beyond, f"{path.relative_to(HELPERS)} imports {', '.join(sorted(beyond))}"
        used |= found
    assert used == ROOMS[room], "what is in the table and not imported goes"


def test_every_room_is_in_the_table_and_the_arrows_go_one_way():
    there = {path.stem for path in HELPERS.iterdir() if not path.name.startswith("__")}
    assert there == ROOMS.keys()
    above = set()
    for room, allowed in ROOMS.items():
        assert allowed <= above, room
        above.add(room)
