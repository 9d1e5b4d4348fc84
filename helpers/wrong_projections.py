"""Wrong answers to the functions of notebook 2, one known mistake in each.

The line that makes the mistake stands above a comment with the line that mends it; a mend with
nothing in it means: leave the line out. pitfalls.py says what each mistake is called.
"""

import torch
from torch import nn
from torch.nn import functional as F

# ---------------------------------------------------------------- projections


def project_query_is_data(x, W_query, W_key, W_value):
    return x, x @ W_key, x @ W_value
    # mend: return x @ W_query, x @ W_key, x @ W_value


def project_swapped(x, W_query, W_key, W_value):
    return x @ W_key, x @ W_query, x @ W_value
    # mend: return x @ W_query, x @ W_key, x @ W_value


def project_values_first(x, W_query, W_key, W_value):
    return x @ W_value, x @ W_key, x @ W_query
    # mend: return x @ W_query, x @ W_key, x @ W_value


def project_keys_values_swapped(x, W_query, W_key, W_value):
    return x @ W_query, x @ W_value, x @ W_key
    # mend: return x @ W_query, x @ W_key, x @ W_value


def project_one_matrix(x, W_query, W_key, W_value):
    return x @ W_query, x @ W_query, x @ W_query
    # mend: return x @ W_query, x @ W_key, x @ W_value


def project_keys_from_queries(x, W_query, W_key, W_value):
    return x @ W_query, x @ W_query, x @ W_value
    # mend: return x @ W_query, x @ W_key, x @ W_value


def project_turned(x, W_query, W_key, W_value):
    return x @ W_query.T, x @ W_key.T, x @ W_value.T
    # mend: return x @ W_query, x @ W_key, x @ W_value


def project_as_linear(x, W_query, W_key, W_value):
    return tuple(F.linear(x, W) for W in (W_query, W_key, W_value))
    # mend: return tuple(F.linear(x, W.T) for W in (W_query, W_key, W_value))


def project_detached(x, W_query, W_key, W_value):
    return tuple(x @ W.detach() for W in (W_query, W_key, W_value))
    # mend: return tuple(x @ W for W in (W_query, W_key, W_value))


# ---------------------------------------------------------------- scaled weights


def weights_not_scaled(queries, keys):
    scores = queries @ keys.T
    # mend: scores = queries @ keys.T / keys.shape[-1] ** 0.5
    return torch.softmax(scores, dim=-1)


def weights_by_d_k(queries, keys):
    scores = queries @ keys.T / keys.shape[-1]
    # mend: scores = queries @ keys.T / keys.shape[-1] ** 0.5
    return torch.softmax(scores, dim=-1)


def weights_times_root(queries, keys):
    scores = queries @ keys.T / keys.shape[-1] ** -0.5
    # mend: scores = queries @ keys.T / keys.shape[-1] ** 0.5
    return torch.softmax(scores, dim=-1)


def weights_by_tokens(queries, keys):
    scores = queries @ keys.T / keys.shape[0] ** 0.5
    # mend: scores = queries @ keys.T / keys.shape[-1] ** 0.5
    return torch.softmax(scores, dim=-1)


def weights_by_two(queries, keys):
    scores = queries @ keys.T / 2**0.5
    # mend: scores = queries @ keys.T / keys.shape[-1] ** 0.5
    return torch.softmax(scores, dim=-1)


def weights_by_half(queries, keys):
    scores = queries @ keys.T / keys.shape[-1] ** 1 / 2
    # mend: scores = queries @ keys.T / keys.shape[-1] ** 0.5
    return torch.softmax(scores, dim=-1)


def weights_by_half_in_brackets(queries, keys):
    scores = queries @ keys.T / (keys.shape[-1] ** 1 / 2)
    # mend: scores = queries @ keys.T / keys.shape[-1] ** 0.5
    return torch.softmax(scores, dim=-1)


def weights_scaled_after(queries, keys):
    return torch.softmax(queries @ keys.T, dim=-1) / keys.shape[-1] ** 0.5
    # mend: return torch.softmax(queries @ keys.T / keys.shape[-1] ** 0.5, dim=-1)


def weights_over_queries(queries, keys):
    scores = queries @ keys.T / keys.shape[-1] ** 0.5
    return torch.softmax(scores, dim=0)
    # mend: return torch.softmax(scores, dim=-1)


def weights_over_everything(queries, keys):
    scores = queries @ keys.T / keys.shape[-1] ** 0.5
    return torch.softmax(scores.flatten(), dim=0).view(scores.shape)
    # mend: return torch.softmax(scores, dim=-1)


def weights_without_exp(queries, keys):
    scores = queries @ keys.T / keys.shape[-1] ** 0.5
    return scores / scores.sum(dim=-1, keepdim=True)
    # mend: return torch.softmax(scores, dim=-1)


def weights_unstable(queries, keys):
    e = (queries @ keys.T / keys.shape[-1] ** 0.5).exp()
    # mend: e = torch.softmax(queries @ keys.T / keys.shape[-1] ** 0.5, dim=-1)
    return e / e.sum(dim=-1, keepdim=True)


def weights_no_keepdim(queries, keys):
    scores = queries @ keys.T / keys.shape[-1] ** 0.5
    e = (scores - scores.amax(dim=-1, keepdim=True)).exp()
    return e / e.sum(dim=-1)
    # mend: return e / e.sum(dim=-1, keepdim=True)


def weights_scores_returned(queries, keys):
    return queries @ keys.T / keys.shape[-1] ** 0.5
    # mend: return torch.softmax(queries @ keys.T / keys.shape[-1] ** 0.5, dim=-1)


def weights_keys_ask(queries, keys):
    scores = keys @ queries.T / keys.shape[-1] ** 0.5
    # mend: scores = queries @ keys.T / keys.shape[-1] ** 0.5
    return torch.softmax(scores, dim=-1)


def weights_queries_only(queries, keys):
    scores = queries @ queries.T / keys.shape[-1] ** 0.5
    # mend: scores = queries @ keys.T / keys.shape[-1] ** 0.5
    return torch.softmax(scores, dim=-1)


def weights_of_columns(queries, keys):
    scores = queries.T @ keys / keys.shape[-1] ** 0.5
    # mend: scores = queries @ keys.T / keys.shape[-1] ** 0.5
    return torch.softmax(scores, dim=-1)


def weights_detached(queries, keys):
    scores = queries @ keys.T / keys.shape[-1] ** 0.5
    return torch.softmax(scores, dim=-1).detach()
    # mend: return torch.softmax(scores, dim=-1)


def weights_in_place(queries, keys):
    queries /= keys.shape[-1] ** 0.5
    # mend: queries = queries / keys.shape[-1] ** 0.5
    return torch.softmax(queries @ keys.T, dim=-1)


# ---------------------------------------------------------------- copying weights

NAMES = ("W_query", "W_key", "W_value")


def copy_without_turning(from_parameters, to_linear):
    for name in NAMES:
        W = getattr(from_parameters, name).detach()
        # mend: W = getattr(from_parameters, name).detach().T
        getattr(to_linear, name).weight = nn.Parameter(W.clone())


def copy_without_turning_in_place(from_parameters, to_linear):
    with torch.no_grad():
        for name in NAMES:
            getattr(to_linear, name).weight.copy_(getattr(from_parameters, name))
            # mend: getattr(to_linear, name).weight.copy_(getattr(from_parameters, name).T)


def copy_watched(from_parameters, to_linear):
    for name in NAMES:
        getattr(to_linear, name).weight.copy_(getattr(from_parameters, name).T)
        # mend: getattr(to_linear, name).weight.data.copy_(getattr(from_parameters, name).T)


def copy_assigned(from_parameters, to_linear):
    for name in NAMES:
        getattr(to_linear, name).weight = getattr(from_parameters, name).T
        # mend: getattr(to_linear, name).weight = nn.Parameter(getattr(from_parameters, name).T)


def copy_one_for_all(from_parameters, to_linear):
    for name in NAMES:
        W = from_parameters.W_query.detach().T
        # mend: W = getattr(from_parameters, name).detach().T
        getattr(to_linear, name).weight = nn.Parameter(W.clone())


def copy_of_a_copy(from_parameters, to_linear):
    for name in NAMES:
        weight = getattr(to_linear, name).weight.detach().clone()
        # mend: weight = getattr(to_linear, name).weight.detach()
        weight.copy_(getattr(from_parameters, name).T)


def copy_frozen(from_parameters, to_linear):
    for name in NAMES:
        W = getattr(from_parameters, name).detach().T.clone()
        getattr(to_linear, name).weight = nn.Parameter(W, requires_grad=False)
        # mend: getattr(to_linear, name).weight = nn.Parameter(W)


def copy_backwards(from_parameters, to_linear):
    for name in NAMES:
        W = getattr(to_linear, name).weight.detach().T.clone()
        setattr(from_parameters, name, nn.Parameter(W))
        # mend: getattr(to_linear, name).weight = nn.Parameter(getattr(from_parameters, name).detach().T)
