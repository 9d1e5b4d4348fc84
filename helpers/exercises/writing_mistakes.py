"""The mistakes that the checks of notebook 12 name, as edits of the right answers in n12_writing."""

from .edits import swap

SCORES = "scores = model(ids[:, -model.context_length :])"

OF_GENERATE = {
    "scores_of_the_first": swap("scores[:, -1]", "scores[:, 0]"),
    "scores_of_all_places": swap("scores[:, -1]", "scores"),
    "axis_of_places_kept": swap("scores[:, -1]", "scores[:, -1:]"),
    "first_story_alone": swap("scores[:, -1]", "scores[0, -1]"),
    "last_story_scored": [
        swap("scores[:, -1]", "scores[-1]"),
        swap("scores[:, -1]", "scores[-1, -1:]"),
    ],
    "last_word_alone": [
        swap("ids[:, -model.context_length :]", "ids[:, -1:]"),
        swap("model(ids[:, -model", "model(ids[:, -1:] if _ else ids[:, -model"),
    ],
    "context_outgrown": swap("ids[:, -model.context_length :]", "ids"),
    "first_words_read": swap("-model.context_length :", ": model.context_length"),
    "beginning_lost": [
        "ids = torch.cat([ids, new], dim=1)[:, -model.context_length :]",
        "ids = ids[:, -model.context_length :]\nscores = model(ids)",
    ],
    "never_appended": [
        swap(f"for _ in range(n_new):\n        {SCORES}", f"{SCORES}\nfor _ in range(n_new):"),
        "new = choose(scores[:, -1])\nwritten = torch.cat([ids, new], dim=1)\n"
        "ids = written if _ == n_new - 1 else ids",
    ],
    "joined_not_kept": swap("ids = torch.cat", "torch.cat"),
    "returned_at_once": "ids = torch.cat([ids, new], dim=1)\nreturn ids",
    "chances_to_choose": swap("scores[:, -1]", "scores[:, -1].softmax(dim=-1)"),
    "new_words_alone": "return ids[:, -n_new:]",
    "last_new_alone": "return new",
    "put_in_front": swap("[ids, new]", "[new, ids]"),
    "put_below": swap("dim=1", "dim=0"),
    "a_new_word_too_many": swap("range(n_new)", "range(n_new + 1)"),
    "a_new_word_too_few": swap("range(n_new)", "range(n_new - 1)"),
    "stops_when_full": swap(
        "range(n_new)", "range(min(n_new, model.context_length - ids.shape[1]))"
    ),
    "n_new_as_length": swap("range(n_new)", "range(n_new - ids.shape[1])"),
    "choose_unused": [
        swap("choose(scores[:, -1])", "scores[:, -1].argmax(dim=-1, keepdim=True)"),
        swap("choose(scores[:, -1])", "scores.argmax(dim=-1)[:, -1:]"),
    ],
    "least_likely": "new = choose(-scores[:, -1])",
}  # fmt: skip


def by_threshold(threshold, below="<"):
    """The edits that hide by a threshold, in place of the sorted places."""
    sorted_places = "best_first = scores.sort(dim=-1, descending=True, stable=True).indices"
    hidden = 'scores.scatter(-1, best_first[..., k:], float("-inf"))'
    by_score = f'scores.masked_fill(scores {below} threshold, float("-inf"))'
    return swap(sorted_places, f"threshold = {threshold}"), swap(hidden, by_score)


OF_TOP_K = {
    "ties_kept_too": by_threshold("scores.topk(k).values[..., -1:]"),
    "threshold_without_axis": by_threshold("scores.topk(k).values[..., -1]"),
    "kth_hidden": by_threshold("scores.topk(k).values[..., -1:]", "<="),
    "one_threshold": [
        by_threshold("scores.flatten().topk(k).values[-1]"),
        "row = scores.flatten()\nworst = row.sort(descending=True, stable=True).indices[k:]\n"
        'return row.scatter(0, worst, float("-inf")).view_as(scores)',
    ],
    "first_k_kept": "best_first = torch.arange(scores.shape[-1]).expand(scores.shape)",
    "axis_from_the_front": [swap("[..., k:]", "[:, k:]"), swap("[..., k:]", "[k:]")],
    "scores_for_places": swap(".indices", ".values"),
    "infinity_times_0": "keep = torch.zeros_like(scores).scatter(-1, best_first[..., :k], 1.0)\n"
    "return scores * keep - (1 - keep) * torch.inf",
    "copy_not_kept": 'scores.scatter(-1, best_first[..., k:], float("-inf"))\nreturn scores',
    "least_kept": swap(", descending=True", ""),
    "best_hidden": swap("[..., k:]", "[..., :k]"),
    "one_too_few_kept": swap("[..., k:]", "[..., k - 1 :]"),
    "one_too_many_kept": swap("[..., k:]", "[..., k + 1 :]"),
    "zero_for_hidden": swap('float("-inf")', "0.0"),
    "values_without_places": "return scores.topk(k).values",
    "places_for_scores": "return scores.topk(k).indices",
    "chances_for_scores": 'return scores.scatter(-1, best_first[..., k:], float("-inf")).softmax(dim=-1)',
    "order_not_undone": "sorted_ = scores.gather(-1, best_first)\n"
    'return sorted_.where(torch.arange(scores.shape[-1]) < k, float("-inf"))',
    "over_rows": (
        "best_first = scores.sort(dim=0, descending=True, stable=True).indices",
        'return scores.scatter(0, best_first[k:], float("-inf"))',
    ),
    "in_place": 'return scores.scatter_(-1, best_first[..., k:], float("-inf"))',
}  # fmt: skip


RANK = "rank = torch.arange(scores.shape[-1]).expand(scores.shape)"
UNSORTED = "best_first, order = scores, torch.arange(scores.shape[-1]).expand(scores.shape)"

OF_TOP_P = {
    "crossing_dropped": [
        "before = chances.cumsum(dim=-1)",
        ("before = chances.cumsum(dim=-1)", swap("before >= p", "before > p")),
    ],
    "only_the_best_saved": [
        "before = chances.cumsum(dim=-1)\nbefore[..., 0] = 0",
        ("before = chances.cumsum(dim=-1)\nbefore[..., 0] = 0", swap("before >= p", "before > p")),
    ],
    "one_more_than_needed": "before = chances.cumsum(dim=-1) - chances - chances.roll(1, dims=-1)",
    "scores_added_up": "chances = best_first",
    "not_sorted": [
        UNSORTED,
        (UNSORTED, "before = chances.cumsum(dim=-1)", swap("before >= p", "before > p")),
    ],
    "least_first": swap(", descending=True", ""),
    "order_not_undone": 'return best_first.masked_fill(hidden, float("-inf"))',
    "undone_by_the_order": swap("hidden.scatter(-1, order, hidden)", "hidden.gather(-1, order)"),
    "hidden_not_put_back": swap("hidden.scatter(-1, order, hidden)", "hidden"),
    "sum_above_p": swap("before >= p", "before > p"),
    "threshold_p": 'return scores.masked_fill(scores.softmax(dim=-1) < p, float("-inf"))',
    "share_of_the_words": [
        f"{RANK}\nhidden = rank >= max(1, int(p * scores.shape[-1]))",
        f"{RANK}\nhidden = rank >= p * scores.shape[-1]",
    ],
    "one_less_p": swap("before >= p", "before >= 1 - p"),
    "one_cut_for_all_rows": "most = (before < p).sum(dim=-1).max()\n"
    'return scores.scatter(-1, order[..., most:], float("-inf"))',
    "share_of_the_best": "least = p * chances.amax(dim=-1, keepdim=True)\n"
    'return scores.masked_fill(scores.softmax(dim=-1) < least, float("-inf"))',
    "rest_kept": swap("before >= p", "before < p"),
    "zero_for_hidden": swap('float("-inf")', "0.0"),
    "chances_for_scores": [
        'return scores.masked_fill(hidden.scatter(-1, order, hidden), float("-inf")).softmax(dim=-1)',
        swap("scores.masked_fill", "scores.softmax(dim=-1).masked_fill"),
        "return scores.softmax(dim=-1).masked_fill(hidden.scatter(-1, order, hidden), 0.0)",
    ],
    "over_rows": [
        (
            "best_first, order = scores.sort(dim=0, descending=True, stable=True)",
            "chances = best_first.softmax(dim=0)",
            "before = chances.cumsum(dim=0) - chances",
            swap("scatter(-1", "scatter(0"),
        ),
        swap("softmax(dim=-1)", "softmax(dim=0)"),
        swap("cumsum(dim=-1)", "cumsum(dim=0)"),
    ],
    "in_place": swap("masked_fill(", "masked_fill_("),
}  # fmt: skip


GROWN_KEYS = "torch.cat([keys, layer.W_key(x)]"
GROWN_VALUES = "torch.cat([values, layer.W_value(x)]"

OF_CACHED_ATTENTION = {
    "cache_unused": ("keys = layer.W_key(x)", "values = layer.W_value(x)"),
    "cache_not_grown": swap("@ all_values, all_keys, all_values", "@ all_values, keys, values"),
    "new_not_seen": (
        "scores = layer.W_query(x) @ keys.mT / keys.shape[-1] ** 0.5",
        "return scores.softmax(dim=-1) @ values, all_keys, all_values",
    ),
    "new_keys_alone_returned": swap("values, keys, values", "values, layer.W_key(x), layer.W_value(x)"),
    "new_in_front": (
        "keys = torch.cat([layer.W_key(x), keys], dim=1)",
        "values = torch.cat([layer.W_value(x), values], dim=1)",
    ),
    "appended_twice": (
        "keys = torch.cat([keys, layer.W_key(x), layer.W_key(x)], dim=1)",
        "values = torch.cat([values, layer.W_value(x), layer.W_value(x)], dim=1)",
        "earlier = keys.shape[1] - 2 * x.shape[1]",
    ),
    "query_kept": swap("[keys, layer.W_key(x)]", "[keys, queries]"),
    "last_overwritten": (
        "keys = torch.cat([keys[:, : -x.shape[1]], layer.W_key(x)], dim=1)",
        "values = torch.cat([values[:, : -x.shape[1]], layer.W_value(x)], dim=1)",
    ),
    "x_kept": ("keys = torch.cat([keys, x], dim=1)", "values = torch.cat([values, x], dim=1)"),
    "cat_on_another_axis": [
        (f"keys = {GROWN_KEYS}, dim={dim})", f"values = {GROWN_VALUES}, dim={dim})")
        for dim in (0, -1)
    ],
    "mask_for_all_words": swap("torch.ones(x.shape[1], ", "torch.ones(keys.shape[1], "),
    "mask_at_the_start_alone": swap(".bool()", ".bool() & (earlier == 0)"),
    "zero_for_hidden": swap('float("-inf")', "0.0"),
    "mask_after_softmax": (
        swap('.masked_fill(future, float("-inf"))', ""),
        swap("softmax(dim=-1)", "softmax(dim=-1).masked_fill(future, 0.0)"),
    ),
    "corner_of_the_mask": [
        swap("triu(1 + earlier)", "triu(1)"),
        "return F.scaled_dot_product_attention(queries, keys, values, is_causal=True), keys, values",
        "return F.scaled_dot_product_attention(queries, keys, values, is_causal=len(x[0]) > 1), keys, values",
    ],
    "mask_convention": "return F.scaled_dot_product_attention(queries, keys, values, future), keys, values",
    "nothing_hidden": swap('.masked_fill(future, float("-inf"))', ""),
    "own_key_hidden": swap("triu(1 + earlier)", "triu(earlier)"),
    "last_query_alone": [
        swap("layer.W_query(x)", "layer.W_query(x[:, -1:])"),
        (swap("layer.W_query(x)", "layer.W_query(x[:, -1:])"), swap('.masked_fill(future, float("-inf"))', "")),
    ],
    "no_scale": swap(" / keys.shape[-1] ** 0.5", ""),
    "by_d_k": swap("keys.shape[-1] ** 0.5", "keys.shape[-1]"),
    "by_another_size": [
        swap("keys.shape[-1] ** 0.5", "x.shape[-1] ** 0.5"),
        swap("keys.shape[-1] ** 0.5", "values.shape[-1] ** 0.5"),
    ],
    "over_queries_in_batch": swap("softmax(dim=-1)", "softmax(dim=1)"),
    "scores_mixed": swap("scores.softmax(dim=-1)", "scores.nan_to_num(neginf=0)"),
}  # fmt: skip
