"""The mistakes that the checks of notebook 12 name, as edits of the right answers in n12_writing."""

from .mistakes import Mistake, swap

OF_GENERATE = {
    "scores_of_all_positions": Mistake(swap("scores[:, -1]", "scores")).called("""
        all positions handed to choose
        A word is chosen for each position, also for those that have one; and the sizes do not fit.
        For how many positions is a new word wanted? Print the shape of the scores."""),
    "last_story_scored": Mistake(swap("scores[:, -1]", "scores[-1]")).called("""
        the last story in place of the last word
        An error; or every story goes on as the last one does.
        Scores are (batch, tokens, vocabulary). Which axis does your index count along?"""),
    "last_word_alone": swap("ids[:, -model.context_length :]", "ids[:, -1:]"),
    "context_outgrown": Mistake(swap("ids[:, -model.context_length :]", "ids")).called("""
        more words than the model can read
        Right for short texts; a long one is refused by the model.
        The model has vectors for context_length positions. Which words can it do without?"""),
    "first_words_read": Mistake(swap("-model.context_length :", ":model.context_length")).called("""
        the first words read, not the last
        Right for short texts; a long one is always continued from its beginning.
        Not all fit. Which of them matter most to what comes next?"""),
    "joined_not_kept": Mistake(swap("ids = torch.cat", "torch.cat")).called("""
        what cat returns thrown away
        The ids come back as they went in: nothing is written.
        torch.cat leaves its tensors alone, and returns a new one. What is its name?"""),
    "returned_at_once": "ids = torch.cat([ids, new], dim=1)\nreturn ids",
    "never_appended": Mistake(
        ("given = ids\nfor _ in range(n_new):", swap("model(ids", "model(given"))
    ).called("""
        the model does not read what it wrote
        The first new word is right, and the later ones are the same again.
        What has the model read when it chooses its second word?"""),
    "new_words_alone": Mistake("return ids[:, -n_new:]").called("""
        the new words alone returned
        All new words are right, and the beginning is missing in front of them.
        What is asked for: what was added, or the whole text?"""),
}


def by_threshold(threshold, below="<"):
    """The edits that hide by a threshold, in place of the sorted positions."""
    sorted_positions = "best_first = scores.sort(dim=-1, descending=True, stable=True).indices"
    hidden = 'scores.scatter(-1, best_first[..., k:], float("-inf"))'
    by_score = f'scores.masked_fill(scores {below} threshold, float("-inf"))'
    return swap(sorted_positions, f"threshold = {threshold}"), swap(hidden, by_score)


OF_TOP_K = {
    "ties_kept_too": Mistake(by_threshold("scores.topk(k).values[..., -1:]")).called("""
        more than k left where scores are equal
        Right, until the score at the edge occurs twice.
        Two words have the score of the threshold, and there is room for one. Which of them stays?"""),
    "threshold_without_axis": Mistake(by_threshold("scores.topk(k).values[..., -1]")).called("""
        a threshold for each row, without its axis
        An error in a batch; wrong numbers in silence where there are as many rows as words.
        Shapes are lined up from the right. Does each row meet its own threshold?"""),
    "axis_from_the_front": Mistake(swap("..., k:", ":, k:"), swap("..., k:", "k:")).called("""
        the axis of the words counted from the front
        Right for scores with one number of axes; for another, an error, or other rows cut.
        Words are always on the last axis. How is it indexed, whatever the number of axes?"""),
    "least_kept": Mistake(swap(", descending=True", "")).called("""
        the k smallest left
        The best words get −∞, and the worst stay.
        From which end does your sorting begin?"""),
    "zero_for_hidden": Mistake(swap('float("-inf")', "0.0")).called("""
        0 where −∞ is asked
        What should fall away still has a probability: exp(0) is 1.
        Which score does softmax turn into a probability of exactly 0?"""),
    "values_without_indices": Mistake("return scores.topk(k).values").called("""
        the k scores alone returned
        k numbers come back for each row, and nobody knows whose they are.
        A word is known by its position in the row. How many positions must come back?"""),
    "softmax_returned": Mistake(swap('"-inf"))', '"-inf")).softmax(dim=-1)')).called("""
        probabilities returned, where scores are asked
        Numbers from 0 to 1, with 0 for −∞: the softmax comes later, once.
        What stays should stay as it came. Which step makes other numbers of it?"""),
    "copy_not_kept": Mistake("return scores").called("""
        the copy thrown away
        The scores come back as they were.
        scatter and masked_fill leave their tensor alone, and give a copy. Where is yours?"""),
    "in_place": 'return scores.scatter_(-1, best_first[..., k:], float("-inf"))',
}

BEFORE, ABOVE = "before = probabilities.cumsum(dim=-1)", swap("before >= p", "before > p")

OF_TOP_P = {
    "crossing_dropped": Mistake(BEFORE, (BEFORE, ABOVE)).called("""
        the word that crosses the line dropped
        Of .5 .3 .15 .05 at .6 one word is left, not two; where one word has more than p, none.
        A word stays if those before it do not reach p yet. Does your sum count the word itself?"""),
    "only_the_best_saved": Mistake((f"{BEFORE}\nbefore[..., 0] = 0", ABOVE)).called("""
        only the best word saved from being dropped
        Never empty; but the word that crosses the line is still dropped, unless it is the first.
        Try .5 .3 .15 .05 at .6. Which word brings the sum over .6, and is it left?"""),
    "scores_added_up": Mistake("probabilities = best_first").called("""
        scores added up, not probabilities
        How many are left depends on a number added to all scores, which no probability does.
        p is a sum of probabilities. What makes probabilities of scores?"""),
    "order_not_undone": Mistake('return best_first.masked_fill(hidden, float("-inf"))').called("""
        returned in the order of their size
        The right scores, each in the place of another word.
        Whose score stands at position 0 after sorting? How do the words get their own positions back?"""),
    "undone_by_the_order": Mistake(
        swap("scatter(-1, order, hidden)", "gather(-1, order)")
    ).called("""
        gather where scatter undoes the sorting
        Right for some orders; for most, other words are hidden than should be.
        What stands at position j belongs to word order[j]. Which of gather and scatter sends it there?"""),
    "softmax_returned": "return scores.softmax(-1).masked_fill(hidden.scatter(-1, order, hidden), 0)",
    "not_sorted": Mistake(
        "best_first, order = scores, torch.arange(scores.shape[-1]).expand_as(scores)"
    ).called("""
        added up as they stand, not from the largest
        Right only where the words stand in the order of their probabilities.
        Which word must the sum begin with?"""),
    "sum_above_p": Mistake(ABOVE).called("""
        a sum above p, where p is enough
        One word too many is left where the sum is p exactly.
        Four words with .25 each, and p = .5: after how many is p reached?"""),
    "one_less_p": Mistake(swap(">= p", ">= 1 - p")).called("""
        p taken for what falls away
        p = .9 leaves few words, p = .1 nearly all.
        How much probability do those sum to that stay, and how much those that go?"""),
    "threshold_p": Mistake("return scores.where(scores.softmax(-1) >= p, -torch.inf)").called("""
        p taken for the least probability of a word
        Only words that have a probability of p by themselves are left: often none.
        Is p compared with the probability of one word, or with a sum?"""),
}


OF_CACHED_ATTENTION = {
    "cache_unused": Mistake(("keys = layer.W_key(x)", "values = layer.W_value(x)")).called("""
        what was kept is not used
        New words see each other and nothing else; what comes back has forgotten the text.
        Which keys must the new query meet, besides its own? Where are they?"""),
    "cache_not_grown": Mistake(swap("all_keys, all_values", "keys, values")).called("""
        the cache comes back as it was
        This step is right; the next one does not know this word.
        The next word must see this one, too. What does it find in what you return?"""),
    "cat_on_another_axis": Mistake(
        (swap("W_key(x)], dim=1", "W_key(x)], 0"), swap("W_value(x)], dim=1", "W_value(x)], 0"))
    ).called("""
        grown along another axis
        An error; or the keys come back longer, or as more stories, and not as more words.
        keys are (batch, kept, d_k). Which axis counts the words, and which is yours?"""),
    "corner_of_the_mask": Mistake(
        swap("triu(1 + earlier)", "triu(1)"),
        "return F.scaled_dot_product_attention(queries, keys, values, is_causal=len(x[0]) > 1), keys, values",
    ).called("""
        the mask drawn from its upper left corner
        Right with nothing kept; with a cache, a new word sees the first key alone.
        How many keys lie before the first new word? In which column does its row begin to hide?"""),
    "mask_for_all_words": Mistake(
        swap("(x.shape[1], keys.shape[1]).triu(1 + earlier)", "(2 * [keys.shape[1]]).triu(1)")
    ).called("""
        a mask with a row for every word
        An error; or more contexts than new words.
        The mask has a row for each query. How many ask, and how many keys are there?"""),
    "last_query_alone": Mistake(
        (swap("W_query(x)", "W_query(x[:, -1:])"), "future = torch.zeros(1, 1).bool()")
    ).called("""
        only the last new word asks
        Right for one new word; of several, one context comes back.
        x may hold several words. How many contexts are wanted?"""),
    "mask_convention": "return F.scaled_dot_product_attention(queries, keys, values, future), keys, values",
    "nothing_hidden": Mistake(swap('.masked_fill(future, float("-inf"))', "")).called("""
        new words see later ones
        Right for one new word; of several, each sees all.
        Is anything hidden by your mask? How many keys were kept, before they grew?"""),
    "no_scale": swap(" / keys.shape[-1] ** 0.5", ""),
}
