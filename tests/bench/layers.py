"""Our attention, our GPT and a watched model, compared with those of others. One thread.

Attention: one forward and backward pass at batch 2, 1,024 tokens, width 768, 12 heads, causal.
Generation: greedy, token by token, with a cache, compared with GPT2LMHeadModel with the same
weights in a plain loop, which is faster than its own `generate`. Watching: our GPT and GPT2Model of
GPT-2 small's size.
"""

import time
from statistics import median

import torch
from torch import nn

from helpers.inside import watch
from helpers.models.attention import MultiHeadAttention
from helpers.models.gpt import GPT, from_hugging_face, generate
from helpers.models.published import smollm
from tests.models.llama_peer import llama_of_hugging_face

WIDTH, HEADS, TOKENS = 768, 12, 1024
WRITTEN, BEFORE = 16, 240  # tokens generated, and tokens before them
VOCABULARY = 5_000  # a larger one would only blur the measurement


def ratios():
    """(what, ratio, bar) for each pair."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield from attention()
        yield from writing()
        yield from watching()
        yield from chatting()
    finally:
        torch.set_num_threads(threads)


def median_ratio(ours, theirs, turns, warming=1):
    """The median of ours / theirs, two functions that return their cost; the order alternates."""
    ratios = []
    for turn in range(warming + turns):
        took = {rival: rival() for rival in (ours, theirs)[:: 1 if turn % 2 else -1]}
        if turn >= warming:
            ratios.append(took[ours] / took[theirs])
    return median(ratios)


def timed(work):
    """A function that does this work, and returns the seconds that it took."""

    def seconds():
        start = time.perf_counter()
        work()
        return time.perf_counter() - start

    return seconds


def attention():
    ours = MultiHeadAttention(WIDTH, WIDTH, TOKENS, 0.0, HEADS)
    torchs = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True)
    future = torch.ones(TOKENS, TOKENS, dtype=torch.bool).triu(1)
    x = torch.rand(2, TOKENS, WIDTH, requires_grad=True)

    def peer(x):
        return torchs(x, x, x, attn_mask=future, is_causal=True, need_weights=False)[0]

    def there_and_back(form):
        return timed(lambda: form(x).sum().backward())

    ratio = median_ratio(there_and_back(ours), there_and_back(peer), 7)
    yield "attention, there and back / nn.MultiheadAttention", ratio, 1.0


def writing():
    from transformers import GPT2Config, GPT2LMHeadModel

    size = {"vocab_size": VOCABULARY, "n_embd": 256, "n_head": 8, "n_layer": 6}
    torch.manual_seed(0)
    theirs = GPT2LMHeadModel(GPT2Config(**size, bos_token_id=0, eos_token_id=0)).eval()
    model, ids = from_hugging_face(theirs), torch.randint(VOCABULARY, (1, BEFORE))

    def write_ours():
        return generate(model, ids, WRITTEN, temperature=0)

    @torch.no_grad()
    def write_theirs():
        written, past = [ids], None
        for _ in range(WRITTEN):
            out = theirs(written[-1], past_key_values=past, use_cache=True, logits_to_keep=1)
            past = out.past_key_values
            written.append(out.logits[:, -1:].argmax(dim=-1))
        return torch.cat(written, dim=1)

    assert torch.equal(write_ours(), write_theirs()), "they do not write the same"
    ratio = median_ratio(timed(write_ours), timed(write_theirs), 25)
    yield "writing with a cache / GPT2LMHeadModel", ratio, 1.0


def watching():
    from transformers import GPT2Config, GPT2Model

    ours = GPT(VOCABULARY, TOKENS, WIDTH, HEADS, 12)
    theirs = GPT2Model(GPT2Config(vocab_size=VOCABULARY, bos_token_id=0, eos_token_id=0))
    for name, model in {"our GPT": ours, "GPT2Model": theirs}.items():
        for tokens, bar, turns in ((256, 1.2, 7), (TOKENS, 1.5, 3)):
            ratio = watched_over_plain(model, torch.arange(tokens)[None], turns)
            yield f"{name}, {tokens:,} tokens, watched / not", ratio, bar


@torch.no_grad()
def watched_over_plain(model, x, turns):
    model.eval()

    def watched():
        with watch(model):
            model(x)

    return median_ratio(timed(watched), timed(lambda: model(x)), turns)


@torch.no_grad()
def chatting():
    """A token of SmolLM2 with a cache: against Hugging Face's generate, and the reading of memory."""
    model, tokenizer = smollm()
    theirs = llama_of_hugging_face(model)
    ids = torch.tensor([tokenizer.encode("Once upon a time, there was a little").ids])
    told = {"max_new_tokens": WRITTEN, "do_sample": False, "eos_token_id": None, "pad_token_id": 2}

    def write_ours():
        return generate(model, ids, WRITTEN, temperature=0)

    def write_theirs():
        return theirs.generate(ids, **told)

    def read():  # all parameters, once for each token
        for _ in range(WRITTEN):
            for parameter in model.parameters():
                parameter.sum()

    assert torch.equal(write_ours(), write_theirs()), "they do not write the same"
    ratio = median_ratio(timed(write_ours), timed(write_theirs), 5)
    yield "a chat model / its generate", ratio, 1.0
    yield "a chat model / reading it", median_ratio(timed(write_ours), timed(read), 5), 1.3
