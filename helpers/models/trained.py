"""The small models of notebooks 10, 11 and 13, trained again in a few seconds each.

    train                        the loop, for any model and loss
    translator, gpt, bert        a model, made and trained
    words, ids                   the list of words of some sentences; sentences as ids

The notebooks named show how each is trained, and why. Two calls with one seed make one model.
"""

import torch
from torch import nn

from .. import _
from ..tools import steps
from .bert import BERT
from .gpt import GPT
from .transformer import Transformer

SPECIAL = ("<pad>", "<sos>", "<eos>")  # ids 0, 1, 2
PAD, MASK = 0, 2  # BERT's list begins with <pad>, [CLS], [MASK]
SOME = 64  # sentences in a batch


def train(model, loss_of, n_steps, rate):
    """Train with loss_of(step), the loss of a fresh batch. The rate rises, then falls to nothing."""
    optimiser = torch.optim.AdamW(model.parameters(), lr=rate)
    pace = torch.optim.lr_scheduler.OneCycleLR(optimiser, rate, total_steps=n_steps, pct_start=0.2)
    for step in steps(n_steps):
        optimiser.zero_grad()
        loss_of(step).backward()
        optimiser.step()
        pace.step()
    model.eval()


def words(sentences):
    """All words of the sentences, sorted, behind <pad>, <sos> and <eos>."""
    return [*SPECIAL, *sorted({word for sentence in sentences for word in sentence})]


def ids(sentences, words):
    """Sentences, as tuples of words → their indices in `words`, (sentences, tokens), 0 = <pad>.

    Raises ValueError for a word that is not among them.
    """
    index = {word: i for i, word in enumerate(words)}
    unknown = [word for sentence in sentences for word in sentence if word not in index]
    if unknown:
        text = _("ids: {word!r} is not in the vocabulary of {n} words; pass words that are")
        raise ValueError(text.format(word=unknown[0], n=len(words)))
    rows = [torch.tensor([index[word] for word in sentence]) for sentence in sentences]
    return nn.utils.rnn.pad_sequence(rows, batch_first=True)


def translator(pairs, source_words, target_words, seed=0):
    """A Transformer, one layer on either side, for pairs with `spanish` and `english` (notebook 10)."""
    source = ids([pair.spanish for pair in pairs], source_words)
    target = ids([("<sos>", *pair.english, "<eos>") for pair in pairs], target_words)
    torch.manual_seed(seed)
    sizes = len(source_words), len(target_words)
    model = Transformer(*sizes, 64, 4, 1, 128, dropout=0.0, norm_first=True)

    def loss_of(step):
        some = torch.randint(len(pairs), (SOME,))
        scores = model(source[some], target[some, :-1], source[some] == PAD)
        return _surprise(scores, target[some, 1:], ignore_index=PAD)

    train(model, loss_of, 140, 0.006)
    return model


def gpt(rows, vocabulary, length, seed=0):
    """A GPT, two layers of two heads, for rows(n): ids (n, length), drawn afresh (notebook 11)."""
    torch.manual_seed(seed)
    model = GPT(vocabulary, length, 64, 2, 2, d_ff=64, tied=False)

    def loss_of(step):
        batch = rows(32)
        return _surprise(model(batch[:, :-1]), batch[:, 1:])

    train(model, loss_of, 200, 0.008)
    return model


def bert(texts, vocabulary, always, seed=0):
    """A BERT that fills blanks in texts (sentences, tokens): 0 = padding, 2 = [MASK] (notebook 13).

    always  (sentences, tokens), True where there is a blank each time; at other words now and then
    """
    torch.manual_seed(seed)
    model = BERT(vocabulary, texts.shape[1], d_model=48, num_heads=4, num_layers=2, d_ff=96)

    def loss_of(step):
        some = torch.randint(len(texts), (SOME,))
        seen = texts[some]
        blank = always[some] | (torch.rand(seen.shape) < 0.15) & (seen > MASK)
        scores, _ = model(seen.masked_fill(blank, MASK), padding=seen == PAD)
        return nn.functional.cross_entropy(scores[blank], seen[blank])

    train(model, loss_of, 140, 0.008)
    return model


def _surprise(scores, asked, **how):
    """Mean loss over all positions: scores (batch, tokens, vocabulary), asked (batch, tokens)."""
    return nn.functional.cross_entropy(scores.flatten(0, 1), asked.flatten(), **how)
