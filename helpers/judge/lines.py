"""What the judge has to say, as keys with fields: the words for them come from whoever asks it."""

from dataclasses import dataclass, field


class Line:
    """A sentence by its key in the catalogue, and what goes into its {fields}."""

    def __init__(self, key, **fields):
        self.key, self.fields = key, fields

    def __eq__(self, other):
        return isinstance(other, Line) and (self.key, self.fields) == (other.key, other.fields)

    __hash__ = None


@dataclass
class Words:
    """The words of one language.

    says      key of a Line → the sentence, with {fields}
    mistakes  id of a mistake → its "name", "symptom" and "hint", and what to "reread": the number
              of a notebook, and a heading in it; "reread_in": exercise → another such place
    """

    says: dict = field(default_factory=dict)
    mistakes: dict = field(default_factory=dict)

    def text(self, said):
        """A Line, a list of them or anything else, in words. KeyError for a key with no words."""
        if isinstance(said, list):
            return ", ".join(self.text(part) for part in said)
        if isinstance(said, Line):
            fields = {name: self.text(value) for name, value in said.fields.items()}
            return self.says[said.key].format(**fields)
        return str(said)
