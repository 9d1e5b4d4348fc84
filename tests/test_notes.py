"""What a check notes beside the numbers: changes, gradients, sizes, gaps; and its pictures."""

import pytest
import torch
from answers import n02_trainable_qkv as n02
from answers import n03_causal_mask as n03
from torch import nn

from helpers import checks


def check(name, answer):
    return getattr(checks, name)(answer)


def test_the_numbers_right_and_the_argument_changed():
    def softmax(scores):
        weights = scores.softmax(dim=-1)
        scores.zero_()
        return weights

    result = checks.softmax(softmax)
    assert result.pitfall == "in_place"
    result = checks.project(lambda x, *Ws: [x @ W for W in Ws] + x.zero_()[:0].tolist())
    assert result.pitfall == "in_place"  # though not listed for it
    result = checks.scores(lambda query, X: (X @ query + 1, query.zero_())[0])
    assert result.pitfall is None
    assert "It changes query, which belongs to the caller." in result.message


@pytest.mark.parametrize(
    "name, answer",
    [
        ("scaled_weights", lambda q, k: torch.tensor((q @ k.T / q.shape[1] ** 0.5).softmax(1).tolist())),
        ("project", lambda x, q, k, v: (x @ q, x @ k, (x @ v).data)),
        ("split_heads", lambda x, h: x.detach().unflatten(-1, (h, -1)).transpose(1, 2)),
        ("masked_weights", lambda s: torch.from_numpy(n03.masked_numpy(s.detach().numpy()))),
    ],
)  # fmt: skip
def test_a_gradient_that_is_lost_where_it_could_be_had(name, answer):
    assert check(name, answer).pitfall == "lost_gradient"


def test_a_gradient_that_cannot_be_computed():
    def masked(scores):
        future = torch.ones(scores.shape[-2:]).triu(diagonal=1).bool()
        visible = scores.masked_fill(future, -torch.inf)
        e = (visible - visible.amax(dim=-1, keepdim=True)).exp()
        e *= 1  # the gradient of exp needs what stood here
        return e / e.sum(dim=-1, keepdim=True)

    assert checks.masked_weights(masked).pitfall == "lost_gradient"


def test_a_parameter_that_is_never_used():
    class Layer(n02.Compact):
        def forward(self, x):
            return super().forward(x) + 0 * self.W_key(x).detach()

    assert checks.self_attention_module(Layer).passed


def test_names_that_the_check_cannot_find():
    class Layer(nn.Module):
        def __init__(self, d_in, d_out, qkv_bias=False):
            super().__init__()
            self.q = nn.Linear(d_in, d_out)

        def forward(self, x):
            return self.q(x)

    message = checks.self_attention_module(Layer).message
    assert (
        "the layer has no W_query, W_key, W_value; the check sets weights by these names" in message
    )


def test_a_layer_of_other_sizes():
    class Layer(n02.Compact):
        def __init__(self, d_in, d_out, qkv_bias=False):
            super().__init__(d_in, d_out + 1, qkv_bias)

    message = checks.self_attention_module(Layer).message
    assert message.endswith(
        "\nFor 6 tokens, these shapes do not fit d_in and d_out: "
        "W_query is (3, 3), not (2, 3), W_key is (3, 3), not (2, 3), W_value is (3, 3), not (2, 3)."
    )


def test_a_layer_that_returns_its_weights_too():
    class Layer(n02.Compact):
        def forward(self, x):
            return super().forward(x), torch.eye(len(x))

    message = checks.self_attention_module(Layer).message
    assert message.endswith(": it returns 2 things, and one was asked for: the context.")


def test_a_layer_whose_weights_are_drawn_whatever_its_context():
    """The picture is the one of the weights, which tells more than the context vectors."""
    result = checks.causal_attention(n03.Windowed)
    assert result.message.endswith("shows the attention weights that your layer must have used.")
    assert result.picture.text.startswith("your weights\n")


def test_a_picture_of_nan_and_of_huge_numbers():
    picture = checks.softmax(lambda s: torch.where(s > 0, torch.nan, s)).picture
    assert "·" in picture.text and picture.png().startswith(b"\x89PNG")
    picture = checks.softmax(lambda s: s.softmax(-1) * 1e30).picture
    assert picture.png()
    picture = checks.softmax(lambda s: s.double().softmax(-1) * 1e300).picture
    assert picture.png()  # past what float32 holds
    assert checks.softmax(lambda s: s[:0]).picture is None
