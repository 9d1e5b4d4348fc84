"""The mistakes that the checks of notebook 15 name, as edits of the right answers in models.large."""

from .mistakes import Mistake, swap

NOT_RESCALED = swap("total * rescale +", "total +"), swap("context * rescale +", "context +")
HIGHER = "torch.maximum(highest, scores.amax(dim=-1, keepdim=True))"
OF_THE_TILE = swap(HIGHER, "scores.amax(dim=-1, keepdim=True)")

OF_TILES = {
    "not_rescaled": Mistake(NOT_RESCALED).called("""
        what was summed is not rescaled
        Right while the first tile has the highest score; from a higher one on, early keys weigh too much.
        What was summed so far is exp(score − old maximum). By what must it be multiplied for the new one?"""),
    "sum_not_rescaled": Mistake(NOT_RESCALED[0]).called("""
        the context rescaled, its sum not
        Right while the maximum stays; once it grows, the context comes out too small.
        Both are sums of the same exponentials. What was done to one of them, and not to the other?"""),
    "rescaled_upside_down": Mistake(swap("highest - higher", "higher - highest")).called("""
        rescaled by the inverse
        What was summed so far grows when the maximum does; in the first tile 0 times ∞ is nan.
        Under a higher maximum, are the same exponentials larger or smaller?"""),
    "maximum_of_the_tile": Mistake((OF_THE_TILE, *NOT_RESCALED)).called("""
        the maximum of the tile, not the running one
        Each tile counts from a maximum of its own; what was summed may even grow past all bounds.
        A tile far below the others: what should its keys weigh? Which maximum tells?"""),
    "no_maximum": ("higher = torch.zeros_like(highest)", *NOT_RESCALED),
    "maximum_from_0": Mistake("highest = torch.zeros_like(query[..., :1])").called("""
        a running maximum that begins with 0
        Right while a score is above 0; far below, every exponential is 0, and 0 is divided by 0.
        Which number is lower than every score that may come?"""),
    "returned_at_once": swap("highest = higher", "highest = higher\nreturn context / total"),
    "sum_left_out": Mistake("return context").called("""
        the sum of the exponentials not divided by
        Rows of the right direction and of a wrong length.
        Softmax divides by a sum. When is that sum complete?"""),
    "last_tile_left_out": Mistake(
        "for start in range(0, key.shape[-2] // tile * tile, tile):"
    ).called("""
        a last tile that is not full is left out
        Right where the tiles divide the keys; else the last keys are never seen.
        8 keys in tiles of 3: how many tiles are there, and what does a slice past the end give?"""),
    "tiles_averaged": Mistake(
        (
            OF_THE_TILE,
            "context = context + parts / parts.sum(dim=-1, keepdim=True) @ values",
            "return context / len(key.split(tile))",
        )
    ).called("""
        a softmax for each tile
        Each tile shares out a whole 1; keys are not compared across tiles.
        A tile with low scores only: how much should it count beside one with a high score?"""),
    "whole_matrix": Mistake("total, context, tile = 0, 0, len(key)").called("""
        all scores at once
        The right numbers; but a matrix of all queries and all keys was made on the way.
        How many scores may there be at a time, if `tile` keys are looked at?"""),
    "no_scale": swap(" / query.shape[-1] ** 0.5", ""),
}


def copied(way):
    """Keys and values copied for every head, before the right answer begins."""
    sizes = "batch, heads, queries, d = query.shape\ntimes = heads // key.shape[1]"
    return f"{sizes}\nkey, value = ({way} for z in (key, value))"


OF_GROUPS = {
    "heads_in_turns": Mistake(
        copied("z.repeat(1, times, 1, 1)"),
        (
            "asked = query.unflatten(1, (-1, key.shape[1])).transpose(1, 2).flatten(2, 3)",
            "return (weights @ value).unflatten(2, (-1, queries)).transpose(1, 2).flatten(1, 2)",
        ),
    ).called("""
        heads dealt out in turns
        Right for one head of keys; with more, most heads ask the keys of another group.
        Heads 0, 1 and 2 share the first keys. Whose keys does your head 1 ask?"""),
    "keys_copied": Mistake(
        copied("z.repeat_interleave(times, dim=1)"),
        copied("z[:, :, None].expand(-1, -1, times, -1, -1).flatten(1, 2)"),
    ).called("""
        keys copied for every head
        The right numbers; but keys and values were made as large as if each head had its own.
        To a head of keys, what is the difference between three heads that ask and one with more queries?"""),
    "left_in_groups": Mistake("return weights @ value").called("""
        the context left in its groups
        The right numbers, with the heads of a group on the axis of the queries.
        Which shape had the query? How does the context get back to it?"""),
    "no_scale": swap(" / d**0.5", ""),
    "over_queries": swap("softmax(dim=-1)", "softmax(dim=-2)"),
}

OF_WINDOW = {
    "window_too_wide": Mistake(swap("back >= window", "back > window")).called("""
        one token too many
        The window holds the token itself and `window` others.
        Count what the last row sees. Is the token itself counted?"""),
    "window_too_narrow": Mistake(swap("back >= window", "back >= window - 1")).called("""
        one token too few
        With a window of 1, a token does not even see itself.
        Count what the last row sees. How far back is the last of `window` tokens?"""),
    "looks_ahead": Mistake("return back.abs() >= window").called("""
        a window on both sides
        Tokens see some of the future, too.
        The window ends at the token itself. Which sign has your distance for a key further on?"""),
    "future_shown": Mistake("return back >= window").called("""
        the past hidden, and not the future
        What is long past is hidden, and all of the future shows.
        Two things are hidden. Which of them does your mask leave out?"""),
    "no_window": Mistake("return back < 0").called("""
        the causal mask alone
        Right while the text is no longer than the window.
        In the last row: which of the early tokens does the window leave out?"""),
    "window_ahead": Mistake("return (back > 0) | (back <= -window)").called("""
        the window on the wrong side
        Tokens see those after them, and none before.
        Row i, column j: when is j later than i? Look at the sign of your distance."""),
    "hides_nothing": Mistake(swap("(back < 0) | (back", "(back < 0) & (back")).called("""
        & for |: hidden only where both say so
        Nothing is hidden: no token is later and long past at once.
        A token is hidden if it is later *or* too far back. Which sign did you take?"""),
    "visible_for_hidden": "return (back >= 0) & (back < window)",
    "diagonal_0": swap("back < 0", "back <= 0"),
    "not_booleans": "return ((back < 0) | (back >= window)).float()",
}


READ_BEFORE = "return query @ read / (query @ divided), state, total"

OF_STEP = {
    "read_before_update": Mistake(
        (swap("state = ", "read, divided = state, total\nstate = "), READ_BEFORE)
    ).called("""
        read before the new token is in
        Each token sees those before it and not itself; the first divides 0 by 0.
        May a token see itself? In which order are the two lines then?"""),
    "state_turned": Mistake(swap("(key, value)", "(value, key)")).called("""
        key and value in each other's place
        An error; or, where they are equally long, another context.
        The query meets the axis of the keys. Which axis of your state is that, rows or columns?"""),
    "state_written_over": Mistake("state = torch.outer(key, value)").called("""
        the state written over
        The first token is right; later ones know nothing of those before them.
        What did the state hold when it came in? Is it in what you return?"""),
    "total_written_over": Mistake("total = key").called("""
        the sum of the keys written over
        The state is right; the context is divided by the newest key alone.
        The context is a weighted mean. Over which tokens must its weights sum to 1?"""),
    "total_not_grown": Mistake(swap("total = total + key", "total + key")).called("""
        the sum of the keys not grown
        The new token is in the state and not in what the context is divided by.
        Two sums belong to every token. Which of them got the new one?"""),
    "total_left_out": Mistake("return query @ state, state, total").called("""
        not divided by the sum of the weights
        A sum of values where a mean is asked: it grows with the text.
        Softmax weights sum to 1. What makes these weights do so?"""),
    "query_left_out": Mistake(swap("(query @ total)", "total.sum()")).called("""
        divided by the keys, without the query
        The same number for every query; the weights sum to something else than 1.
        The weight of a token is query · key. What is the sum of these, over all tokens?"""),
    "asked_by_the_key": Mistake("return key @ state / (key @ total), state, total").called("""
        the key in place of the query
        Both sums are right; the new token asks with its key.
        Which of the three vectors has not been used?"""),
    "cache_not_grown": (
        swap("state = ", "old, before = state, total\nstate = "),
        "return query @ state / (query @ total), old, before",
    ),
    "results_swapped": "return state, total, query @ state / (query @ total)",
    "in_place": swap("state = state +", "state +="),
}
