"""The small models of notebooks 10 and 11, trained again in a few seconds each.

    train                        the training loop, for any model and loss
    translator, gpt              create a model and train it
    words, ids                   the vocabulary of some sentences; sentences as ids
    letter_rows                  rows of letters that repeat, which the gpt of notebook 14 continues

The notebooks named above show how each is trained, and why. Each call starts from the same
seed, so two calls give the same model.
"""

import torch
from torch import nn

from .. import _
from ..tools import steps
from .gpt import GPT
from .transformer import Transformer

SPECIAL = ("<pad>", "<sos>", "<eos>")  # ids 0, 1, 2
PAD = 0


def train(model, loss_of, n_steps, rate):
    """Minimise loss_of(step), the loss of a new batch. The learning rate rises, then falls to 0."""
    optimiser = torch.optim.AdamW(model.parameters(), lr=rate)
    pace = torch.optim.lr_scheduler.OneCycleLR(optimiser, rate, total_steps=n_steps, pct_start=0.2)
    for step in steps(n_steps):
        optimiser.zero_grad()
        loss_of(step).backward()
        optimiser.step()
        pace.step()
    model.eval()


def words(sentences):
    """The vocabulary: <pad>, <sos> and <eos>, then all words of the sentences, sorted."""
    return [*SPECIAL, *sorted({word for sentence in sentences for word in sentence})]


def ids(sentences, words):
    """Sentences, as tuples of words → their indices in `words`, (sentences, tokens), 0 = <pad>.

    Raises ValueError for a word that is not in the vocabulary.
    """
    index = {word: i for i, word in enumerate(words)}
    unknown = [word for sentence in sentences for word in sentence if word not in index]
    if unknown:
        text = _("ids: {word!r} is not in the vocabulary of {n} words; pass words that are")
        raise ValueError(text.format(word=unknown[0], n=len(words)))
    rows = [torch.tensor([index[word] for word in sentence]) for sentence in sentences]
    return nn.utils.rnn.pad_sequence(rows, batch_first=True)


def translator(pairs, source_words, target_words, look=None):
    """Train a Transformer on pairs with `spanish` and `english`, as in notebook 10.

    It has one encoder layer and one decoder layer.
    look  called with the model before every tenth step, to watch it learn
    """
    source = ids([pair.spanish for pair in pairs], source_words)
    target = ids([("<sos>", *pair.english, "<eos>") for pair in pairs], target_words)
    torch.manual_seed(0)
    sizes = len(source_words), len(target_words)
    model = Transformer(*sizes, 64, 4, 1, 128, dropout=0.0, norm_first=True)

    def loss_of(step):
        if look and step % 10 == 0:
            look(model)
        some = torch.randint(len(pairs), (64,))
        logits = model(source[some], target[some, :-1], source[some] == PAD)
        return _cross_entropy(logits, target[some, 1:], ignore_index=PAD)

    train(model, loss_of, 140, 0.006)
    return model


def gpt(rows, vocabulary, length):
    """Train a GPT of two layers with two heads on rows(n), as in notebook 11.

    rows  a function that samples n new texts at each call, as ids (n, length)
    """
    torch.manual_seed(0)
    model = GPT(vocabulary, length, 64, 2, 2, d_ff=64, tied=False)

    def loss_of(step):
        batch = rows(32)
        return _cross_entropy(model(batch[:, :-1]), batch[:, 1:])

    train(model, loss_of, 200, 0.008)
    return model


def letter_rows(n, period=None):
    """n rows of 24 letters, (n, 24), that repeat; and the period of each row, (n, 1).

    Each row begins with different ones of 16 letters, in a random order, and repeats them.
    period  how many these are in every row; by default 5 to 10, at random
    """
    order = torch.rand(n, 16).argsort(dim=1)  # every letter once
    periods = torch.randint(5, 11, (n, 1)) if period is None else torch.full((n, 1), period)
    return order.gather(1, torch.arange(24) % periods), periods


def _cross_entropy(logits, targets, **options):
    """Mean loss over all positions: logits (batch, tokens, vocabulary), targets (batch, tokens)."""
    return nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten(), **options)
