"""The mistakes of notebooks 3 to 5: what each is called, how it shows, what a teacher asks."""

from .descriptions import described

DESCRIPTIONS = {
    "diagonal_0": described("""diagonal=0
        Tokens may not see themselves; the first one sees nothing: its row of weights is nan, or 0.
        May a token see itself? Where does your triangle start?"""),
    "tril_for_triu": described("""tril in place of triu
        The past is hidden, and the future shows.
        Here True means hidden. Which triangle is the future: lower left, or upper right?"""),
    "past_hidden": described("""the past hidden, not the future
        Only the diagonal is right: what should be hidden shows, and what should show is hidden.
        Token i looks at token j. Which of the two numbers is larger where j lies in the future?"""),
    "all_hidden": described("""everything hidden
        The mask is True everywhere: no token may look at anything, not even at itself.
        Which cells should be False, and what makes them so in yours? (0 · −∞ is nan, and nan counts as True.)"""),
    "not_booleans": described("""a mask of numbers, not of True and False
        The pattern may be right, but its cells are numbers.
        What is the dtype of your mask, and which method turns it into True and False?"""),
    "zero_times_infinity": described("""0 times −∞ is nan
        nan on and below the diagonal of the mask, then everywhere.
        Print your mask before you use it. What is 0 · −∞?"""),
    "diagonal_2": described("""diagonal=2
        Every token but the last sees the one after it.
        Draw the mask of three tokens on paper. Where does your triangle start?"""),
    "scores_times_0": described("""scores times 0 and 1, before the softmax
        Rows sum to 1, but the future still has some weight.
        exp(0) is not 0. Which score becomes a weight of 0?"""),
    "mask_after_softmax": described("""masked after the softmax, not renormalised
        The future has no weight, but only the last row still sums to 1.
        The weight of the future is gone. Which tokens should have got it?"""),
    "mask_of_scores": described("""mask built from the scores
        Right, until a future score is exactly 0: then it shows.
        What does your mask depend on? Should it change when a score does?"""),
    "nothing_left": described("""masked after the softmax: nothing is left to divide by
        Right, until a future score is far above the rest: it takes all the weight, and 0 is divided by 0.
        Which number, written over a score before the softmax, gives it a weight of exactly 0?"""),
    "no_mask": described("""no mask
        Every token gives weight to every other, the future too, and every row sums to 1.
        Poke the last token: which outputs should move? If your code does mask, is its result used?"""),
    "low_number": described("""a low number in place of −∞
        Right, until what is hidden is no longer far below the largest visible score: then the future gets weight.
        How low, and how high, may a score be? Which number is lower than all others?"""),
    "billion_in_float16": described("""−1e9 in float16
        Right for scores of the usual size in float32; in float16, whose numbers end near 65,000, an error.
        Which number is lower than all others, whatever the format?"""),
    "tokens_of_batch": described("""tokens counted along the batch
        Fine, as long as there are as many sentences as tokens.
        A batch puts a new axis in front. Which number of the shape counts the tokens now?"""),
    "over_batch": described("""softmax over the batch
        nan in every row but the last: what is hidden is hidden in all sentences, and none can have the weight.
        Which way of counting axes, from the front or the back, still names the keys in a batch?"""),
    "batch_turned": described("""the wrong axes swapped, not the last two
        An error, as soon as there is a batch: queries and keys no longer fit together.
        .T reverses all axes. Which two must swap in a key, counted from the end?"""),
    "mask_not_cut": described("""mask not cut to the tokens at hand
        Only sentences of exactly context_length tokens get through.
        The mask is made for the longest sentence. How much of it does a short one need?"""),
    "plain_tensor": described("""mask as a plain attribute
        The numbers are right; when the layer moves to a GPU, the mask stays behind.
        The mask is not trained, and yet it belongs to the layer. What is that called?"""),
    "buffer_assigned": described("""the result of register_buffer taken for the mask
        self.mask is None.
        register_buffer stores the mask under its name, and returns None. What does your = replace?"""),
    "across_the_batch": described("""attention across the batch
        A sentence changes with the others in its batch; or an error, where a mask does not fit.
        Which axis does it take for the tokens? Change one sentence: may the others move?"""),
    "over_queries_in_batch": described("""softmax over the queries of each sentence
        In each sentence, columns of the weights sum to 1, or are nan if all of it is hidden; rows do not.
        A batch in front moves every axis on by one. Counted from the back, which one holds the keys?"""),
    "no_buffer": described("""no mask in a buffer
        The numbers are right, but the layer stores no mask: it makes a new one at every call.
        The mask depends on context_length alone. When could it be made once, and where would it be stored?"""),
    "one_position": described("""only one position counts
        A leak somewhere else in the sentence gets through.
        Where else could a leak hide? Is every position tried before you say no, and does each of them count?"""),
    "coarse_test": described("""a faint change let through
        Only faint leaks get through.
        How far apart may two numbers be and count as equal? Is your poke large enough for that?"""),
    "layer_not_called": described("""the layer is never called
        The answer does not come from what the layer does: the test has not looked.
        What can you learn of a layer without asking it? Which two inputs should it be given?"""),
    "constant_poked": described("""a poke that LayerNorm takes out again
        A layer that begins with a LayerNorm leaks, and the test finds nothing.
        What does LayerNorm make of a token when all its numbers grow by 1, or double? What stays?"""),
    "sums_compared": described("""sums, means or lengths compared, not the numbers
        A layer whose outputs change, and keep their sum or their length, gets through.
        If one number rises and another falls by as much, what does your sum say of that?"""),
    "own_output_watched": described("""the poked tokens are watched too
        Every layer leaks, says the test.
        A token may well move its own output. Which outputs must stay still when it is poked?"""),
    "position_left_out": described("""the first or the last position is never tried
        A leak at one end of the sentence gets through.
        Print the positions that your loop goes through. Which outputs does it never look at?"""),
    "tokens_written_in": described("""the number of tokens written into the test
        A leak late in a longer sentence gets through.
        Not every x is as long as yours. Which number of its shape counts the tokens?"""),
    "answered_too_early": described("""answered after the first token
        No layer ever leaks, says the test.
        In its first round all tokens change. Which outputs are left to watch, and is there a second round?"""),
    "sentence_poked": described("""a sentence is poked, not a token
        Whole sentences change. Sentences do not see each other, so this tells nothing about time.
        x is (batch, tokens, d_in). Along which axis does your index go?"""),
    "own_input_changed": described("""x itself changed, where a copy is meant
        The poke stays, and with it each later round compares two different beginnings.
        After your first round, is x still the x that came? What makes a copy of it?"""),
    "one_number_only": described("""one number of each token, where all may leak
        A leak from another number of the token, or into another one, gets through.
        A token is a whole vector. How many of its numbers do you change, and how many do you compare?"""),
    "not_scaled_up": described("""surviving weights not scaled by 1/(1 − p)
        On average, all weights shrink by the factor 1 − p.
        Part of the weight is gone. How large must the rest be, to be right on average?"""),
    "wrong_factor": described("""scaled by the wrong factor
        The average over many samples is not the original weight.
        A weight stays with probability 1 − p. Times what is it right on average?"""),
    "no_brackets": described("""/ 1 - p without brackets
        p is taken away from every weight, the dropped ones too.
        Which does Python do first, the division or the subtraction?"""),
    "keeps_p": described("""a share of p survives, not a share of 1 − p
        With p = 0.2, four out of five weights are gone.
        With p = 0, how many weights does yours drop? Is the p that it uses that of dropping, or of staying?"""),
    "same_draw": described("""the same weights dropped every time
        Two calls drop the same weights.
        Where does your code get its random numbers, and does it set a seed at each call?"""),
    "one_coin_for_many": described("""one random number for many weights
        Whole rows, or whole columns, are gone together.
        Each weight is dropped by itself. How many random numbers do you need?"""),
    "one_coin_for_all": described("""one random number for all weights
        Either all weights are gone, or none.
        Each weight is dropped by itself. How many random numbers does your code sample?"""),
    "renormalised": described("""rows renormalised after dropout
        Every row sums to 1, whatever was dropped.
        Must the weights still sum to 1 each time? What should be right on average?"""),
    "p_written_in": described("""a probability of 0.5 written in
        Half of the weights are dropped, whatever p is.
        Which p were you given, or does the layer have?"""),
    "normal_numbers": described("""normal random numbers, where uniform ones are meant
        The share that is dropped is not p.
        Between which numbers do your samples lie? How many of them fall below p?"""),
    "no_draw": described("""nothing dropped at all
        No weight is ever 0.
        With p = 0.9, how many weights should be 0? Which line of yours decides it?"""),
    "exact_share": described("""an exact share dropped, with no randomness in it
        Each call drops equally many weights.
        Each weight has a probability of its own. What would you do with a single weight, and p = 0.5?"""),
    "drops_in_use": described("""dropout in use, after eval()
        After eval(), two calls with the same input differ.
        Who tells your layer its mode? (self.train and self.eval are methods, true as a condition.)"""),
    "mode_inverted": described("""training and use the wrong way round
        It drops in use, and does nothing in training.
        When is self.training True?"""),
    "drops_no_more": described("""dropout that does not come back
        After one call in use, nothing is dropped in training any more.
        Does forward change something in self? What is left of it when training goes on?"""),
    "never_drops": described("""dropout that never drops
        In training, too, nothing is 0: never, or no more once the layer was in use.
        Is your dropout called? Does it know the mode? (self.eval is a method.) Does forward change its p?"""),
    "no_fast_kernel": described("""attention by other means, not by the fast kernel
        The numbers are right, and F.scaled_dot_product_attention is not called.
        Which one function does scores, mask, softmax and mixing in one go?"""),
    "mask_convention": described("""PyTorch's mask convention inverted
        No error, and tokens see the future alone.
        Does True mean visible or hidden, in the function that you call? Poke, and see."""),
    "not_on_weights": described("""dropout, but not on the weights
        No weight is 0: single numbers are, of the embeddings, the values or the context.
        Which matrix says how much each word counts, and at which step is it there?"""),
    "scaled_twice": described("""scaled twice
        Right shape, but they are too uniform.
        The scores come scaled, or the function that you call scales them. Who else divides by √d_k?"""),
    "no_transpose": described("""view without transpose
        The tokens are scrambled into the heads.
        view never moves a number. If you fill x with 0, 1, 2 …, what does head 1 get?"""),
    "heads_behind_tokens": described("""heads left behind the tokens
        The shape is (batch, tokens, heads, head_dim).
        The cut is right. Attention needs one matrix for each head: which axes must swap?"""),
    "heads_interleaved": described("""heads interleaved
        The right shape; the numbers of a head lie all over a token, not side by side.
        A head is a block of neighbours, and the last axis counts fastest. Is it head_dim, in and out?"""),
    "turned_before_the_cut": described("""transposed before the cut
        The right shape; a row of a head has numbers of several tokens.
        Cut the numbers of each token first. Which two axes must swap then?"""),
    "not_transposed_back": described("""merged without transposing back
        The right shape; the tokens are scrambled on the way out.
        On the way in two axes were swapped. What has become of that on the way out?"""),
    "not_contiguous": described("""view after transpose, no contiguous
        RuntimeError: view refuses.
        transpose moves no number in memory. What writes them down in the new order?"""),
    "other_axes_swapped": described("""two other axes swapped
        Two axes have changed places, but not the two that should.
        (batch, heads, tokens, head_dim): which two of these four are to change places?"""),
    "heads_added": described("""heads added up or averaged, not laid side by side
        A token comes out with head_dim components, where it should have those of all heads.
        Heads found different things. What is lost if they are summed? Which shape should come out?"""),
    "by_num_heads": described("""√num_heads in place of √head_dim
        Right shape, and right where there are as many heads as numbers in a head.
        After the transpose, which axis is which? A score of one head adds up how many products?"""),
    "no_out_proj": described("""no out_proj
        The heads lie side by side, and never meet.
        Which layer mixes the heads at the end, and is it called?"""),
    "other_error": described("""an error of another kind than ValueError
        The layer does say no, with another kind of error.
        Which kind does your line raise? (An assert raises AssertionError, and python -O leaves it out.)"""),
    "by_d_out": described("""√d_out in place of √head_dim
        Right shape, and right for a single head; with more heads the weights are too uniform.
        A score of one head is a sum of how many products?"""),
    "out_proj_of_d_in": described("""out_proj of size d_in
        An error, unless d_in = d_out; or as many numbers come out as a token had at first.
        out_proj mixes the heads. How many numbers go into it, and how many must come out?"""),
    "out_proj_without_bias": described("""out_proj without a bias
        The layer has d_out parameters too few.
        qkv_bias is for the first three projections. What does nn.Linear do if nothing is said of a bias?"""),
    "biases_not_counted": described("""biases left out
        The count is a little too low, by a multiple of 768.
        Each matrix of GPT-2 comes with a bias. How many numbers has a bias?"""),
    "bias_of_other_size": described("""biases of another size
        The count is a little too low.
        A bias adds a number to each that comes out of a projection. How many come out, in total?"""),
    "head_of_64": described("""a head's matrix counted as 64 × 64
        The count is far too low: in each head, the matrices have too few numbers.
        A head makes 64 numbers of each token. How many numbers of the token go into them?"""),
    "out_proj_not_counted": described("""out_proj left out
        The attention of a layer is counted a quarter too low.
        Queries, keys, values: and then? Where do the heads meet?"""),
    "all_layers_counted": described("""counted twelve times
        The count is exactly twelve times too high.
        Twelve of what? One block is asked for, with all of its heads."""),
    "torch_defaults": described("""none of the three habits met
        Weights averaged over the heads, (tokens, batch) taken for (batch, tokens), and no mask.
        What does the layer take for the batch, what may a token see, and whose weights come back?"""),
    "mask_added": described("""a mask of 0 and 1, added to the scores
        No error: scores of the future are larger by 1, and nothing is hidden.
        PyTorch adds a mask of numbers to the scores, and hides by one of True and False. Which is yours?"""),
    "batch_second": described("""batch and tokens in each other's place
        A sentence changes with the others in its batch; or an error, where a mask does not fit.
        With batch_first=False, which shape does x need? Change one sentence: may the others move?"""),
    "weights_averaged": described("""weights averaged over the heads
        One matrix of weights for each sentence, or the same one for every head.
        Look at the arguments of nn.MultiheadAttention's forward: which one is about an average?"""),
    "only_is_causal": described("""is_causal without attn_mask
        RuntimeError: need attn_mask.
        Here is_causal is a mere hint that your mask is causal. Where is the mask?"""),
}
