"""The exercises and predictions of notebook 16: merging pairs, parameters, heads, means."""

import torch

from .. import _
from ..judge.exercise import Case, wave
from .notebook import Notebook
from .small_models import maps

notebook = Notebook(__name__)


@notebook.ask(
    _("merge_once(ids, pair, new): the ids, with `new` in place of each occurrence of the pair."),
    returns="ids",
    wanted="int",
    cases=[
        Case(_("a pair in the middle"), [2, 0, 1, 3], (0, 1), 9),
        Case(_("the pair twice"), [0, 1, 2, 0, 1], (0, 1), 7),
        Case(_("three equal ids in a row"), [1, 1, 1, 4], (1, 1), 8),
        Case(_("the same ids in the other order"), [5, 3, 3, 5, 2], (3, 5), 6),
        Case(_("ids of two digits"), [31, 25, 3, 1, 2], (1, 2), 7),
        Case(_("no pair at all"), [4, 2, 3], (3, 4), 5),
        Case(_("a single id"), [3], (3, 3), 5),
    ],
    reread="Byte-pair encoding",
    mistakes={
        "second_of_pair_kept": "i += 2 → i += 1",
        "one_pair_merged": "== tuple(pair): → == tuple(pair) and new not in merged:",
        "either_order_merged": "== tuple(pair): → in (tuple(pair), tuple(pair)[::-1]):",
        "pair_never_equal": "tuple(ids[i : i + 2]) == tuple(pair) → ids[i : i + 2] == tuple(pair)",
        "last_id_lost": "while i < len(ids): → while i < len(ids) - 1:",
    },
)
def merge_once(ids, pair, new):
    merged, i = [], 0
    while i < len(ids):
        if tuple(ids[i : i + 2]) == tuple(pair):
            merged.append(new)
            i += 2
        else:
            merged.append(ids[i])
            i += 1
    return merged


@notebook.count(
    _("How many parameters does all-MiniLM-L6-v2 have?"),
    returns="parameters",
    reread="Real weights in your class",
    mistakes={
        "rounded": """embeddings + 6 * layer + pooler
            → round(embeddings + 6 * layer + pooler, -5)""",
        "one_block_counted": "6 * layer → layer",
        "pooler_not_counted": "6 * layer + pooler → 6 * layer",
        "word_head_counted": """embeddings + 6 * layer + pooler
                → embeddings + 6 * layer + pooler + vocabulary * d
            or embeddings + 6 * layer + pooler
                → embeddings + 6 * layer + pooler + d * d + d + 2 * d + vocabulary + 2 * d + 2""",
    },
)
def minilm_parameters():
    vocabulary, positions, segments, d, inner = 30_522, 512, 2, 384, 1536
    norm = 2 * d
    embeddings = (vocabulary + positions + segments) * d + norm
    attention = 4 * (d * d + d)
    feed_forward = d * inner + inner + inner * d + d
    layer = attention + norm + feed_forward + norm
    pooler = d * d + d
    return embeddings + 6 * layer + pooler


notebook.predict(
    "it was too wide",
    _("“… because it was too wide”: which noun gets more weight from “it” in this head?"),
    answer="bird",
    why=_("It gets less than before, but still more than the street."),
    hint=_("You know what “it” means here. Does the head know it, too?"),
    words=("bird", "street"),
    wrong=[("street", _("That is what “it” means now. The head, however, gives the bird more."))],
)


@notebook.ask(
    _("prefers(weights, pronoun, right, other): for each head, True if it prefers the right noun."),
    returns="prefers",
    wanted="bool",
    cases=[
        Case(_("2 layers of 3 heads"), maps(2, 3, 7, causal=False), 5, 2, 4),
        Case(_("the right noun stands later"), maps(2, 3, 7, seed=1, causal=False), 6, 4, 1),
        Case(_("one head alone"), maps(1, 1, 6, seed=2, causal=False), 4, 1, 2),
        Case(_("6 layers of 12 heads"), maps(6, 12, 9, seed=3, causal=False), 7, 1, 5),
        Case(_("both nouns get the same weight"), torch.full((2, 3, 6, 6), 1 / 6), 4, 1, 2),
    ],
    reread="The famous head",
    mistakes={
        "nouns_ask": """weights[..., pronoun, right] > weights[..., pronoun, other]
            → weights[..., right, pronoun] > weights[..., other, pronoun]""",
        "wrong_noun_preferred": "pronoun, right] > weights → pronoun, right] < weights",
        "more_than_half_wanted": "> weights[..., pronoun, other] → > 0.5",
        "heads_averaged_away": """weights[..., pronoun, right] > weights[..., pronoun, other]
            → weights.mean(1)[..., pronoun, right] > weights.mean(1)[..., pronoun, other]""",
        "last_layer_only": """weights[..., pronoun, right] > weights[..., pronoun, other]
            → weights[-1, :, pronoun, right] > weights[-1, :, pronoun, other]""",
        "margin_returned": "pronoun, right] > weights → pronoun, right] - weights",
    },
)
def prefers(weights, pronoun, right, other):
    return weights[..., pronoun, right] > weights[..., pronoun, other]


notebook.predict(
    "best of 72 coins",
    _(
        "72 coins guess 20 answers each. How many of 20 does the best of them most probably get right?"
    ),
    answer=15,
    why=_("In four of five such experiments, the best of the 72 coins gets 15 or more right."),
    hint=_(
        "One coin gets 10 right on average, with a standard deviation of about 2.2. "
        "How far above 10 is the best of 72?"
    ),
    words=(10, 12, 15, 20),
    wrong=[
        (10, _("That is the average of one coin. Which is the largest of 72 such numbers?")),
        (20, _("One coin does that once in a million tries. There are only 72 here.")),
        (12, _("One coin in four gets this far. There are 72 of them.")),
    ],
)


@notebook.ask(
    _("mean_vector(vectors, padding): the mean of each text's vectors, with padding left out."),
    returns="mean",
    cases=[
        Case(
            _("two texts of different lengths"),
            wave(2, 4, 3),
            torch.tensor([[False] * 4, [False, False, True, True]]),
        ),
        Case(_("one text"), wave(1, 3, 4, seed=1), torch.zeros(1, 3, dtype=torch.bool)),
        Case(_("padding before the text"), wave(1, 5, 2, seed=2), torch.arange(5)[None] < 2),
        Case(
            _("four texts"),
            (2 * wave(4, 6, 5, seed=3)).round(),
            torch.arange(6) >= torch.tensor([[6], [1], [3], [5]]),
        ),
    ],
    reread="The meaning of a sentence as a vector",
    mistakes={
        "padding_in_the_mean": "total / tokens.sum(dim=1, keepdim=True) → vectors.mean(dim=1)",
        "divided_by_all": "tokens.sum(dim=1, keepdim=True) → vectors.shape[1]",
        "padding_alone": "tokens = ~padding → tokens = padding",
        "first_vector_only": "total / tokens.sum(dim=1, keepdim=True) → vectors[:, 0]",
        "one_count_for_all_texts": "tokens.sum(dim=1, keepdim=True) → (tokens.sum() / len(tokens))",
        "texts_averaged": """total / tokens.sum(dim=1, keepdim=True)
                → (total / tokens.sum(dim=1, keepdim=True)).mean(dim=0)
            or total / tokens.sum(dim=1, keepdim=True) → vectors[tokens].mean(dim=0)""",
        "summed": "total / tokens.sum(dim=1, keepdim=True) → total",
    },
)
def mean_vector(vectors, padding):
    tokens = ~padding
    total = (vectors * tokens[..., None]).sum(dim=1)
    return total / tokens.sum(dim=1, keepdim=True)


LAST = _("one of the last layer")
notebook.predict(
    "head that moves the vector",
    _("Which single head, if it is switched off, changes the vector of a sentence most?"),
    answer=LAST,
    why=_("After the last layer, there is no other that could make up for what is missing."),
    hint=_("A later layer can make up for a missing head. Which heads have no layer after them?"),
    words=(_("the previous-token head"), _("one of a middle layer"), LAST),
    wrong=[
        (
            _("the previous-token head"),
            _("Its pattern is the clearest of all. A clear pattern need not matter much."),
        ),
    ],
)
ABOVE = _("above 0.7")
notebook.predict(
    "open, and not open",
    _("“The door is open.” and “The door is not open.”: what is the cosine of their vectors?"),
    answer=ABOVE,
    why=_("One word is different, and it hardly changes what the sentence is about."),
    hint=_("In how many words do the two sentences differ, and what are both of them about?"),
    words=(_("below 0.3"), _("0.3 to 0.7"), ABOVE),
    wrong=[
        (_("below 0.3"), _("They say the opposite. But are they about different things?")),
    ],
)
