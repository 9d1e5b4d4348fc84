"""The mistakes in notebook 12, as edits of the right answers in n12_writing."""

OF_GENERATE = {
    "logits_of_all_positions": "logits[:, -1] → logits",
    "last_story_scored": "logits[:, -1] → logits[-1]",
    "last_word_alone": "ids[:, -model.context_length :] → ids[:, -1:]",
    "context_outgrown": "ids[:, -model.context_length :] → ids",
    "ids_cropped": """logits = model(ids[:, -model.context_length :])
            → ids = ids[:, -model.context_length :]
        logits = model(ids)""",
    "choose_unused": "choose(logits[:, -1]) → logits[:, -1].argmax(dim=-1, keepdim=True)",
    "one_word_too_many": "range(n_new) → range(n_new + 1)",
    "one_word_too_few": "range(n_new) → range(n_new - 1)",
    "cat_on_another_axis": "dim=1 → dim=0",
    "first_words_read": "-model.context_length : → :model.context_length",
    "returned_at_once": """ids = torch.cat([ids, new], dim=1) → ids = torch.cat([ids, new], dim=1)
        return ids""",
    "new_words_alone": "return ids → return ids[:, -n_new:]",
}


OF_TOP_K = {
    "ties_kept_too": """best_first = logits.sort(dim=-1, descending=True, stable=True).indices
            → threshold = logits.topk(k).values[..., -1:]
        logits.scatter(-1, best_first[..., k:], float("-inf"))
            → logits.masked_fill(logits < threshold, float("-inf"))""",
    "threshold_without_axis": """best_first = logits.sort(dim=-1, descending=True, stable=True).indices
            → threshold = logits.topk(k).values[..., -1]
        logits.scatter(-1, best_first[..., k:], float("-inf"))
            → logits.masked_fill(logits < threshold, float("-inf"))""",
    "axis_from_the_front": """..., k: → :, k:
        or ..., k: → k:""",
    "least_kept": ", descending=True →",
    "best_hidden": "k: → :k",
    "order_not_undone": """best_first = logits.sort(dim=-1, descending=True, stable=True).indices
            → best, _ = logits.sort(dim=-1, descending=True, stable=True)
        logits.scatter(-1, best_first[..., k:], float("-inf"))
            → best.masked_fill(torch.arange(best.shape[-1]) >= k, float("-inf"))""",
    "zero_for_hidden": 'float("-inf") → 0.0',
    "values_without_indices": 'scatter(-1, best_first[..., k:], float("-inf")) → topk(k).values',
    "order_for_ranks": """logits.scatter(-1, best_first[..., k:], float("-inf"))
        → logits.masked_fill(best_first >= k, float("-inf"))""",
    "copy_not_kept": 'logits.scatter(-1, best_first[..., k:], float("-inf")) → logits',
}


OF_TOP_P = {
    "crossing_dropped": """cumsum(dim=-1) - probabilities → cumsum(dim=-1)
        or cumsum(dim=-1) - probabilities → cumsum(dim=-1)
        before >= p → before > p""",
    "only_the_best_saved": """before = probabilities.cumsum(dim=-1) - probabilities
            → before = probabilities.cumsum(dim=-1)
        before[..., 0] = 0
        before >= p → before > p""",
    "logits_added_up": "best_first.softmax(dim=-1) → best_first",
    "order_not_undone": """logits.masked_fill(hidden.scatter(-1, order, hidden), float("-inf"))
            → best_first.masked_fill(hidden, float("-inf"))""",
    "mask_left_sorted": "hidden.scatter(-1, order, hidden) → hidden",
    "axis_from_the_front": "cumsum(dim=-1) - → cumsum(dim=0) -",
    "undone_by_the_order": "scatter(-1, order, hidden) → gather(-1, order)",
    "least_added_first": ", descending=True →",
    "zero_for_hidden": 'float("-inf") → 0.0',
    "not_sorted": """logits.sort(dim=-1, descending=True, stable=True)
            → logits, torch.arange(logits.shape[-1]).expand_as(logits)""",
    "ties_kept_too": """return logits.masked_fill(hidden.scatter(-1, order, hidden), float("-inf"))
            → least = best_first.masked_fill(hidden, float("inf")).amin(dim=-1, keepdim=True)
        return logits.masked_fill(logits < least, float("-inf"))""",
    "threshold_p": """masked_fill(hidden.scatter(-1, order, hidden), float("-inf"))
            → where(logits.softmax(-1) >= p, -torch.inf)""",
}


OF_CACHED_ATTENTION = {
    "cache_unused": """keys = torch.cat([keys, layer.W_key(x)], dim=1) → keys = layer.W_key(x)
        torch.cat([values, layer.W_value(x)], dim=1) → layer.W_value(x)
        or scores = layer.W_query(x) @ all_keys.mT → scores = layer.W_query(x) @ layer.W_key(x).mT
        all_keys.shape[1]).triu(1 + keys.shape[1]) → x.shape[1]).triu(1)
        @ all_values, → @ layer.W_value(x),""",
    "cache_not_grown": "all_keys, all_values → keys, values",
    "cat_on_another_axis": """W_key(x)], dim=1 → W_key(x)], 0
        W_value(x)], dim=1 → W_value(x)], 0""",
    "corner_of_the_mask": """triu(1 + earlier) → triu(1)
        or scores.softmax(dim=-1) @ values
            → F.scaled_dot_product_attention(queries, keys, values, is_causal=len(x[0]) > 1)""",
    "hidden_from_itself": "triu(1 + earlier) → triu(earlier)",
    "diagonal_2": "triu(1 + earlier) → triu(2 + earlier)",
    "mask_convention": """scores.softmax(dim=-1) @ values
            → F.scaled_dot_product_attention(queries, keys, values, future)""",
    "nothing_hidden": """.masked_fill(future, float("-inf")) →
        or triu(1 + earlier).bool() → triu(1 + earlier).bool() & (earlier == 0)""",
    "zeroed_not_hidden": 'float("-inf") → 0.0',
    "tril_for_triu": "triu(1 + earlier) → tril(earlier)",
    "by_tokens": "keys.shape[-1] ** → keys.shape[1] **",
    "by_d_in": "keys.shape[-1] ** → x.shape[-1] **",
    "no_scale": "mT / keys.shape[-1] ** 0.5 → mT",
}
