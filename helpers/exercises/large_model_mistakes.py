"""The mistakes in notebook 15, as edits of the right answers in models.large."""

OF_TILES = {
    "not_rescaled": """total * rescale + → total +
        context * rescale + → context +
        or context * rescale + → context +""",
    "sum_not_rescaled": "total * rescale + → total +",
    "maximum_of_the_tile": """torch.maximum(highest, scores.amax(dim=-1, keepdim=True))
            → scores.amax(dim=-1, keepdim=True)
        total * rescale + → total +
        context * rescale + → context +""",
    "no_maximum": """maximum(highest, scores.amax(dim=-1, keepdim=True)) → zeros_like(highest)
        total * rescale + → total +
        context * rescale + → context +""",
    "maximum_from_0": """full_like(query[..., :1], float("-inf"))  # (..., queries, 1)
            → zeros_like(query[..., :1])""",
    "returned_at_once": """highest = higher → highest = higher
        return context / total""",
    "sum_left_out": "return context / total → return context",
    "last_tile_left_out": "shape[-2] → shape[-2] // tile * tile",
    "tiles_averaged": """torch.maximum(highest, scores.amax(dim=-1, keepdim=True))
            → scores.amax(dim=-1, keepdim=True)
        context * rescale + parts @ values  # (..., queries, d_v)
            → context + parts / parts.sum(dim=-1, keepdim=True) @ values
        return context / total → return context / len(key.split(tile))
        or torch.maximum(highest, scores.amax(dim=-1, keepdim=True))
            → scores.amax(dim=-1, keepdim=True)
        context * rescale + parts @ values  # (..., queries, d_v)
            → context + parts / parts.sum(dim=-1, keepdim=True) @ values
        return context / total → return context""",
    "whole_matrix": """total, context = 0, 0 → total, context, tile = 0, 0, len(key)
        or total, context = 0, 0 → tiles = [query @ k.mT / query.shape[-1] ** 0.5 for k in key.split(tile)]
        return torch.cat(tiles, dim=-1).softmax(dim=-1) @ value
        or total, context = 0, 0 → rows = [q @ key.mT / q.shape[-1] ** 0.5 for q in query.split(tile)]
        return torch.cat([row.softmax(dim=-1) @ value for row in rows])""",
    "other_tiles": """total, context = 0, 0 → total, context, tile = 0, 0, -(-len(key) // tile)
        or total, context = 0, 0 → total, context, tile = 0, 0, 2
        or total, context = 0, 0 → total, context, tile = 0, 0, 4""",
    "scores_kept": """total, context = 0, 0 → total, context, kept = 0, 0, []
        higher = torch → kept.append(scores)
        higher = torch""",
    "library_attention": """total, context = 0, 0
            → return torch.nn.functional.scaled_dot_product_attention(query, key, value)""",
    "no_scale": "mT / query.shape[-1] ** 0.5 → mT",
    "by_tokens": "/ query.shape[-1] ** 0.5 → / len(key) ** 0.5",
}


def copied(way):
    """Keys and values copied for every head, before the right answer begins."""
    sizes = "batch, heads, queries, d = query.shape\ntimes = heads // key.shape[1]"
    return f"{sizes}\nkey, value = ({way} for z in (key, value))"


OF_GROUPS = {
    "heads_in_turns": """batch, heads, queries, d = query.shape → batch, heads, queries, d = query.shape
        times = heads // key.shape[1]
        key, value = (z.repeat(1, times, 1, 1) for z in (key, value))
        or reshape(batch, key.shape[1], -1, d)  # (batch, key heads, group · queries, d)
            → unflatten(1, (-1, key.shape[1])).transpose(1, 2).flatten(2, 3)
        reshape(batch, heads, queries, -1)
            → unflatten(2, (-1, queries)).transpose(1, 2).flatten(1, 2)""",
    "keys_copied": """batch, heads, queries, d = query.shape → batch, heads, queries, d = query.shape
        times = heads // key.shape[1]
        key, value = (z.repeat_interleave(times, dim=1) for z in (key, value))
        or batch, heads, queries, d = query.shape → batch, heads, queries, d = query.shape
        times = heads // key.shape[1]
        key, value = (z[:, :, None].expand(-1, -1, times, -1, -1).flatten(1, 2) for z in (key, value))""",
    "library_attention": """batch, heads, queries, d = query.shape
            → from torch.nn.functional import scaled_dot_product_attention as fused
            return fused(query, key, value, enable_gqa=True)""",
    "no_scale": "mT / d**0.5 → mT",
    "over_queries": "softmax(dim=-1) → softmax(dim=-2)",
}

OF_WINDOW = {
    "window_too_wide": "back >= window → back > window",
    "window_too_narrow": "back >= window → back >= window - 1",
    "looks_ahead": "return (back < 0) | (back >= window) → return back.abs() >= window",
    "no_window": "return (back < 0) | (back >= window) → return back < 0",
    "window_ahead": "return (back < 0) | (back >= window) → return (back > 0) | (back <= -window)",
    "visible_for_hidden": "return (back < 0) | (back >= window) → return (back >= 0) & (back < window)",
    "window_without_itself": """back < 0 → back <= 0
        or (back < 0) | (back >= window) → (back <= 0) | (back > window)""",
    "not_booleans": "return (back < 0) | (back >= window) → return ((back < 0) | (back >= window)).float()",
}


OF_STEP = {
    "read_before_update": """state = state → read, divided = state, total
        state = state
        state / (query @ total) → read / (query @ divided)""",
    "state_turned": """(key, value) → (value, key)
        or (key, value) → (value, key)
        query @ state / → state @ query /""",
    "state_written_over": """state + torch.outer(key, value)  # (d, d_v) → torch.outer(key, value)
        or state + torch.outer(key, value)  # (d, d_v) → torch.outer(key, value)
        total = total + key  # (d,) → total = key""",
    "total_left_out": "state / (query @ total) → state",
    "total_not_grown": """state = state → before = total
        state = state
        query @ total → query @ before
        or total = total + key  # (d,) →""",
    "query_left_out": "(query @ total) → total.sum()",
    "asked_by_the_key": "query @ state / (query @ total) → key @ state / (key @ total)",
    "cache_not_grown": """state = state → old, before = state, total
        state = state
        state / (query @ total), state, total → state / (query @ total), old, before""",
}


OF_CHOICE = {
    "future_chosen": """index = (index_query @ index_key.T).masked_fill(future, float("-inf"))
            → index = index_query @ index_key.T""",
    "future_hidden_late": """index = (index_query @ index_key.T).masked_fill(future, float("-inf"))
            → index = index_query @ index_key.T
        scores.masked_fill(best == float("-inf"), → scores.masked_fill(future.gather(1, chosen),
        or index = (index_query @ index_key.T).masked_fill(future, float("-inf"))
            → index = index_query @ index_key.T
        scores.masked_fill(best == float("-inf"), → scores.masked_fill(future.gather(1, chosen),
        softmax(dim=1) → softmax(dim=1).nan_to_num()
        or index = (index_query @ index_key.T).masked_fill(future, float("-inf"))
            → index = index_query @ index_key.T
        best, chosen = index.topk(min(k, tokens), dim=1)
            → chosen = index.topk(min(k, tokens), dim=1).indices
        seen = torch.zeros(tokens, tokens).scatter(1, chosen, 1.0).bool() & ~future
        every = query @ key.T / d**0.5
        every = every.masked_fill(~seen & ~torch.eye(tokens).bool(), float("-inf"))
        return every.softmax(dim=1) @ value""",
    "future_has_weight": 'scores.masked_fill(best == float("-inf"), float("-inf")).softmax → scores.softmax',
    "all_keys_chosen": "topk(min(k, tokens), dim=1) → topk(tokens, dim=1)",
    "index_ignored": "(index_query @ index_key.T) → (query @ key.T)",
    "weights_of_the_index": """(query[:, None] * key[chosen]).sum(dim=-1) / d**0.5 → best
        or (query[:, None] * key[chosen]).sum(dim=-1) / d**0.5 → best / d**0.5
        or (query[:, None] * key[chosen]).sum(dim=-1) / d**0.5 → best / index_query.shape[1] ** 0.5""",
    "worst_chosen": """(index_query @ index_key.T) → (-index_query @ index_key.T)""",
    "chosen_not_renormalised": """scores = (query
            → every = (query @ key.T / d**0.5).masked_fill(future, float("-inf")).softmax(dim=1)
        scores = (query
        weights = scores → return (every.gather(1, chosen)[..., None] * value[chosen]).sum(dim=1)
        weights = scores""",
    "newest_chosen": """(index_query @ index_key.T)
            → torch.arange(tokens).float().expand(tokens, tokens)""",
    "no_scale": "sum(dim=-1) / d**0.5 → sum(dim=-1)",
}
