"""How far a learner is."""

from .. import _


class Progress:
    """How far you are in some notebooks; as a cell's last line it shows it.

    notebooks  number → the names of all exercises and predictions in it
    done       the names of those that have been right once
    open       the names of all others, tried or not
    says       {name: what its check said last}, of those that were tried
    """

    def __init__(self, notebooks, done, said):
        names = [name for those in notebooks.values() for name in those]
        self.notebooks = notebooks
        self.done = [name for name in names if name in done]
        self.open = [name for name in names if name not in done]
        self.says = {name: said[name] for name in names if name in said}

    def __repr__(self):
        lines = []
        for number, names in self.notebooks.items():
            done = sum(name in self.done for name in names)
            counts = {"notebook": f"{number:02}", "done": done, "all": len(names)}
            lines.append(_("Notebook {notebook}: {done} of {all} done", **counts))
            for name in names:
                state = _("tried") if name in self.says else _("open")
                state = _("done") if name in self.done else state
                lines.append(f"  {state:<5}  {name.replace('_', ' ')}")
        return "\n".join(lines) or _("Nothing tried yet: run a check, then ask again.")
