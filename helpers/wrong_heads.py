"""Wrong answers to the functions of notebook 5, one known mistake in each.

The line that makes the mistake stands above a comment with the line that mends it; a mend with
nothing in it means: leave the line out. pitfalls.py says what each mistake is called.
"""

import torch

# ---------------------------------------------------------------- heads


def split_by_view(x, num_heads):
    b, t, d = x.shape
    return x.reshape(b, num_heads, t, d // num_heads)
    # mend: return x.reshape(b, t, num_heads, d // num_heads).transpose(1, 2)


def split_not_turned(x, num_heads):
    b, t, d = x.shape
    return x.reshape(b, t, num_heads, d // num_heads)
    # mend: return x.reshape(b, t, num_heads, d // num_heads).transpose(1, 2)


def split_interleaved(x, num_heads):
    b, t, d = x.shape
    return x.reshape(b, t, d // num_heads, num_heads).permute(0, 3, 1, 2)
    # mend: return x.reshape(b, t, num_heads, d // num_heads).transpose(1, 2)


def merge_not_turned(x):
    b, heads, t, head_dim = x.shape
    return x.reshape(b, t, heads * head_dim)
    # mend: return x.transpose(1, 2).reshape(b, t, heads * head_dim)


def merge_not_contiguous(x):
    b, heads, t, head_dim = x.shape
    return x.transpose(1, 2).view(b, t, heads * head_dim)
    # mend: return x.transpose(1, 2).contiguous().view(b, t, heads * head_dim)


def merge_interleaved(x):
    b, heads, t, head_dim = x.shape
    return x.permute(0, 2, 3, 1).reshape(b, t, heads * head_dim)
    # mend: return x.transpose(1, 2).reshape(b, t, heads * head_dim)


def merge_by_mean(x):
    return x.mean(dim=1)
    # mend: return x.transpose(1, 2).flatten(2)


def merge_by_sum(x):
    return x.sum(dim=1)
    # mend: return x.transpose(1, 2).flatten(2)


# ---------------------------------------------------------------- nn.MultiheadAttention


def torch_batch_second(layer, x):
    layer.batch_first = False
    # mend: layer.batch_first = True
    hidden = torch.ones(x.shape[1], x.shape[1]).triu(1).bool()
    return layer(x, x, x, attn_mask=hidden, average_attn_weights=False)


def torch_averaged(layer, x):
    x, t = x.transpose(0, 1), x.shape[1]
    hidden = torch.ones(t, t).triu(1).bool()
    context, weights = layer(x, x, x, attn_mask=hidden)
    # mend: context, weights = layer(x, x, x, attn_mask=hidden, average_attn_weights=False)
    return context.transpose(0, 1), weights


def torch_mask_inverted(layer, x):
    x, t = x.transpose(0, 1), x.shape[1]
    hidden = torch.ones(t, t).tril().bool()
    # mend: hidden = torch.ones(t, t).triu(1).bool()
    context, weights = layer(x, x, x, attn_mask=hidden, average_attn_weights=False)
    return context.transpose(0, 1), weights


def torch_only_is_causal(layer, x):
    x = x.transpose(0, 1)
    hidden = None
    # mend: hidden = torch.ones(len(x), len(x)).triu(1).bool()
    named = {"attn_mask": hidden, "is_causal": True, "need_weights": True}
    context, weights = layer(x, x, x, **named, average_attn_weights=False)
    return context.transpose(0, 1), weights


def torch_no_mask(layer, x):
    x = x.transpose(0, 1)
    hidden = None
    # mend: hidden = torch.ones(len(x), len(x)).triu(1).bool()
    context, weights = layer(x, x, x, attn_mask=hidden, average_attn_weights=False)
    return context.transpose(0, 1), weights


# ---------------------------------------------------------------- counting


def count_no_biases():
    return 4 * 768 * 768
    # mend: return 4 * (768 * 768 + 768)


def count_no_out_proj():
    return 3 * (768 * 768 + 768)
    # mend: return 4 * (768 * 768 + 768)


def count_no_out_proj_no_biases():
    return 3 * 768 * 768
    # mend: return 4 * (768 * 768 + 768)


def count_bias_of_out_proj_only():
    return 4 * 768 * 768 + 768
    # mend: return 4 * (768 * 768 + 768)


def count_every_head_whole():
    return 12 * 3 * (768 * 768 + 768) + 768 * 768 + 768
    # mend: return 4 * (768 * 768 + 768)


def count_twelve_times():
    return 12 * 4 * (768 * 768 + 768)
    # mend: return 4 * (768 * 768 + 768)


def count_one_head():
    return 3 * (768 * 64 + 64) + 768 * 768 + 768
    # mend: return 12 * 3 * (768 * 64 + 64) + 768 * 768 + 768


def count_with_mask():
    return 4 * (768 * 768 + 768) + 1024 * 1024
    # mend: return 4 * (768 * 768 + 768)
