"""The model is not touched: its copies, other threads, other watches, what its forward stores."""

import copy
import io
import pickle
import threading

import pytest
import torch
import transformers
from torch import nn
from watched import SMALL, Calls, gpt, left_behind, made

from helpers.inside import Inside, watch
from helpers.models.attention import SelfAttention

IDS = torch.tensor([[3, 1, 4, 1, 5], [9, 2, 6, 5, 3]])
CLEAN = (False, [], "default")


def with_padding(model):
    x = torch.randn(2, 7, 12, generator=torch.Generator().manual_seed(0))
    return model(x, src_key_padding_mask=torch.arange(7) >= torch.tensor([[7], [4]]))


def encoder(kind=nn.TransformerEncoderLayer):
    torch.manual_seed(0)
    return nn.TransformerEncoder(kind(12, 2, 16, batch_first=True), 2).eval()


def test_a_copy_made_in_the_block_is_its_own():
    model = gpt().eval()
    with watch(model) as seen:
        double = copy.deepcopy(model)
        plain = model(IDS)
        assert torch.equal(double(IDS), plain) and len(seen.calls) == 2  # the copy is not watched
        for parameter in double.parameters():
            parameter.data.zero_()
        assert torch.equal(model(IDS), plain) and not double(IDS).any()
    assert not double(IDS).any() and not vars(double).keys() - vars(model).keys()
    double(IDS).sum().backward()
    assert all(x.grad is None for x in model.parameters())
    assert any(x.grad is not None for x in double.parameters())


def test_a_copy_of_an_encoder_keeps_its_fast_path():
    model = encoder()
    with torch.no_grad():
        plain = with_padding(model)
        with watch(model):
            double = copy.deepcopy(model)
            assert torch.equal(with_padding(model), plain)
            assert torch.equal(with_padding(double), plain)
        assert torch.equal(with_padding(double), plain) and torch.equal(with_padding(model), plain)


def test_a_model_can_be_saved_in_the_block():
    model, file = gpt().eval(), io.BytesIO()
    with watch(model):
        loaded = pickle.loads(pickle.dumps(model))
        torch.save(model, file)
        plain = model(IDS)
        assert torch.equal(loaded(IDS), plain)
    file.seek(0)
    assert torch.equal(torch.load(file, weights_only=False)(IDS), plain)


# Threads.


def in_threads(*functions):
    """The results of these functions, one thread each; an error in one is raised here."""
    found, barrier = [None] * len(functions), threading.Barrier(len(functions))

    def run(i):
        barrier.wait()
        try:
            found[i] = functions[i]()
        except Exception as error:
            found[i] = error

    threads = [threading.Thread(target=run, args=(i,)) for i in range(len(functions))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for each in found:
        if isinstance(each, Exception):
            raise each
    return found


def test_other_threads_call_the_model_in_the_block():
    model = gpt().eval()
    plain = [model(IDS), model(IDS[:, :3])]
    with watch(model) as seen:

        def often(ids):
            return [model(ids) for _ in range(20)]

        for results, wanted in zip(
            in_threads(*(lambda x=x: often(x) for x in (IDS, IDS[:, :3]))), plain
        ):
            assert all(torch.equal(result, wanted) for result in results)
    assert len(seen.calls) == 80 and seen.check()
    assert sorted(call.step for call in seen.calls if "0" in call.name) == list(range(40))
    lengths = {call.run: set() for call in seen.calls}
    for call in seen.calls:
        lengths[call.run].add(call.weights.shape[2])
    assert len(lengths) == 40 and all(len(each) == 1 for each in lengths.values())
    assert left_behind(model) == CLEAN


def test_a_thread_that_outlives_the_block_ends_unseen():
    inside, closed = threading.Event(), threading.Event()

    def waits(x):
        inside.set()
        assert closed.wait(30)
        return x

    model = nn.Sequential(SelfAttention(4, 4), Calls(waits), SelfAttention(4, 4)).eval()
    x, results = torch.rand(2, 5, 4), []
    thread = threading.Thread(target=lambda: results.append(model(x)))
    with watch(model) as seen:
        thread.start()
        assert inside.wait(30)
    closed.set()
    thread.join()
    assert len(seen.calls) == 1 and torch.equal(results[0], model[2](model[0](x)))
    assert left_behind(model) == CLEAN


def test_two_watches_of_one_model_at_once():
    """The second of them is refused, and the first sees its own calls."""
    model, both = gpt().eval(), threading.Barrier(2)
    plain = model(IDS)

    def look():
        try:
            with watch(model) as seen:
                both.wait(30)  # the other has tried
                assert torch.equal(model(IDS), plain)
            return len(seen.calls)
        except ValueError as error:
            both.wait(30)
            return str(error)

    one, two = sorted(in_threads(look, look), key=str)
    assert one == 2 and "is watched already" in two and left_behind(model) == CLEAN


def test_two_models_in_two_threads():
    models = [gpt().eval(), encoder()]
    x = torch.randn(2, 7, 12)

    def look(model, given):
        with torch.no_grad():
            for _ in range(20):
                with watch(model) as seen:
                    model(given)
        return len(seen.calls)

    pairs = zip(models, (IDS, x))
    assert in_threads(*(lambda p=p: look(*p) for p in pairs)) == [2, 2]
    assert left_behind(models[0]) == CLEAN


def test_writing_in_a_thread_is_joined():
    model = made(transformers.LlamaForCausalLM, **SMALL, num_key_value_heads=2)
    options = {"do_sample": False, "eos_token_id": None, "pad_token_id": 0, "max_new_tokens": 5}
    with watch(model) as seen:
        (ids,) = in_threads(lambda: model.generate(IDS[:1], **options))
    assert seen.joined("model.layers.1.self_attn").weights.shape == (1, 4, 9, 9)
    tokens = [f"w{i}" for i in range(ids.shape[1])]
    layer = Inside(seen, tokens=tokens)._layers["model.layers.1.self_attn", 0, 0]
    assert layer.rows == layer.columns == tokens[:-1]


# What a layer stores in its forward.


class Counts(nn.TransformerEncoderLayer):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.calls, self.said = 0, []
        self.register_buffer("sum", torch.zeros(()))

    def forward(self, *args, **kwargs):
        self.calls += 1
        self.said.append(self.calls)
        self.sum += 1
        return super().forward(*args, **kwargs)


@pytest.mark.parametrize("alone", (True, False))
def test_a_layer_that_counts_its_calls_counts_each_once(alone):
    model = Counts(12, 2, 16, batch_first=True).eval() if alone else encoder(Counts)
    with torch.no_grad():
        plain = with_padding(model)
        with watch(model) as seen:
            assert torch.equal(with_padding(model), plain)
    layers = [model] if alone else model.layers
    for layer in layers:
        assert layer.calls == 2 and layer.said == [1, 2] and layer.sum == 2
    assert seen.check() and len(seen.calls) == len(layers)
    names = ["self_attn"] if alone else [f"layers.{i}.self_attn" for i in (0, 1)]
    assert list(seen.weights) == names and seen.calls[0].hidden is not None
