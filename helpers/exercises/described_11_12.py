"""The mistakes of notebooks 11 and 12: what each is called, how it shows, what a teacher asks."""

from .descriptions import described

DESCRIPTIONS = {
    "hidden_from_itself": described("""each new token hidden from itself
        A new token sees only those before it; with an empty cache, the first one sees nothing.
        May a token see itself? At which column does the mask of the first new token start?"""),
    "answers_not_shifted": described("""each word scored against itself
        The loss is far too small after training, and the model writes one word again and again.
        The logits at a position are about the word after it. What answers the first row of logits?"""),
    "blanks_counted": described("""padding counted
        The loss looks better than it is: after the end, padding is easy to predict.
        Which answers are no words at all? How is cross_entropy told to leave out one id?"""),
    "one_for_each_word": described("""one number for each word
        A tensor of losses comes back, and backward() needs one number.
        From how many numbers does backward() start, and how many does yours return?"""),
    "answers_shifted_back": described("""shifted the wrong way
        Each position is asked for the word before it, which it has seen.
        Which of the two loses its first position, and which its last?"""),
    "mean_over_stories": described("""the mean of each row first, and then the mean of these
        Right if all rows have as many words; else a word in a short row counts more.
        Each word should count the same, in a short row or in a long one. What do you average first?"""),
    "stories_shifted": described("""stories shifted in place of words
        Each story is scored by the words of the next one; or the shapes do not fit.
        Which axis holds the words of one story, and along which do you shift?"""),
    "stories_run_together": described("""made flat before the shift
        At the end of each story, the first word of the next one is asked for.
        Whose answer is the last score of a story? What if you shift before the stories are joined?"""),
    "words_rolled": described("""rolled, not cut
        At its last position, each story is asked for its first word.
        roll brings the first word to the end. Does the last position have an answer?"""),
    "norm_on_the_residual": described("""LayerNorm on the residual connection too
        The residual connection does not carry x, but a normalised x.
        What is added to what the part says: x, or norm(x)?"""),
    "no_future_mask": described("""the future not hidden
        Every word sees those after it: its next word lies in front of it.
        Poke the last word: which outputs move? Who hides it from the words before?"""),
    "mask_without_axes": described("""the mask without the axes of batch and heads
        An error: the mask needs four axes.
        The mask is (tokens, tokens), and attention wants four axes. How does one put a 1 in front?"""),
    "another_size": described("""the sizes of another GPT-2
        GPT-2 small has 12 blocks of width 768; medium has more of both.
        How wide is medium, and how many blocks has it? Which of your numbers are of small?"""),
    "rounded": described("""a rounded number
        Nearly the number that is asked for, with noughts at its end.
        Where do the noughts come from? Put the sum itself in place of the dots."""),
    "head_counted_again": described("""tied weights counted twice
        The count is too high by 50,257 · 1,024.
        The logits are read off with the word vectors themselves. How many such matrices are there?"""),
    "one_block_counted": described("""one block counted
        The count is about five times too low.
        How many blocks are stacked?"""),
    "logits_of_all_positions": described("""all positions passed to choose
        A word is chosen for each position, also for those that have one; and the sizes do not fit.
        For how many positions is a new word wanted? Print the shape of the logits."""),
    "last_story_scored": described("""the last story in place of the last word
        An error; or every story goes on as the last one does.
        Scores are (batch, tokens, vocabulary). Which axis does your index count along?"""),
    "context_outgrown": described("""more words than the model can read
        Right for short texts; a long one is refused by the model.
        The model has vectors for context_length positions. Which words can it do without?"""),
    "ids_cropped": described("""the text itself is cut, not only what the model reads
        Right for short texts; of a long one the beginning is missing in what comes back.
        The model reads the last words only. Should those before them be forgotten, too?"""),
    "choose_unused": described("""the best word taken, whatever `choose` says
        Right as long as choose takes the best word; no other way of sampling has an effect.
        Who decides about the next word: your function, or the one that it is given?"""),
    "first_words_read": described("""the first words read, not the last
        Right for short texts; a long one is always continued from its beginning.
        Not all fit. Which of them matter most to what comes next?"""),
    "new_words_alone": described("""the new words alone returned
        All new words are right, and the beginning is missing in front of them.
        What is asked for: what was added, or the whole text?"""),
    "ties_kept_too": described("""more left than asked for where logits are equal
        Right, until a logit that must go is equal to one that stays.
        Two words have the logit of the threshold, and one of them is enough. Which of the two stays?"""),
    "threshold_without_axis": described("""a threshold for each row, without its axis
        An error in a batch; wrong numbers in silence where there are as many rows as words.
        Shapes are lined up from the right. Does each row meet its own threshold?"""),
    "axis_from_the_front": described("""the axis of the words counted from the front
        Right for logits with one number of axes; for another, an error, or other rows cut.
        Words are always on the last axis. How is it indexed, whatever the number of axes?"""),
    "least_kept": described("""the worst left
        The best words get −∞, and the worst stay.
        From which end does your sorting begin?"""),
    "least_added_first": described("""added up from the least likely word
        The worst words always stay, and the best stays with them or is hidden.
        From which end does your sorting begin?"""),
    "best_hidden": described("""the best hidden, and not the others
        The k best words get −∞, and all others stay.
        Which positions do you write −∞ into: those of the k best, or the others?"""),
    "zero_for_hidden": described("""0 where −∞ is expected
        What should fall away still has a probability: exp(0) is 1.
        Which score does softmax turn into a probability of exactly 0?"""),
    "values_without_indices": described("""the k logits alone returned
        k numbers come back for each row, and nobody knows whose they are.
        A word is known by its position in the row. How many positions must come back?"""),
    "copy_not_kept": described("""the copy thrown away
        The logits come back as they were.
        scatter and masked_fill leave their tensor alone, and give a copy. Where is yours?"""),
    "order_for_ranks": described("""the order taken for the ranks
        As many words stay as should, but in most rows they are others.
        argsort names the best word, the second … Which number do you need of word 0: its rank, or a name?"""),
    "crossing_dropped": described("""the word that crosses the line dropped
        Of .5 .3 .15 .05 at .6 one word is left, not two; where one word has more than p, none.
        A word stays if those before it do not reach p yet. Does your sum count the word itself?"""),
    "only_the_best_saved": described("""only the best word saved from being dropped
        Never empty; but the word that crosses the line is still dropped, unless it is the first.
        Try .5 .3 .15 .05 at .6. Which word brings the sum over .6, and is it left?"""),
    "logits_added_up": described("""logits added up, not probabilities
        How many are left depends on a number added to all logits, which no probability does.
        p is a sum of probabilities. What makes probabilities of logits?"""),
    "order_not_undone": described("""returned in the order of their size
        The right logits, each in the place of another word.
        Whose score stands at position 0 after sorting? How do the words get their own positions back?"""),
    "mask_left_sorted": described("""a mask in sorted order laid over logits that are not sorted
        As many words stay as should, but others.
        Position 0 of your mask belongs to the likeliest word. Where does that word stand in logits?"""),
    "undone_by_the_order": described("""gather where scatter undoes the sorting
        Right for some orders; for most, other words are hidden than should be.
        What stands at position j belongs to word order[j]. Which of gather and scatter sends it there?"""),
    "not_sorted": described("""added up as they stand, not from the largest
        Right only where the words stand in the order of their probabilities.
        Which word must the sum begin with?"""),
    "threshold_p": described("""p taken for the least probability of a word
        Only words that have a probability of p by themselves are left: often none.
        Is p compared with the probability of one word, or with a sum?"""),
    "cache_unused": described("""the cache is not used
        New words see each other and nothing else; what comes back has forgotten the text.
        Which keys must the new query meet, besides its own? Where are they?"""),
    "cache_not_grown": described("""the cache comes back as it was
        This step is right; the next one does not know this word.
        The next word must see this one, too. What does it find in what you return?"""),
    "cat_on_another_axis": described("""grown along another axis
        An error; or what comes back has more rows, or longer ones, and not more words.
        Which axis counts the words, and along which axis does your cat join?"""),
    "corner_of_the_mask": described("""the mask drawn from its upper left corner
        Right with an empty cache; otherwise the first new word sees one key alone, and each after it one more.
        How many keys lie before the first new word? In which column does its row begin to hide?"""),
    "nothing_hidden": described("""new words see later ones
        Right for one new word; several see each other, and so those that come later.
        The cache holds two words, and three come in. Which keys are to be hidden from the first of these?"""),
}
