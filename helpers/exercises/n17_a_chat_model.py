"""The exercises and predictions of notebook 17: four bits, rows of heads, a chat, a lens."""

import numpy as np
import torch
from torch import nn

from .. import _
from ..judge.comparing import Remark
from ..judge.exercise import Case, wave
from ..judge.running import Unfinished, WrongKind
from .notebook import Notebook
from .small_models import filled

notebook = Notebook(__name__)


def block(count, seed):
    """(scale, minimum, pairs) of some blocks, as in a file: pairs are 16 bytes each."""
    dice = torch.Generator().manual_seed(seed)
    pairs = torch.randint(256, (count, 16), dtype=torch.uint8, generator=dice)
    scale, minimum = wave(count, 1, seed=seed).abs() / 8 + 0.05, wave(count, 1, seed=seed + 1) - 1
    return scale, minimum, pairs


notebook.predict(
    "bytes of a block",
    _("How many bytes does a block of 32 weights take?"),
    answer=20,
    why=_("Two bytes each for the scale and the minimum, and half a byte for each of 32 weights."),
    hint=_("The scale and the minimum are float16. How many bits has a byte?"),
    words=(16, 20, 36, 128),
    wrong=[
        (16, _("That is what the 32 weights take. What else does a block hold?")),
        (36, _("A byte holds two weights of four bits.")),
        (128, _("That would be 32 weights of float32.")),
    ],
)


@notebook.ask(
    _("dequantised(scale, minimum, pairs): the weights of each block, (blocks, 32)."),
    returns="weights",
    trains=False,
    cases=[
        Case(_("one block"), *block(1, 0)),
        Case(_("3 blocks"), *block(3, 1)),
        Case(_("as many blocks as bytes"), *block(16, 2)),
    ],
    reread="What is in the file",
    mistakes={
        "neighbours_from_a_byte": "cat([low, high], dim=1) → stack([low, high], dim=-1).flatten(1)",
        "high_half_first": "[low, high] → [high, low]",
        "high_half_not_shifted": "pairs >> 4 → pairs & 240",
        "minimum_scaled_too": "numbers * scale + minimum → (numbers + minimum) * scale",
        "minimum_left_out": "numbers * scale + minimum → numbers * scale",
        "minimum_subtracted": "scale + minimum → scale - minimum",
        "divided_by_the_scale": "numbers * scale → numbers / scale",
        "centred_on_8": """numbers * scale + minimum → (numbers.float() - 8) * scale
            or numbers * scale + minimum → (numbers - 8) * scale""",
    },
)
def dequantised(scale, minimum, pairs):
    low, high = pairs & 15, pairs >> 4
    numbers = torch.cat([low, high], dim=1)
    return numbers * scale + minimum


@notebook.ask(
    _(
        "rows_in_halves(weight, num_heads): the rows of each head, first all even ones, then all odd."
    ),
    returns="rows",
    cases=[
        Case(_("3 heads of 4 rows"), wave(12, 12, seed=2), 3),
        Case(_("2 heads of 6 rows"), wave(12, 8), 2),
        Case(_("one head"), wave(8, 6, seed=1), 1),
    ],
    reread="A mistake that nearly hides",
    mistakes={
        "rows_in_neighbours": "(num_heads, -1, 2) → (num_heads, 2, -1)",
        "all_heads_as_one": "(num_heads, -1, 2) → (1, -1, 2)",
        "columns_in_halves": """weight.unflatten(0, (num_heads, -1, 2)).transpose(1, 2).flatten(0, 2)
                → weight.unflatten(1, (-1, 2)).transpose(1, 2).flatten(1)
            or weight.unflatten(0, (num_heads, -1, 2)).transpose(1, 2).flatten(0, 2)
                → weight.unflatten(1, (num_heads, -1, 2)).transpose(2, 3).flatten(1)""",
        "rows_left_as_they_are": "transpose(1, 2) → transpose(1, 1)",
        "odd_rows_first": "transpose(1, 2) → transpose(1, 2).flip(1)",
    },
)
def rows_in_halves(weight, num_heads):
    return weight.unflatten(0, (num_heads, -1, 2)).transpose(1, 2).flatten(0, 2)


notebook.predict(
    "the wrong pairs",
    _("With the wrong pairs of dimensions, what follows “The capital of France is”?"),
    answer="Paris",
    why=_("Paris is so far ahead that wrong angles leave it first. Other prompts fare worse."),
    hint=_("How far do positions 0 to 4 rotate the slow pairs?"),
    words=("Paris", _("another city"), _("no word at all")),
)


def text_of(answer, *arguments):
    """The text that comes back, as the numbers of its characters, so that it can be compared."""
    text = answer(*arguments)
    if text is None or text is ...:
        raise Unfinished
    if not isinstance(text, str):
        raise WrongKind(_("A text is expected; this is of type {type}.", type=type(text).__name__))
    characters = np.array([ord(letter) for letter in text], dtype=float)
    return {"characters": characters, "text": Remark(_("It returns {text}.", text=repr(text)))}


def talk(*turns):
    return [{"role": role, "content": content} for role, content in turns]


@notebook.ask(
    _("chat_prompt(messages): the text of a chat, up to where the assistant begins."),
    returns="characters",
    how=text_of,
    trains=False,
    cases=[
        Case(_("one question"), talk(("user", "Hi"))),
        Case(_("with a system message"), talk(("system", "Be kind."), ("user", "Hello?"))),
        Case(_("a second question"), talk(("user", "A?"), ("assistant", "B."), ("user", "C?"))),
    ],
    reread="What a chat is",
    mistakes={
        "assistant_not_begun": " + '<|im_start|>assistant\\n' →",
        "turns_not_ended": "{content}<|im_end|>\\n → {content}\\n",
        "no_line_after_the_role": "{role}\\n{content} → {role}{content}",
        "no_line_after_a_turn": "<|im_end|>\\n → <|im_end|>",
        "last_message_only": "for m in messages → for m in messages[-1:]",
        "all_turns_by_the_user": "{role} → user",
        "assistant_already_ended": "assistant\\n' → assistant\\n<|im_end|>\\n'",
        "no_line_after_the_assistant": "assistant\\n' → assistant'",
    },
)
def chat_prompt(messages):
    told = [(m["role"], m["content"]) for m in messages]
    turns = [f"<|im_start|>{role}\n{content}<|im_end|>\n" for role, content in told]
    return "".join(turns) + '<|im_start|>assistant\n'  # fmt: skip


def norm_of(d, seed):
    return filled(nn.RMSNorm(d, eps=1e-5), seed)


notebook.predict(
    "the layer that says Paris",
    _("After which of the thirty layers is Paris the likeliest word for the first time?"),
    answer="28–30",
    why=_("Up to layer 27, nothing in the lens says Paris; after the last layer, it leads."),
    hint=_("What must happen before a layer can look up the capital of a country?"),
    words=("1–9", "10–18", "19–27", "28–30"),
)


@notebook.ask(
    _("logit_lens(states, norm, W): for each layer, the probabilities of the next token."),
    returns="probabilities",
    trains=False,
    cases=lambda: [
        Case(_("3 layers"), wave(3, 4, seed=1) * 3, norm_of(4, 2), wave(7, 4, seed=3)),
        Case(
            _("as many layers as dimensions"), wave(4, 4, seed=4), norm_of(4, 5), wave(6, 4, seed=6)
        ),
        Case(_("one layer"), wave(1, 5, seed=7) * 2, norm_of(5, 8), wave(5, 5, seed=9)),
    ],
    reread="What does each layer think?",
    mistakes={
        "norm_left_out": "norm(states) → states",
        "logits_returned": ".softmax(dim=-1) →",
        "softmax_over_layers": "softmax(dim=-1) → softmax(dim=0)",
        "norm_after_the_logits": "norm(states) @ W.T → nn.functional.rms_norm(states @ W.T, W.shape[:1])",
        "norm_scale_left_out": "norm(states) → nn.functional.rms_norm(states, states.shape[-1:])",
    },
)
def logit_lens(states, norm, W):
    return (norm(states) @ W.T).softmax(dim=-1)


notebook.predict(
    "random tokens, twice",
    _("Forty random tokens, then the same forty again: what is the loss on the second forty?"),
    answer=_("about 4"),
    why=_(
        "Nobody can guess a random token, but a copy can be looked up: the circuit of notebook 11."
    ),
    hint=_("What did the two layers of notebook 11 do with letters that came a second time?"),
    words=(_("about 14, as on the first"), _("about 4"), _("above 14")),
)
