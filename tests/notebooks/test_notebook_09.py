"""Notebook 9: its classes behave like those of helpers, and its tests catch each wrong mask."""

import pytest
import torch
from notebook_cells import cell_with

from helpers.models import transformer
from tests.models.oracles import unlike_the_start

TAUGHT = ("FeedForward", "Attention", "EncoderLayer", "DecoderLayer", "Transformer")


def cell(text):
    return cell_with("09", text)


@pytest.fixture(scope="module")
def scope():
    """The names that the notebook's classes and masks define; nothing is trained."""
    space = {}
    exec(cell("from helpers import"), space)
    for text in [
        "SPANISH = ",
        *(f"class {name}(nn.Module)" for name in TAUGHT),
        "def three_masks",
        "def logits_of",
        "poked_t = torch",
        "def tests(masks)",
        "ways = {",
    ]:
        exec(cell(text), space)
    exec(cell("def masks_of").split("for name, way")[0], space)
    return space


SIZES = {
    "FeedForward": (6, 10),
    "Attention": (6, 3),
    "EncoderLayer": (6, 3, 10),
    "DecoderLayer": (6, 3, 10),
    "Transformer": (9, 7, 6, 3, 2, 10),
}


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("name", TAUGHT)
def test_the_class_taught_is_the_class_in_helpers(scope, name, norm_first):
    torch.manual_seed(5)
    more = {} if name in ("FeedForward", "Attention") else {"norm_first": norm_first}
    kept = unlike_the_start(getattr(transformer, name)(*SIZES[name], **more).eval())
    taught = scope[name](*SIZES[name], **more)
    assert taught.state_dict().keys() == kept.state_dict().keys()
    taught.load_state_dict(kept.state_dict())
    x, memory = torch.randn(2, 4, 6), torch.randn(2, 5, 6)
    source_padding = torch.arange(5) >= torch.tensor([5, 2])[:, None]
    target_padding = torch.arange(4) >= torch.tensor([3, 4])[:, None]
    memory_mask = transformer.padding_mask(source_padding)
    mask = transformer.causal_mask(4) | transformer.padding_mask(target_padding)
    given = {
        "FeedForward": (x,),
        "Attention": (x, memory, memory_mask),
        "EncoderLayer": (x, mask),
        "DecoderLayer": (x, memory, mask, memory_mask),
    }
    if name == "Transformer":
        source = torch.randint(1, 9, (2, 5)).masked_fill(source_padding, 0)
        target = torch.randint(1, 7, (2, 4)).masked_fill(target_padding, 0)
        mine = scope["logits_of"](taught, source, target)
        its = kept(source, target, source_padding, target_padding)
    else:
        mine, its = taught(*given[name]), kept(*given[name])
    assert mine.shape == its.shape and torch.allclose(mine, its, atol=1e-5)


@pytest.mark.parametrize("seed", range(3))
def test_each_wrong_mask_is_caught_by_the_tests_that_are_taught(scope, seed):
    torch.manual_seed(seed)
    sizes = {"d_model": 8, "num_heads": 2, "num_layers": 1 + seed, "d_ff": 32}
    scope["model"] = scope["Transformer"](8, 7, **sizes).eval()
    for name, way in scope["ways"].items():
        symptoms = scope["tests"](scope["masks_of"](way))
        harmless = name in ("right", "no target padding")  # the padding comes last
        assert any(symptoms.values()) != harmless, (name, symptoms)
