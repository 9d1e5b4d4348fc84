"""The exercises and predictions of notebook 12: sampling, top-k, top-p, the KV cache."""

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F  # noqa: F401  used in the edits

from .. import _
from ..judge.comparing import read
from ..judge.exercise import Case, on_tensors_or_arrays, wave, wrong_type
from .notebook import Notebook
from .small_models import filled
from .writing_mistakes import OF_CACHED_ATTENTION, OF_GENERATE, OF_TOP_K, OF_TOP_P

notebook = Notebook(__name__)


class Writer(nn.Module):
    """A made-up model: its logits depend on each word that it reads, and on the order of them."""

    def __init__(self, words, context_length, seed=0):
        super().__init__()
        self.words, self.context_length, self.seed = words, context_length, seed

    def forward(self, ids):
        if ids.dim() != 2:
            raise ValueError(f"ids have shape {tuple(ids.shape)}; expected (batch, tokens)")
        tokens, most = ids.shape[1], self.context_length
        if tokens > most:
            raise ValueError(f"ids have {tokens} tokens; at most context_length={most} fit")
        read = wave(self.words, 4, seed=self.seed)[ids] * torch.arange(1, tokens + 1)[:, None]
        return 3 * torch.sin(read.cumsum(dim=1) @ wave(4, self.words, seed=self.seed + 1))


def likeliest(logits):
    return _of_two_axes(logits).argmax(dim=-1, keepdim=True)


def second_best(logits):
    return _of_two_axes(logits).topk(2, dim=-1).indices[:, 1:]


def nearest_to_one(logits):
    """The size of the logits matters here: probabilities in their place give another word."""
    return (_of_two_axes(logits) - 1).abs().argmin(dim=-1, keepdim=True)


def _of_two_axes(logits):
    if logits.dim() != 2:
        came = f"choose got logits of shape {tuple(logits.shape)}"
        raise ValueError(f"{came}; expected (batch, vocabulary)")
    return logits


BEGUN = torch.tensor([[1, 4, 2], [3, 1, 5]])


@notebook.ask(
    _("generate(model, ids, n_new, choose): the ids (batch, tokens), and n_new words after them."),
    returns="ids written",
    wanted="int",
    cases=[
        Case(_("2 stories, 4 new words"), Writer(7, 9), BEGUN[:, :2], 4, likeliest),
        Case(_("the second best word each time"), Writer(7, 9, 2), BEGUN, 4, second_best),
        Case(_("as many stories as words"), Writer(6, 9, 4), torch.eye(3).long(), 2, likeliest),
        Case(_("a score near to 1"), Writer(6, 9, 5), torch.tensor([[5, 1]]), 4, nearest_to_one),
        Case(_("more words than the model can read"), Writer(7, 5, 7), BEGUN, 5, likeliest),
    ],
    reread="Word by word",
    mistakes=OF_GENERATE,
)
def generate(model, ids, n_new, choose):
    for _ in range(n_new):
        logits = model(ids[:, -model.context_length :])
        new = choose(logits[:, -1])
        ids = torch.cat([ids, new], dim=1)
    return ids


def in_one_order(answer, logits, most):
    """{"logits": …}: of equal logits, it does not matter which are kept: they are put in one order."""
    given = logits.double().numpy().copy()
    result = on_tensors_or_arrays(answer, [logits, most])
    came = read(result, ("logits",))
    kept = came["logits"]
    if remark := wrong_type(result, "float"):
        came["not_of_type"] = remark
    elif kept.shape == given.shape:
        order = np.argsort(-given, axis=-1, kind="stable")
        best = np.lexsort((-kept, -given), axis=-1)
        same = np.empty_like(kept)
        np.put_along_axis(same, order, np.take_along_axis(kept, best, axis=-1), axis=-1)
        came["logits"] = same
    return came


def logits_of(*probabilities):
    return torch.tensor(probabilities).log()


OTHER_ORDER = logits_of([0.15, 0.05, 0.5, 0.3], [0.3, 0.15, 0.05, 0.5])


@notebook.ask(
    _("top_k(logits, k): the k largest logits of each row stay, all others become -inf."),
    returns="logits",
    how=in_one_order,
    cases=[
        Case(_("a row of logits"), torch.tensor([1.0, 3.0, -2.0, 2.0, 0.5]), 2),
        Case(_("as many rows as words"), wave(4, 4, seed=1), 2),
        Case(
            _("equal logits"),
            torch.tensor([[2.0, 1.0, 1.0, 1.0, 0.0], [500.0, 0, 500, 500, 500]]),
            2,
            ties=True,
        ),
        Case(_("(batch, tokens, words)"), wave(2, 3, 5, seed=5), 2),
    ],
    reread="Top-k",
    mistakes=OF_TOP_K,
)
def top_k(logits, k):
    best_first = logits.sort(dim=-1, descending=True, stable=True).indices
    return logits.scatter(-1, best_first[..., k:], float("-inf"))


@notebook.ask(
    _(
        "top_p(logits, p): the fewest likely words whose probabilities reach p stay, others become -inf."
    ),
    returns="logits",
    how=in_one_order,
    cases=[
        Case(_("8 words, p = .77"), logits_of(0.2, 0.18, 0.16, 0.14, 0.12, 0.1, 0.06, 0.04), 0.77),
        Case(_("in another order, p = .9"), OTHER_ORDER, 0.9),
        Case(_("3 rows"), 3 * wave(3, 6), 0.7),
        Case(_("one word has nearly all"), logits_of([0.02, 0.95, 0.02, 0.01]), 0.9),
        Case(_("(batch, tokens, words)"), 2 * wave(2, 3, 5, seed=5), 0.6),
        Case(_("the sum is p exactly"), torch.zeros(1, 4), 0.5, ties=True),
    ],
    reread="Top-p",
    mistakes=OF_TOP_P,
)
def top_p(logits, p):
    best_first, order = logits.sort(dim=-1, descending=True, stable=True)
    probabilities = best_first.softmax(dim=-1)
    before = probabilities.cumsum(dim=-1) - probabilities
    hidden = before >= p
    return logits.masked_fill(hidden.scatter(-1, order, hidden), float("-inf"))


notebook.predict(
    "words left by top-p",
    _("Four words have the probabilities .5 .3 .15 .05. How many does top-p keep with p = 0.6?"),
    form=_("a whole number"),
    answer=2,
    why=_("The first word alone has .5, which is less than .6. With the second, the sum is .8."),
    hint=_("Add up from the largest. At which word does the sum first reach .6?"),
    wrong=[
        (1, _("The first word alone has .5. Is that at least .6?")),
        (3, _("What do the first two sum to? Is a third word needed to reach .6?")),
    ],
)


def growing(batch, new, kept, seed=0):
    """A layer with one head, x (batch, new, 4), and keys and values of `kept` earlier tokens."""
    layer = nn.Module()
    layer.W_query, layer.W_key, layer.W_value = (nn.Linear(4, size) for size in (3, 3, 7))
    filled(layer, seed).requires_grad_(False)
    earlier, x = wave(batch, kept, 4, seed=seed + 20), wave(batch, new, 4, seed=seed + 21)
    return layer, x, layer.W_key(earlier), layer.W_value(earlier)


def with_new_names(layer, x, keys, values):
    """The right answer once more: what has grown has names of its own."""
    all_keys = torch.cat([keys, layer.W_key(x)], dim=1)
    all_values = torch.cat([values, layer.W_value(x)], dim=1)
    future = torch.ones(x.shape[1], all_keys.shape[1]).triu(1 + keys.shape[1]).bool()
    scores = layer.W_query(x) @ all_keys.mT / keys.shape[-1] ** 0.5
    scores = scores.masked_fill(future, float("-inf"))
    return scores.softmax(dim=-1) @ all_values, all_keys, all_values


@notebook.ask(
    _("cached_attention(layer, x, keys, values): what new tokens x see, and both caches, grown."),
    returns=("context", "keys", "values"),
    cases=lambda: [
        Case(_("a new word after 4"), *growing(2, 1, 4)),
        Case(_("a prompt of 5 words, an empty cache"), *growing(1, 5, 0, seed=1)),
        Case(_("3 new words after 2"), *growing(2, 3, 2, seed=2)),
        Case(_("as many new as cached"), *growing(3, 3, 3, seed=3)),
    ],
    also=[with_new_names],
    reread="Read again from the start?",
    mistakes=OF_CACHED_ATTENTION,
)
def cached_attention(layer, x, keys, values):
    queries = layer.W_query(x)
    keys = torch.cat([keys, layer.W_key(x)], dim=1)
    values = torch.cat([values, layer.W_value(x)], dim=1)
    earlier = keys.shape[1] - x.shape[1]
    future = torch.ones(x.shape[1], keys.shape[1]).triu(1 + earlier).bool()
    scores = (queries @ keys.mT / keys.shape[-1] ** 0.5).masked_fill(future, float("-inf"))
    return scores.softmax(dim=-1) @ values, keys, values


notebook.predict(
    "keys that one query sees",
    _(
        "One query meets five keys, of which its own is the last. With is_causal=True, how"
        " many keys does the query see?"
    ),
    form=_("a whole number"),
    answer=1,
    why=_("PyTorch takes the query for the first word of the text, so it sees only the first key."),
    hint=_("The triangle starts in the upper left corner. Which row of it belongs to the query?"),
    wrong=[
        (5, _("It should see five. But which position does is_causal assume for the query?")),
        (0, _("Under a causal mask, a query always sees at least one key.")),
    ],
)
