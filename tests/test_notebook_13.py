"""What notebook 13 writes out is what helpers holds."""

from pathlib import Path

import nbformat
import torch
from torch import nn

from helpers.models.bert import BERT
from helpers.models.transformer import EncoderLayer, padding_mask

NOTEBOOK = Path(__file__).parent.parent / "notebooks" / "13_bert.ipynb"


def test_the_class_taught_is_the_class_in_helpers():
    cells = nbformat.read(NOTEBOOK, 4).cells
    [cell] = [c for c in cells if "bert-class" in c.metadata.get("tags", [])]
    scope = {"torch": torch, "nn": nn, "EncoderLayer": EncoderLayer, "padding_mask": padding_mask}
    exec(cell.source, scope)
    models = []
    for cls in (scope["BERT"], BERT):
        torch.manual_seed(5)
        models.append(cls(11, 9, 8, 2, 3, d_ff=5))
    taught, kept = models
    assert taught.state_dict().keys() == kept.state_dict().keys()
    taught.load_state_dict(kept.state_dict())
    assert taught.word_head.out.weight is taught.word.weight
    ids, segments = torch.randint(11, (3, 7)), torch.randint(2, (3, 7))
    padding = torch.arange(7) >= torch.tensor([[7], [4], [5]])
    for given in [(ids,), (ids, segments), (ids, segments, padding)]:
        for mine, its in zip(taught(*given), kept(*given), strict=True):
            assert torch.allclose(mine, its, atol=1e-6)
