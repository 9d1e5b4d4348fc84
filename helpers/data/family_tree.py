"""A family tree of models from 2014 to 2023: encoders, decoders, and how many parameters they have.

Each date is that of a paper or of a release; the two may lie months apart. A size that was never
published is given as "not published"; "not told here" is one that this list does not state.
"""

from typing import NamedTuple


class Model(NamedTuple):
    """One model, or one family of sizes.

    date    (year, month)
    name    as it is known
    kind    "encoder", "decoder", "both" or "not published"
    size    how many parameters it has, in words, or the smallest and the largest of its sizes
    phrase  what it is remembered for
    """

    date: tuple
    name: str
    kind: str
    size: str
    phrase: str


FAMILY_TREE = [
    Model((2014, 9), "Sutskever et al.", "both", "384M", "recurrent, one vector for a sentence"),
    Model((2014, 9), "Bahdanau et al.", "both", "not told here", "recurrent, additive attention"),
    Model((2017, 6), "Transformer", "both", "65M to 213M", "attention alone"),
    Model((2018, 6), "GPT", "decoder", "117M", "pretrain, then fine-tune"),
    Model((2018, 10), "BERT", "encoder", "110M to 340M", "fill the blank"),
    Model((2019, 2), "GPT-2", "decoder", "124M to 1.5B", "tasks without examples"),
    Model((2019, 7), "RoBERTa", "encoder", "125M to 355M", "no next-sentence task"),
    Model((2019, 10), "DistilBERT", "encoder", "66M", "taught by a larger one"),
    Model((2019, 10), "T5", "both", "60M to 11B", "every task as text"),
    Model((2019, 10), "BART", "both", "140M to 400M", "repair a damaged text"),
    Model((2020, 5), "GPT-3", "decoder", "175B", "examples in the prompt"),
    Model((2020, 10), "ViT", "encoder", "86M to 632M", "patches for words"),
    Model((2021, 1), "Switch", "both", "1.6T", "sparse: many experts, one at work"),
    Model((2021, 4), "RoFormer", "encoder", "not told here", "rotary positions"),
    Model((2022, 3), "InstructGPT", "decoder", "1.3B to 175B", "feedback of people"),
    Model((2022, 3), "Chinchilla", "decoder", "70B", "smaller, more text"),
    Model((2022, 4), "PaLM", "decoder", "540B", "scale"),
    Model((2022, 7), "BLOOM", "decoder", "176B", "open, ALiBi"),
    Model((2022, 11), "ChatGPT", "decoder", "not published", "a conversation"),
    Model((2023, 2), "LLaMA", "decoder", "7B to 65B", "weights for research"),
    Model((2023, 3), "GPT-4", "not published", "not published", "takes pictures"),
    Model((2023, 9), "Mistral 7B", "decoder", "7.3B", "sliding window"),
]
