"""The mistakes of notebooks 11 and 12: what each is called, how it shows, what a teacher asks."""

from .descriptions import described

DESCRIPTIONS = {
    "hidden_from_itself": described("""each new token hidden from itself
        No new token sees itself. With an empty cache, the first one sees nothing at all.
        Every token may see itself. At which column does the first row of your mask begin to hide?"""),
    "answers_not_shifted": described("""each word scored against itself
        Each position is asked for the very word that it sees, so a model learns only to copy.
        Logits are about the word after their position. With which id do you compare those at position 1?"""),
    "one_for_each_word": described("""one loss for each word
        It returns a tensor of losses, but backward() needs a single number.
        A loss is one number for the whole batch. What is the shape of what you return?"""),
    "answers_shifted_back": described("""shifted the wrong way
        Each position is asked for the word before it, which it has seen.
        In your code, which of logits and ids loses its first position, and which its last?"""),
    "mean_over_stories": described("""a mean of the rows' means
        A word counts for more in a row where few words count than in one where many do.
        Every word should count the same, whichever row it is in. What do you average first?"""),
    "stories_shifted": described("""stories shifted in place of words
        Each story is scored by the words of the next one, and a single story gives NaN.
        Which axis holds the words of one story, and along which do you shift?"""),
    "stories_run_together": described("""flattened before the shift
        At the end of each story but the last, the first word of the next one is asked for.
        In a flat row, the next story begins after each last word. Which comes first, flattening or shifting?"""),
    "words_rolled": described("""rolled, not cut
        At its last position, each story is asked for its first word.
        roll brings the first word to the end. How many labels does your code give a story of 5 words?"""),
    "norm_on_the_residual": described("""LayerNorm on the residual connection too
        A residual connection carries a normalised x, where it should carry x itself.
        What is added to what the part returns: x, or norm(x)?"""),
    "mask_without_axes": described("""a mask with too few axes
        It raises an error, because the mask needs four axes.
        A mask has four axes, (batch, heads, queries, keys). What is the shape of the one that you pass?"""),
    "another_size": described("""the sizes of another GPT-2
        The count is too low, because the width or the number of blocks is that of GPT-2 small.
        GPT-2 small has 12 blocks of width 768. Which of these numbers are in your sum?"""),
    "rounded": described("""a rounded number
        The count ends in zeros, so it is not the exact number.
        You may write a sum instead of a number. Which sum does your number come from?"""),
    "head_counted_again": described("""tied weights counted twice
        The count is too high by 50,257 · 1,024.
        Tied weights are one matrix with two uses. How often does 50,257 · 1,024 stand in your sum?"""),
    "one_block_counted": described("""only one layer counted
        The count is too low, because the model stacks many layers.
        How many layers has the model, and how many of them does your sum count?"""),
    "logits_of_all_positions": described("""all positions passed to choose
        choose gets the logits of all positions, where it expects those of the last one alone.
        A new word is wanted for one position. What is the shape of the logits that you pass to choose?"""),
    "last_story_scored": described("""the last story, not the last position
        It raises an error or returns wrong words, because choose gets all positions of the last story alone.
        Logits are (batch, tokens, vocabulary). Along which of these axes does your index count?"""),
    "context_outgrown": described("""more words than the model can read
        Once the text is longer than context_length, the model raises an error.
        The model reads at most context_length tokens. How many do you give it in the last round?"""),
    "ids_cropped": described("""the text itself cut to context_length
        The beginning of a long text is missing from what you return.
        Only what the model reads must be cut. How many columns does your result have?"""),
    "choose_unused": described("""the best word taken, whatever `choose` says
        The most probable word is always taken, so no other way to choose has any effect.
        The argument choose decides about the next word. Where does your loop call it?"""),
    "first_words_read": described("""the first words read, not the last
        Once the text is longer than context_length, the model reads its beginning, not its end.
        The last words matter most to the next one. Which words does the model get in your last round?"""),
    "new_words_alone": described("""only the new words returned
        The beginning is missing in front of the new words.
        The whole text is asked for. How many columns has ids at first, and how many has your result?"""),
    "ties_kept_too": described("""too many left where logits are equal
        If a logit that must go equals one that stays, both stay, so too many are left.
        Several words may share the logit of the threshold. How many of four equal logits does your code keep?"""),
    "threshold_without_axis": described("""a threshold for each row, without its axis
        With several rows it raises an error or, if there are as many rows as words, returns wrong logits.
        Shapes are lined up from the right. What are the shapes of the logits and of your threshold?"""),
    "axis_from_the_front": described("""the word axis counted from the front
        The result is right for one number of axes only. With another, it fails or uses the wrong axis.
        Words are always on the last axis. Which axis does your code name in one row, a matrix and a batch?"""),
    "least_kept": described("""the smallest logits left
        The k smallest logits stay, and the largest get −∞.
        The largest logits must stay. Which logit comes first in your sorted order?"""),
    "least_added_first": described("""added up from the least likely word
        The least likely words always stay. If any are hidden, they are the likeliest.
        The sum must begin with the likeliest word. Which probability comes first in your sorted row?"""),
    "best_hidden": described("""the best hidden, and not the others
        The k best words get −∞, and all others stay.
        Which positions do you write −∞ into: those of the k best, or the others?"""),
    "zero_for_hidden": described("""hidden logits set to 0, not −∞
        What should be hidden still has a probability, because exp(0) is 1.
        Print torch.tensor([1.0, 0.0, -torch.inf]).softmax(0). Which of these logits gets a probability of 0?"""),
    "values_without_indices": described("""only the k largest logits returned
        It returns k numbers for each row, and nothing says to which words they belong.
        A word is known by its position in the row. What are the shapes of logits and of your result?"""),
    "copy_not_kept": described("""the copy thrown away
        The logits are returned as they came.
        scatter and masked_fill return a copy. Which name in your code holds it?"""),
    "order_for_ranks": described("""the order taken for the ranks
        As many words stay as k says, but often they are the wrong ones.
        argsort lists the words by rank. Do you need the word at a rank, or the rank of a word?"""),
    "crossing_dropped": described("""the word that crosses p dropped
        The word that takes the sum past p is dropped. If the first word does so, none is left.
        A word stays if those before it do not reach p yet. Does your sum count the word itself?"""),
    "only_the_best_saved": described("""only the best word saved from being dropped
        The first word always stays, but any other word that takes the sum past p is dropped.
        Take .5 .3 .15 .05 and p = .6. Which word brings the sum past .6, and does it stay?"""),
    "logits_added_up": described("""logits added up, not probabilities
        A number added to all logits can change which words are left, although all probabilities stay the same.
        p is a sum of probabilities. What does the row that you add up sum to?"""),
    "order_not_undone": described("""returned in sorted order
        The logits are right, but they are returned in sorted order, whatever their words' positions.
        Position 0 belongs to word 0. Whose logit stands at position 0 of your result?"""),
    "mask_left_sorted": described("""a sorted mask on unsorted logits
        As many words stay as should, but in rows that are not sorted, they are rarely the right ones.
        Position 0 of your mask belongs to the likeliest word. Where does that word stand in logits?"""),
    "undone_by_the_order": described("""gather where scatter undoes the sorting
        In rows that are not sorted, the wrong words are often hidden.
        What stands at position j belongs to word order[j]. Which of gather and scatter sends it there?"""),
    "not_sorted": described("""added up in the given order, unsorted
        Unless the row is sorted already, early words stay, whatever their probability.
        The sum must begin with the likeliest word. With which word does your sum begin?"""),
    "threshold_p": described("""p used as a threshold for each word
        Only words with a probability of at least p are left, and often there are none.
        In your code, is p compared with the probability of one word, or with a sum?"""),
    "cache_unused": described("""the cache is not used
        New tokens see only new tokens, and nothing of what is cached.
        A new query must meet the cached keys, too. How many columns do your scores have?"""),
    "cache_not_grown": described("""the cache or state not updated
        The context is right, but the next step will know nothing of what is new here.
        The next step gets what you return. How does it differ from what you were given?"""),
    "cat_on_another_axis": described("""appended along the wrong axis
        It raises an error or, if the sizes fit by chance, makes the wrong axis longer.
        Which axis counts the tokens, and along which axis does your cat join?"""),
    "corner_of_the_mask": described("""the mask drawn from its upper left corner
        With a cache, the first of several new tokens sees only the first key, and each later one sees one more.
        How many keys are cached, and how many keys does the first of your new tokens see?"""),
    "nothing_hidden": described("""new tokens see later ones
        Of several new tokens, the earlier ones see the later ones, at least where there is a cache.
        Take two cached tokens and three new ones. Which keys does your mask hide from the first new one?"""),
}
