"""The mistakes of notebooks 9 and 10: what each is called, how it shows, what a teacher asks."""

from .descriptions import described

DESCRIPTIONS = {
    "hides_queries": described("""padding hidden as queries
        The padding hides rows of scores, not columns. If queries and keys differ in number, the shapes do not fit.
        The last axis of the scores belongs to the keys. Along which axis does your padding lie?"""),
    "padding_not_spread": described("""padding along the wrong axes of the scores
        The axes of the padding meet other axes of the scores, so the shapes fit by chance or not at all.
        Write the mask's axes below those of the scores, from the right. What does each of them meet?"""),
    "visible_for_hidden": described("""True for visible, where True means hidden
        The mask shows exactly what it should hide, and hides all else. There is no error.
        In our masks True means hidden. What does True mark in your mask?"""),
    "pad_is_0": described("""padding taken to be 0
        It works only if padding has the id 0. Padding with any other id is treated like a word.
        The id of padding comes as the argument pad. In which line do you use it?"""),
    "keys_of_the_target": described("""keys taken from the target
        The scores compare the target with itself. If the lengths differ, the mask does not fit.
        The target looks at memory. Which sequence does your code multiply by W_key?"""),
    "padding_forgotten": described("""padding not hidden
        Wherever there is padding, it gets weight like any other token.
        masked_fill returns a copy. Which of your lines hides the padding, and where is its result used?"""),
    "zeroed_not_hidden": described("""hidden scores set to 0, not −∞
        What should be hidden still has some weight: exp(0) is 1, not 0.
        Print torch.tensor([1.0, 0.0, -torch.inf]).softmax(0). Which of the three scores gets a weight of 0?"""),
    "padding_zeroed_late": described("""padding set to 0 after the softmax
        Padding has no weight, but the rows of padded sentences sum to less than 1.
        The softmax has already divided up the weight. Which tokens should get the padding's share?"""),
    "padding_times_infinity": described("""0 times −∞
        The score of every real token is NaN, and so is every weight.
        Print 0 * torch.inf. Which of your lines computes such a product?"""),
    "pre_norm": described("""pre-norm, where post-norm is expected
        The output is not normalised, because no LayerNorm comes after the last sum.
        In post-norm, LayerNorm comes after the sum. What stands inside the brackets of your norm1?"""),
    "no_residual": described("""a residual connection left out
        The input of at least one part is not added to its output.
        Each part adds to its input. What does your code add to the output of each part?"""),
    "norm_on_the_part": described("""LayerNorm on the part, not on the sum
        LayerNorm normalises the output of a part, and x is added afterwards, so the sum is not normalised.
        In post-norm, the sum goes into LayerNorm. What stands inside the brackets of each of your norms?"""),
    "residual_from_before": described("""a residual connection that starts too early
        A sum starts from an older x, so what the part before it added is missing.
        Each part adds to the result of the one before it. Which x stands in each of your sums?"""),
    "parts_side_by_side": described("""the parts in parallel, not in sequence
        Each part reads the x that came in, so that no part knows what another has found.
        What does your second part read: the x that came in, or what the first part has made of it?"""),
    "x_not_read": described("""a second part that does not read x
        The second part reads only the output of attention, without the x to which it is added.
        What does your norm2 get: the output of attention alone, or x with that output added?"""),
    "one_norm_twice": described("""one LayerNorm used more than once
        One LayerNorm does the work of another, which never learns. The output is right only while both are alike.
        Each part has a LayerNorm of its own. How often does your layer call each of them?"""),
    "mask_not_passed": described("""the mask not passed on
        What the mask should hide is seen, because attention never gets the mask.
        Your layer is given a mask. Which of your calls passes it on?"""),
    "mask_as_memory": described("""the mask passed as memory
        It raises an error, because attention gets booleans in place of memory.
        The second argument of our attention is memory. By which name does your call pass the mask?"""),
    "no_norm": described("""a LayerNorm left out
        Something that should be normalised is not, so its components may be of any size.
        Which LayerNorm does your layer never call, and where should it stand?"""),
    "no_feed_forward": described("""no feed-forward network
        The layer ends after attention, so no network works on each position by itself.
        Which of the parts that you are given does your layer never call?"""),
    "memory_normed": described("""a LayerNorm on memory
        The shape is right, but what the encoder found is normalised once more.
        The encoder ends with a LayerNorm already. Which of your lines changes memory?"""),
    "norms_swapped": described("""the LayerNorms in another order
        Two LayerNorms serve each other's parts. The output is right only while both are alike.
        The norms are numbered in the order of use. Which one does each of your parts use?"""),
    "post_norm": described("""post-norm, where pre-norm is expected
        The output is normalised, because a LayerNorm comes after the last sum.
        In pre-norm, LayerNorm gets the input of a part. What stands inside the brackets of your norm2?"""),
    "causal_forgotten": described("""no causal mask in the decoder
        Target tokens see those after them.
        The target is still being written. If you change its last token, which outputs move?"""),
    "target_padding_shown": described("""the target's padding not hidden
        Padding in the target is seen by itself and by every token after it.
        The decoder's self-attention must hide two things. Which of them does your mask hide?"""),
    "causal_in_cross": described("""the causal mask in cross-attention
        Early target tokens cannot see the end of the source. If the lengths differ, there is an error.
        The source is complete from the start. Which of its tokens are hidden from your first target token?"""),
    "source_padding_shown": described("""the source's padding not hidden in cross-attention
        Wherever the source has padding, the target sees it.
        The encoder's mask works in the encoder alone. Which mask do you pass to cross-attention?"""),
    "memory_not_passed": described("""cross-attention without memory
        The target looks at itself and never at the source. If the lengths differ, the mask does not fit.
        Without memory, our attention looks at x itself. Which arguments does your cross_attention get?"""),
    "not_shifted": described("""not shifted
        What is given and what is asked are the same: the model learns to copy.
        Print given below asked. Where the first word is asked for, which id is given?"""),
    "start_written_over": described("""the first word overwritten by the start
        The start replaces the first word, and all other words stay where they were, so nothing is shifted.
        Print given below asked. Where the second word is asked for, which word is given?"""),
    "start_written_in": described("""a hard-coded id of the start
        It works only if the start has the id that is written in your code.
        The id of the start comes as the argument sos. In which line do you use it?"""),
    "last_not_dropped": described("""the last column not dropped
        There is one column too many, so more positions are given than asked for.
        Each word given belongs to one asked for. How many columns has asked, and how many do you return?"""),
    "end_to_the_front": described("""the last column wrapped round to the front
        Each sentence begins with its end, or with padding.
        What is given must begin with the start. Which ids stand in your first column?"""),
    "shifted_left": described("""shifted to the left
        The decoder is given the word after the one that is asked for.
        The decoder may know only what is written so far. To which side must the words move?"""),
    "not_whole_numbers": described("""ids that are not integers
        The numbers are right, but an embedding cannot look them up, because they are not integers.
        Ids are integers, neither floats nor True and False. What is the dtype of each tensor that you make?"""),
    "padding_in_the_loss": described("""padding in the loss
        Wherever there is padding, the mean counts it like a word.
        Padding is not a word to predict. How many positions does your mean count, and how many are words?"""),
    "divided_by_all": described("""divided by all positions, even those left out
        Where positions are left out, the sum is divided by too many, so the mean is too close to 0.
        By which number do you divide, and how many positions count?"""),
    "summed": described("""a sum, where a mean is expected
        The result grows with the number of words, tokens or positions that it adds up.
        A mean is a sum divided by a number. By which number do you divide?"""),
    "log_of_the_mean": described("""the mean before the logarithm, not after it
        Where the words' probabilities differ, the loss is too small, or infinite if all of them are rounded to 0.
        Surprises are averaged, not probabilities. In which order do you take the logarithm and the mean?"""),
    "sign_lost": described("""the minus left out
        The loss is below 0, and falls as the model gets worse.
        The logarithm of a probability is never above 0. Which sign does your loss have?"""),
    "softmax_before_loss": described("""softmax before the loss takes its own
        The loss hardly falls: with V words in the vocabulary, it always lies between log(V) − 1 and log(V + 2).
        log_softmax and cross_entropy take a softmax of their own. What do you pass to them?"""),
    "probabilities_for_logs": described("""probabilities without a logarithm
        The loss stays between −1 and 1, so a tiny probability costs hardly more than a small one.
        How much does your loss change if a probability falls from 0.01 to 0.001?"""),
    "logits_left_raw": described("""logits without a softmax
        Logits are not probabilities, so the loss may be below 0 or NaN.
        Logits may be any numbers. Which of your lines turns them into probabilities that sum to 1?"""),
    "padding_alone": described("""the padding counted, and the words left out
        The mean is taken over the padding alone. Without any padding, it is NaN.
        Is your mask True where a position counts, or where it does not?"""),
    "log_after_softmax": described("""softmax first, its logarithm in a second step
        With large logits, a probability may be rounded to 0, which makes the loss infinite.
        Print torch.tensor([0.0, 200.0]).softmax(0). What is the logarithm of its first number?"""),
    "last_word_alone": described("""the last word alone is passed on
        The model reads only the last word, so it knows nothing of what came before.
        The next word depends on all that is written. How many ids does the model get in your second round?"""),
    "runs_past_the_end": described("""writing on past the end
        Every sentence is as long as it may be, because nothing stops it at its end.
        After the end, nothing may follow. Which of your lines leaves the loop once the end is written?"""),
    "end_not_written": described("""the end is left out
        Where a sentence ends, its end is missing from what you return.
        The end belongs to the sentence. Which of your lines skips it, or takes it away?"""),
    "start_left_out": described("""the start is left out
        The start is missing from what you return, and all other words are there.
        The list begins with sos. What is the first id that you return?"""),
    "probability_for_word": described("""the highest probability taken for the word
        Probabilities are written, or zeros if they are rounded down, where ids are expected.
        Print what you append. Does it say which word is likeliest, or how likely it is?"""),
    "one_word_too_many": described("""one word too many
        The loop runs once too often, so a text that has not ended by then gets one word too many.
        Each round adds one word. How many rounds does your loop run if `longest` or `n_new` is 4?"""),
    "no_limit": described("""no limit to the words written
        Where no end comes in time, the loop goes on past `longest`. Here the model accepts at most 12 words.
        The argument longest says how many words may be written. Where does your loop use it?"""),
    "one_word_too_few": described("""one word too few
        The loop ends one round too early, so where nothing stops it before, the last word is missing.
        Each round adds one word. How many rounds does your loop run if `longest` or `n_new` is 4?"""),
    "probabilities_added": described("""probabilities added up
        Sums of probabilities grow with each word, so long sentences seem likelier than short ones.
        The probability of a sentence is a product, so logarithms are added. What does your score add up?"""),
    "greedy_again": described("""only one hypothesis survives
        Whatever the width, the result is that of greedy decoding.
        How many hypotheses are left in your list after each step?"""),
    "ended_goes_on": described("""sentences that have ended go on
        Words are appended to sentences that have ended.
        A sentence that has ended stays as it is. Which of your lines asks whether the last word is eos?"""),
    "ended_lost": described("""sentences that have ended are thrown away
        A sentence that ends before the last step is lost, however likely it is.
        Ended sentences are compared with the others at the end. Which of your lists holds them until then?"""),
    "ended_alone": described("""only sentences that have ended are compared
        A sentence that has ended beats all that have not, however likely those are.
        At the end, all hypotheses in the beam are compared, ended or not. Which ones does your code compare?"""),
    "ended_set_aside": described("""ended sentences not counted
        Ended sentences do not count towards the width, so more hypotheses survive than it allows.
        After each step, how many hypotheses are there in your lists, ended ones included?"""),
    "not_flattened": described("""cross_entropy given tensors that are not flattened
        It raises an error or, if the sizes fit by chance, returns another loss.
        cross_entropy expects logits (n, vocabulary) and n ids. Which shapes do you pass to it?"""),
    "last_word_counts": described("""only the probability of the last word counts
        A likely last word makes up for all the unlikely ones before it.
        A score adds up the log-probabilities of all words. Where do you use the score so far?"""),
    "one_list": described("""one list shared by all hypotheses
        All hypotheses hold each other's words, so they are much too long.
        append changes a list that others hold, too. Which of your lines makes a new list?"""),
    "worst_kept": described("""the least likely hypotheses survive
        The sentence found is far less likely than the one from greedy decoding.
        sorted puts small numbers first. Which scores are in the part of the list that you keep?"""),
}
