"""A family tree of models from 2014 to 2023: encoders, decoders, and how many parameters they have.

Each date is that of a paper or of a release; the two may lie months apart. A size that was never
published is given as "not published". A size of None for a published model means that this list
does not state one.
"""

from typing import NamedTuple

MILLION, BILLION, TRILLION = 10**6, 10**9, 10**12


class Model(NamedTuple):
    """One model, or one family of sizes.

    date        (year, month)
    name        as it is known
    maker       where it came from; "" if the list names nobody
    kind        "encoder", "decoder", "both" or "not published"
    parameters  (smallest, largest) number of parameters among its sizes; None if not stated
    phrase      what it is remembered for
    published   whether its size was published
    """

    date: tuple
    name: str
    maker: str
    kind: str
    parameters: tuple | None
    phrase: str
    published: bool = True

    @property
    def size(self):
        """Its parameters in words: "110M to 340M", "175B", "not published", or "not told here"."""
        if self.parameters is None:
            return "not told here" if self.published else "not published"
        return " to ".join(dict.fromkeys(map(short, self.parameters)))


def short(number):
    """12_000_000 → 12M: a number of parameters as papers write it."""
    for unit, letter in ((TRILLION, "T"), (BILLION, "B"), (MILLION, "M")):
        if number >= unit:
            return f"{number / unit:.3g}{letter}"
    return str(number)


def _m(smallest, largest=None):
    return (smallest * MILLION, (largest or smallest) * MILLION)


def _b(smallest, largest=None):
    return (round(smallest * BILLION), round((largest or smallest) * BILLION))


FAMILY_TREE = [
    Model((2014, 9), "Sutskever et al.", "Google", "both", _m(384), "recurrent, one vector for a sentence"),
    Model((2014, 9), "Bahdanau et al.", "", "both", None, "recurrent, additive attention"),
    Model((2017, 6), "Transformer", "Google", "both", _m(65, 213), "attention alone"),
    Model((2018, 6), "GPT", "OpenAI", "decoder", _m(117), "pretrain, then fine-tune"),
    Model((2018, 10), "BERT", "Google", "encoder", _m(110, 340), "fill the blank"),
    Model((2019, 2), "GPT-2", "OpenAI", "decoder", _m(124, 1500), "tasks without examples"),
    Model((2019, 7), "RoBERTa", "Facebook", "encoder", _m(125, 355), "no next-sentence task"),
    Model((2019, 10), "DistilBERT", "Hugging Face", "encoder", _m(66), "taught by a larger one"),
    Model((2019, 10), "T5", "Google", "both", _m(60, 11_000), "every task as text"),
    Model((2019, 10), "BART", "Facebook", "both", _m(140, 400), "repair a damaged text"),
    Model((2020, 5), "GPT-3", "OpenAI", "decoder", _b(175), "examples in the prompt"),
    Model((2020, 10), "ViT", "Google", "encoder", _m(86, 632), "patches for words"),
    Model((2021, 1), "Switch", "Google", "both", _b(1600), "sparse: many experts, one at work"),
    Model((2021, 4), "RoFormer", "Zhuiyi", "encoder", None, "rotary positions"),
    Model((2022, 3), "InstructGPT", "OpenAI", "decoder", _b(1.3, 175), "feedback of people"),
    Model((2022, 3), "Chinchilla", "DeepMind", "decoder", _b(70), "smaller, more text"),
    Model((2022, 4), "PaLM", "Google", "decoder", _b(540), "scale"),
    Model((2022, 7), "BLOOM", "BigScience", "decoder", _b(176), "open, ALiBi"),
    Model((2022, 11), "ChatGPT", "OpenAI", "decoder", None, "a conversation", published=False),
    Model((2023, 2), "LLaMA", "Meta", "decoder", _b(7, 65), "weights for research"),
    Model((2023, 3), "GPT-4", "OpenAI", "not published", None, "takes pictures", published=False),
    Model((2023, 9), "Mistral 7B", "", "decoder", _b(7.3), "sliding window"),
]  # fmt: skip
