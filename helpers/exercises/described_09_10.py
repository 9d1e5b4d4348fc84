"""The mistakes of notebooks 9 and 10: what each is called, how it shows, what a teacher asks."""

from .descriptions import described

DESCRIPTIONS = {
    "hides_queries": described("""padding hidden as queries
        Real words still look at the padding; a padded word gets a row of 0 or nan; or the shapes do not fit.
        The last axis of the scores belongs to the keys. Along which axis lies your padding?"""),
    "padding_not_spread": described("""padding whose axes meet others than their own
        It fits the scores by chance or not at all.
        Write the mask's axes below those of the scores, from the right. What does each of them meet?"""),
    "visible_for_hidden": described("""True for visible, where True means hidden
        No error; what should be hidden is all that is looked at.
        In our masks True means hidden. What is True in yours?"""),
    "pad_is_0": described("""padding taken to be 0
        Right where the padding has the number 0, wrong for every other number.
        Which number stands for padding is told to you. Do you use it?"""),
    "asked_by_the_source": described("""source and target in each other's place
        A row for each source word, where one for each target word is expected; or an error.
        Who asks: the sentence that is being written, or the one that was read?"""),
    "keys_of_the_target": described("""keys of the target's own words
        The scores compare the target with itself; with other lengths, an error.
        What is looked at, x or memory? Whose are the keys then?"""),
    "padding_forgotten": described("""padding not hidden
        Right for sentences with no padding; else the padding gets weight, too.
        What do you do with the padding? If you hide it: do you use what masked_fill returns?"""),
    "zeroed_not_hidden": described("""a score of 0 for what should be hidden
        What should be hidden still has some weight: exp(0) is 1, not 0.
        Which score becomes a weight of 0 after the softmax?"""),
    "padding_zeroed_late": described("""padding set to 0 after the softmax
        Padding has no weight, but the rows of padded sentences sum to less than 1.
        The softmax has divided all the weight already. Which tokens should get that of the padding?"""),
    "padding_times_infinity": described("""0 times −∞
        Everything is nan.
        What is 0 · −∞? Which function writes −∞ where a mask is True, with no multiplication?"""),
    "pre_norm": described("""pre-norm, where post-norm is expected
        The output is not normalised: the sums of the residual connection come out as they are.
        Post-norm: first the part, then the sum, then LayerNorm. Where does yours stand?"""),
    "no_residual": described("""a residual connection left out
        The output of a part replaces x, where it should be added to it.
        Each part adds to what came in. Is every part inside an x + …?"""),
    "norm_on_the_part": described("""LayerNorm on the part, not on the sum
        The right shape; the output of the layer is not normalised.
        In post-norm the sum goes into LayerNorm. Where do your brackets close?"""),
    "residual_from_before": described("""a residual connection that starts too early
        What the part before it added is lost from the sum.
        Each part adds to what the part before it has left. Which x stands in each of your sums?"""),
    "parts_side_by_side": described("""the parts side by side, not one after the other
        Each part reads the x that came in, so that no part knows what another has found.
        What should the second part read: the x that came in, or what the first part has made of it?"""),
    "x_not_read": described("""a second part that does not read x
        It reads only what attention has found, without the x that this is added to.
        What should the second norm get: what attention says, or x with that added?"""),
    "one_norm_twice": described("""one LayerNorm used twice
        Right at the start of training, when all norms are alike; then one of them never learns.
        Each part has a LayerNorm of its own. Which numbers stand behind your norms?"""),
    "mask_not_passed": described("""the mask not passed on
        Right for sentences with nothing to hide; else the hidden words are seen.
        You are given a mask. Who needs it, and does it get there?"""),
    "mask_as_memory": described("""the mask passed as memory
        An error: memory holds booleans.
        The second argument of our attention is memory. How do you give a mask by its name?"""),
    "no_norm": described("""a LayerNorm left out
        The numbers at that point are of any size, and grow from layer to layer.
        Which LayerNorm does your layer never call, and where should it stand?"""),
    "no_feed_forward": described("""no feed-forward
        The layer ends with attention: nothing is computed at each position by itself.
        Which of the parts that you are given does your layer never call?"""),
    "memory_normed": described("""a LayerNorm on memory
        The right shape; but what the encoder found was normalised once more.
        Memory comes out of the encoder ready for use. Which of your lines changes it?"""),
    "norms_swapped": described("""the LayerNorms in another order
        Right at the start of training, when all norms are alike; with trained weights all is wrong.
        The parts are numbered in the order of use. Which norm belongs to which of them?"""),
    "post_norm": described("""post-norm, where pre-norm is expected
        Every output token has mean 0 and standard deviation 1 before the last scale and shift.
        In pre-norm, LayerNorm stands in front of the part, inside the branch. Where does yours stand?"""),
    "causal_forgotten": described("""no causal mask in the decoder
        Target words see those after them.
        The decoder's own words are still being written. Poke the last one: which outputs move?"""),
    "target_padding_shown": described("""the target's padding not hidden
        Right where no target word is padding that another may see.
        Two masks meet in the decoder's own attention. Which one is missing?"""),
    "causal_in_cross": described("""the causal mask in cross-attention
        Early target words are blind to the end of the source; with other lengths, an error.
        The source was read before the writing began. Which of its words may the first target word see?"""),
    "source_padding_shown": described("""the source's padding not hidden in cross-attention
        Right for sources with no padding; else the target looks at it.
        The encoder hid its padding from itself. Who hides it from the decoder?"""),
    "memory_not_passed": described("""cross-attention that looks at its own side
        The source is never heard: poke it, and nothing moves.
        With no memory, our attention looks at x itself. Who is to be looked at?"""),
    "not_shifted": described("""not shifted
        What is given and what is asked are the same: the model learns to copy.
        Where the first word is asked for, may the first word be given already?"""),
    "start_written_over": described("""the first word lost under the start
        The start stands in front, and all else where it was: the words are not shifted.
        Before the second word is asked for, which word must the decoder have been given?"""),
    "start_written_in": described("""the number of the start written in
        Right where the start has that number.
        The number of the start comes as an argument. Where do you use it?"""),
    "last_not_dropped": described("""the last column not dropped
        One column too many: there are more positions given than asked for.
        How many words are asked for, how many do you give, and which of them is never needed?"""),
    "end_to_the_front": described("""the last column comes round to the front
        Each sentence begins with its end, or with padding.
        roll brings back in front what falls out behind. What must stand in front?"""),
    "shifted_left": described("""shifted to the left
        The decoder is given the word after the one that is asked for.
        It may know what is written so far, and no more. To which side must the words move?"""),
    "not_whole_numbers": described("""no whole numbers, where ids are expected
        The right numbers, but an embedding cannot look them up.
        Ids are integers, neither floats nor True and False. Which part of yours is of another type?"""),
    "padding_in_the_loss": described("""padding in the loss
        Right where no sentence has padding; else the padding is counted like words.
        Is there anything to learn from what comes after the end? How is it left out of a mean?"""),
    "divided_by_all": described("""divided by all positions, even those left out
        The sum is right, and the mean is too small: the more positions are left out, the smaller.
        By how many is the sum divided: by all positions, or by those that count?"""),
    "summed": described("""a sum, where a mean is expected
        The loss grows with the number of words in the batch.
        Would a batch twice as large be twice as bad?"""),
    "log_of_the_mean": described("""the mean before the logarithm, not after it
        Right where only one word is asked for; with more, the loss is too small, or inf.
        Surprises are averaged, not probabilities. In which order do you take the logarithm and the mean?"""),
    "sign_lost": described("""the minus left out
        The loss is below 0, and falls as the model gets worse.
        The logarithm of a probability is never above 0. What makes a loss of it?"""),
    "softmax_before_loss": described("""softmax before the loss takes its own
        The loss hardly falls: it lies between log(words) - 1 and log(words + 2).
        log_softmax and cross_entropy do a softmax of their own. What do they get from you?"""),
    "probabilities_for_logs": described("""probabilities, and no logarithm
        The loss stays between −1 and 1: a probability of next to nothing costs hardly more than a small one.
        A probability of 0.001 in place of 0.01 is ten times as bad. Which function makes that count?"""),
    "logits_left_raw": described("""logits, and no softmax
        The loss can be below 0, or nan: logits are no probabilities.
        Logits may be any numbers. What makes probabilities of them, which sum to 1?"""),
    "padding_alone": described("""the padding counted, and the words left out
        nan where no sentence has padding; elsewhere the mean over the padding alone.
        Is your mask True where a position counts, or where it does not?"""),
    "log_after_softmax": described("""softmax first, its logarithm in a second step
        Right for small logits; for large ones a probability is rounded to 0, and the loss is inf.
        Which function takes the logarithm of the softmax in one step?"""),
    "zero_is_padding": described("""0 taken for padding, whatever it is
        Right where the padding has the number 0.
        The number of the padding comes as an argument. Where do you use it?"""),
    "last_word_alone": described("""the last word alone is passed on
        Right where one word is written so far; after more, the model is not told what came before.
        What must the model know to go on writing: the last word, or all that is written?"""),
    "runs_past_the_end": described("""it writes on past the end
        Sentences always have the greatest length.
        What should happen once the end has been written?"""),
    "end_not_written": described("""the end is left out
        Everything is right, but the end is missing from what comes back.
        Which comes first: to write the word down, or to stop?"""),
    "start_left_out": described("""the start is left out
        All is there but the start; or there was nothing to begin with.
        What has the model been given before its first word, and is it in what you return?"""),
    "probability_for_word": described("""the highest probability taken for the word
        What is written are probabilities, or their whole part, which is 0; and no ids.
        Do you want to know how likely the likeliest word is, or which one it is?"""),
    "one_word_too_many": described("""one word too many
        One word more is written than is asked for, or allowed.
        How many new words are wanted at most, and how often does your loop run?"""),
    "no_limit": described("""no limit to the words written
        Where the end never comes, it writes for ever. Here the model refuses after a dozen words.
        What if the model never writes the end? What is longest for?"""),
    "one_word_too_few": described("""one word too few
        One word less is written than is asked for, or allowed.
        How many new words are wanted at most, and how often does your loop run?"""),
    "probabilities_added": described("""probabilities added up
        Long sentences seem likelier than short ones.
        Two coins both show heads: are the probabilities added, or multiplied? And the logarithms?"""),
    "greedy_again": described("""only one beginning survives
        The same comes out as with a width of 1.
        How many beginnings may live on to the next word?"""),
    "ended_goes_on": described("""sentences that have ended go on
        Words stand behind the end.
        What may still follow, once a sentence has its end?"""),
    "ended_lost": described("""sentences that have ended are thrown away
        What ends early is never found: something longer is found.
        A sentence has its end, and the others go on. Where does it wait until all are compared?"""),
    "ended_alone": described("""only sentences that have ended are compared
        Right, unless the likeliest one is cut before its end; or an error, where none has one.
        Longest is reached, and the likeliest sentence has no end yet. Is it among those you compare?"""),
    "ended_set_aside": described("""ended sentences are not counted
        Often the same; but a sentence that has ended, or a beginning, lives on that should have fallen out.
        How many sentences go on after each step, those that have ended included?"""),
    "not_flattened": described("""cross_entropy given tensors that are not flattened
        An error; or, where the sizes fit by chance, another loss.
        cross_entropy wants logits (n, vocabulary) and n ids. Which axes must become one?"""),
    "last_word_counts": described("""only the probability of the last word counts
        A likely last word makes up for all the unlikely ones before it.
        How likely is the whole sentence? What has become of the score that came with it?"""),
    "one_list": described("""one list shared by all beginnings
        Every beginning holds the words of all others, too.
        append changes a list that others may hold. What makes a new one?"""),
    "worst_kept": described("""the least likely beginnings survive
        What comes out is far less likely than what greedy decoding writes.
        sorted puts small numbers first. Which end of the list do you need?"""),
}
