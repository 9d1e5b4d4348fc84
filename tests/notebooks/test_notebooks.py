"""The notebooks' classes behave like those of helpers, and the promised figures are printed."""

import re

import pytest
import torch
from notebook_cells import cell_with, printed, run, tagged
from torch import nn
from torch.nn import functional as F

from helpers.classroom.series import notebooks
from helpers.data.sentences import SUNNY, SUNNY_TOKENS
from helpers.models import attention, transformer
from helpers.models.bert import BERT
from helpers.models.gpt import GPT
from helpers.pictures import plots
from tests.models.oracles import unlike_the_start

# The arguments that make each layer small, with sizes that all differ.
ARGUMENTS = {"CausalAttention": (3, 4, 6, 0.25), "MultiHeadAttention": (3, 4, 6, 0.25, 2)}


def taught_classes():
    """(notebook, class name, source) of every cell tagged "class"."""
    for path in notebooks():
        for source in tagged(path.stem[:2], "class"):
            yield path.name, re.search(r"class (\w+)", source).group(1), source


@pytest.mark.parametrize("notebook, name, source", list(taught_classes()), ids=lambda x: x[:30])
@pytest.mark.parametrize("bias", [False, True])
def test_the_class_taught_is_the_class_in_helpers(notebook, name, source, bias):
    scope = {"torch": torch, "nn": nn, "F": F, "CausalAttention": attention.CausalAttention}
    exec(source, scope)
    made = []
    for cls in (scope[name], getattr(attention, name)):
        torch.manual_seed(5)
        made.append(cls(*ARGUMENTS[name], qkv_bias=bias))
    taught, kept = made
    assert taught.state_dict().keys() == kept.state_dict().keys()
    for key, value in kept.state_dict().items():
        assert torch.equal(taught.state_dict()[key], value)
    for x in (torch.rand(5, 3), torch.rand(2, 6, 3)):
        assert torch.allclose(taught.eval()(x), kept.eval()(x), atol=1e-6)
    contexts = []
    for layer in (taught.train(), kept.train()):  # dropout gets the same random numbers
        torch.manual_seed(6)
        contexts.append(layer(x, return_weights=True)[0])
    assert torch.allclose(*contexts, atol=1e-6)


@pytest.mark.parametrize(
    "notebook, cls, more",
    [("11", GPT, {"tied": True}), ("11", GPT, {"tied": False}), ("13", BERT, {})],
)
def test_the_model_taught_is_the_model_in_helpers(notebook, cls, more):
    names = {"torch": torch, "nn": nn} | vars(transformer)
    scope = run(tagged(notebook, f"{cls.__name__.lower()}-class"), **names)
    kept = unlike_the_start(cls(11, 9, 8, 2, 3, d_ff=5, **more)).eval()
    taught = scope[cls.__name__](11, 9, 8, 2, 3, d_ff=5, **more).eval()
    assert taught.state_dict().keys() == kept.state_dict().keys()
    taught.load_state_dict(kept.state_dict())
    assert len([*taught.parameters()]) == len([*kept.parameters()])  # as many are shared
    ids, segments = torch.randint(11, (3, 7)), torch.randint(2, (3, 7))
    padding = torch.arange(7) >= torch.tensor([[7], [4], [5]])
    ways = [{}, {"return_weights": True}] if cls is GPT else [{}, {"segments": segments}]
    for way in [*ways, *([{"segments": segments, "padding": padding}] if cls is BERT else [])]:
        for mine, its in zip(taught(ids, **way), kept(ids, **way), strict=True):
            assert torch.allclose(mine, its, atol=1e-5)


def test_every_layer_is_taught():
    taught = {name for _, name, _ in taught_classes()}
    assert taught == set(ARGUMENTS), 'the classes of cells tagged "class", and ARGUMENTS above'


def test_the_first_example_is_the_one_in_helpers():
    scope = run([cell_with("01", "X = torch")], torch=torch, plots=plots)
    assert torch.equal(scope["X"], SUNNY) and scope["tokens"] == SUNNY_TOKENS


# By plain arithmetic on the nine entries: scores, exponentials, weights, weighted embeddings,
# context.
WORKED = """0.7842 1.3569 1.2487 2.1907 3.8841 3.4858 9.5606 0.2291 0.4063 0.3646
0.0779 0.0504 0.1237 0.2153 0.1381 0.3981 0.1057 0.1969 0.3391 0.3990 0.3854 0.8610"""
PUBLISHED = {
    "01": WORKED,
    "02": """0.2996 0.8053 0.3061 0.8210 0.3058 0.8203 0.2948 0.7939 0.2927
        0.7891 0.2990 0.8040 0.0739 0.0713 0.0748 0.0703 0.0749 0.0702 0.0760 0.0685 0.0763 0.0679
        0.0754 0.0693""",
    "03": """0.4519 0.2216 0.5874 0.0058 0.6300 0.0632 0.5675 0.0843 0.5526 0.0981
        0.5299 0.1081""",
    "05": """0.3190 0.4858 0.2943 0.3897 0.2856 0.3593 0.2693 0.3873 0.2639 0.3928
        0.2575 0.4028""",
}


@pytest.mark.parametrize("notebook", PUBLISHED)
def test_the_figures_promised_are_printed(notebook):
    numbers = set(re.findall(r"\d+\.\d{4}", printed(notebook)))
    assert set(PUBLISHED[notebook].split()) - numbers == set()
