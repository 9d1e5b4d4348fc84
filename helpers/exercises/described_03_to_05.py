"""The mistakes of notebooks 3 to 5: what each is called, how it shows, what a teacher asks."""

from .descriptions import described

DESCRIPTIONS = {
    "diagonal_0": described("""diagonal=0
        No token sees itself. The first sees nothing at all, and its row of weights is NaN or 0.
        A token may see itself. On which diagonal does your triangle start?"""),
    "tril_for_triu": described("""tril in place of triu
        Each token sees only the future: its past is hidden, and so is the token itself.
        Here True means hidden. Which triangle is the future: lower left, or upper right?"""),
    "past_hidden": described("""the past hidden, not the future
        The future is visible and the past is hidden; only the diagonal is right.
        Token i looks at token j. Which of the two is larger if j lies in the future?"""),
    "all_hidden": described("""everything hidden
        The mask is True everywhere: no token may look at anything, not even at itself.
        Print the tensor that you turn into booleans. Which of its numbers are exactly 0?"""),
    "not_booleans": described("""a mask of numbers, not of booleans
        The cells of the mask are numbers, even if their pattern is right.
        What is the dtype of your mask, and which method turns it into True and False?"""),
    "zero_times_infinity": described("""0 times −∞ is NaN
        The mask is NaN on and below its diagonal, and so every weight becomes NaN.
        Print your mask before you use it. What is 0 · −∞?"""),
    "diagonal_2": described("""diagonal=2
        Every token but the last sees the one after it.
        Draw the mask of three tokens on paper. Where does your triangle start?"""),
    "scores_times_0": described("""scores times 0 and 1, before the softmax
        Rows sum to 1, but the future still has some weight.
        Print the first row of your scores after the product, and exp of it. What is exp of the hidden scores?"""),
    "mask_after_softmax": described("""masked after the softmax, not renormalised
        The future has no weight, but only the last row still sums to 1.
        The weight of the future is gone. Which tokens should have got it?"""),
    "mask_of_scores": described("""mask built from the scores
        The mask depends on the scores: where one is exactly 0, a cell may be shown or hidden by mistake.
        The future is a matter of positions alone. What does your mask depend on?"""),
    "nothing_left": described("""masked after the softmax, then renormalised
        A future score far above the rest takes all the weight, and once it is masked nothing is left to share out.
        After the mask, softmax shares 1 among what is visible. Which comes first in your code?"""),
    "no_mask": described("""no mask
        Every token gives weight to every other, the future too, and every row sums to 1.
        A mask counts only if its result is used. Poke the last token: which outputs move, and should not?"""),
    "low_number": described("""a low number in place of −∞
        The number is low, but not −∞: some scores leave the future with weight, or float16 cannot hold the number.
        Print torch.finfo(torch.float16).min, and that of float32. Is your number below both, as −∞ is?"""),
    "billion_in_float16": described("""−1e9 in float16
        It raises an error in float16, whose numbers end near 65,000; in float32 it works for all usual scores.
        Print torch.finfo(torch.float16).min. Which number is lower than that, in every dtype?"""),
    "tokens_of_batch": described("""tokens counted along the batch
        In a batch, sentences are counted instead of tokens, which can go wrong where the two counts differ.
        A batch puts a new axis in front. Which number of the shape counts the tokens now?"""),
    "over_batch": described("""softmax over the batch
        Every row but the last has NaN: a hidden key is hidden in every sentence, so nothing is left to share out.
        Which way of counting axes, from the front or the back, still names the keys in a batch?"""),
    "batch_turned": described("""the wrong axes swapped, not the last two
        With a batch, queries and keys no longer fit together, which mostly raises an error.
        Print the shape of the keys before and after your transpose. Which two axes should have swapped?"""),
    "mask_not_cut": described("""mask not cut to the tokens at hand
        It raises an error, unless a sentence has exactly context_length tokens.
        Print the shapes of the scores and of your mask. Which rows and columns does a short sentence need?"""),
    "plain_tensor": described("""mask as a plain attribute
        The numbers are right, but the mask stays behind when the layer moves to a GPU.
        The mask is not trained, and yet it belongs to the layer. Does list(layer.buffers()) show it?"""),
    "buffer_assigned": described("""the result of register_buffer taken for the mask
        self.mask is None, so the first call of the layer raises an error.
        register_buffer stores the mask under its name, and returns None. What does your = replace?"""),
    "across_the_batch": described("""attention across the batch
        Outputs change with other sentences of the batch, and not with other tokens of their own sentence.
        Change the first sentence of a batch. Which outputs of the other sentences move?"""),
    "no_buffer": described("""no mask in a buffer
        The numbers are right, but the layer stores no mask: it makes a new one at every call.
        The mask depends on context_length alone. In which method of the layer could it be made once?"""),
    "one_position": described("""only one position counts
        A leak at another position gets through.
        A leak can hide at any position. Print those that you poke: does each of them count in your answer?"""),
    "coarse_test": described("""a faint change let through
        Faint leaks get through.
        How large is your poke, and how small a change do you count?"""),
    "layer_not_called": described("""the layer is never called
        The test gives its answer without ever calling the layer.
        Which two inputs must the layer get, so that you can compare its outputs?"""),
    "constant_poked": described("""a poke that LayerNorm undoes
        The test misses the leak of a layer that begins with a LayerNorm.
        Print nn.LayerNorm(x.shape[-1])(x) before and after your poke. How much has it changed?"""),
    "sums_compared": described("""sums, means or lengths compared, not the components
        A leak gets through if the sum, mean or length that is compared stays the same.
        Different outputs can have the same sum or length. Which of your lines compares single components?"""),
    "own_output_watched": described("""the poked tokens are watched too
        The test calls every layer leaky.
        A token may well move its own output. Which outputs must stay still when it is poked?"""),
    "position_left_out": described("""first or last position never tried
        A leak between the first two tokens, or between the last two, gets through.
        Print the positions that your loop goes through. Which one is missing at one of the ends?"""),
    "tokens_written_in": described("""the number of tokens hard-coded
        It works for texts of one length only: of longer ones, the last tokens are left out.
        Not every text has as many tokens. Which number of the shape counts them?"""),
    "answered_too_early": described("""answered after the first token
        The test finds no leak in any layer.
        In its first round all tokens change. How many outputs are left to compare?"""),
    "sentence_poked": described("""a sentence is poked, not a token
        Whole sentences change. They never see each other, so no leak can show.
        x is (batch, tokens, d_in). Along which axis does your index go?"""),
    "own_input_changed": described("""x itself poked, not a copy
        Each poke stays in x, so in later rounds outputs move because their own tokens have changed.
        After your first round, is x still what it was at the start?"""),
    "one_number_only": described("""only one component poked or watched
        A leak gets through if it comes from a component that is not poked, or reaches one that is not watched.
        How many components of a token do you change, and how many do you compare?"""),
    "not_scaled_up": described("""surviving weights not scaled by 1/(1 − p)
        On average, all weights shrink by the factor 1 − p.
        Average the results of 1,000 calls. By what factor are they smaller than the weights?"""),
    "wrong_factor": described("""scaled by the wrong factor
        For most p, the average over many samples is not the original weight.
        A weight stays with probability 1 − p. Multiplied by which factor is it right on average?"""),
    "no_brackets": described("""/ 1 - p without brackets
        p is subtracted from every weight, even from those that were dropped.
        Print 1 / 1 - 0.5. Which does Python do first, the division or the subtraction?"""),
    "keeps_p": described("""weights kept with probability p
        With p = 0.2, four out of five weights are dropped on average.
        p is the probability of being dropped. With p = 0, how many weights does your code drop?"""),
    "same_draw": described("""the same weights dropped every time
        Two calls drop the same weights.
        Print the random numbers of two calls. Does your code set a seed, or keep the first ones?"""),
    "one_coin_for_many": described("""one random number for many weights
        Whole rows, or whole columns, are dropped together.
        Each weight needs its own random number. What is the shape of those that you sample?"""),
    "one_coin_for_all": described("""one random number for all weights
        Either all weights are dropped, or none.
        Each weight needs its own random number. How many does your code sample?"""),
    "renormalised": described("""weights renormalised after dropout
        After dropout the weights are divided by their sum, so they sum to 1, or are NaN where nothing is left.
        By what factor do the surviving weights grow, and is it the same at every call?"""),
    "p_written_in": described("""a hard-coded probability of 0.5
        Half of the weights are dropped on average, whatever p is.
        With p = 0, how many weights does your code drop?"""),
    "normal_numbers": described("""normal random numbers instead of uniform ones
        The share that is dropped is mostly not p: even a p of 0 drops about half.
        Uniform samples lie between 0 and 1. What share of your samples falls below p?"""),
    "no_draw": described("""nothing dropped at all
        No weight is ever 0.
        With p = 0.9, about nine weights in ten should be 0. Which of your lines chooses them?"""),
    "exact_share": described("""a fixed number of weights dropped
        Every call drops the same number of weights.
        With a single weight and p = 0.5, in how many of 100 calls does your code drop it?"""),
    "drops_in_use": described("""dropout in use, after eval()
        After eval(), two calls with the same input differ.
        self.train is a method, so as a condition it is always true. Which condition do you use?"""),
    "mode_inverted": described("""training and use the wrong way round
        Weights are dropped in use, and none in training.
        Print self.training in training, and after eval(). For which of the two does your code drop weights?"""),
    "drops_no_more": described("""dropout that does not come back
        After one call in use, nothing is dropped in training any more.
        Which line of forward changes something in self that training needs later?"""),
    "never_drops": described("""dropout that never drops
        No weight is ever dropped, not even in training.
        Which of your lines should drop weights in training, and which mode and p does it get?"""),
    "no_fast_kernel": described("""attention without the fast kernel
        The numbers are right, but F.scaled_dot_product_attention is not called.
        One function can do scores, mask, softmax and mixing. Which of your lines could it replace?"""),
    "mask_convention": described("""the mask convention inverted
        There is no error, but each token sees only the future.
        In the function that you call, does True mean visible or hidden?"""),
    "not_on_weights": described("""dropout, but not on the weights
        No attention weight is dropped: the zeros are in the embeddings, the values or the context.
        Which matrix says how much each token counts, and at which step do you have it?"""),
    "scaled_twice": described("""scaled twice
        The scores are divided by √d_k twice, which tends to make the weights too uniform.
        Does the function that you call divide by √d_k as well?"""),
    "no_transpose": described("""view without transpose
        The shape is right, but a head gets only some of the tokens, not a part of every token.
        view never moves a number. If you fill x with 0, 1, 2 …, what does head 1 get?"""),
    "heads_behind_tokens": described("""heads left behind the tokens
        After the split, the shape is (batch, tokens, heads, head_dim): the heads stand behind the tokens.
        The cut is right. Attention needs one matrix for each head: which axes must swap?"""),
    "heads_interleaved": described("""heads interleaved
        The shape is right, but the components of a head are spread over the token, not side by side.
        A head is a block of neighbouring components. Is head_dim your last axis in splitting and merging?"""),
    "turned_before_the_cut": described("""transposed before the cut
        The shape is right, but a row of a head mixes components of several tokens.
        Cut each token into heads first. Which two axes must swap after that?"""),
    "not_transposed_back": described("""merged without transposing back
        The shape is right, but merging scrambles the tokens.
        Splitting swapped two axes. Where does merging swap them back?"""),
    "not_contiguous": described("""view after transpose, no contiguous
        view mostly raises a RuntimeError after a transpose.
        transpose moves no numbers in memory. Which of your lines copies them into the new order?"""),
    "other_axes_swapped": described("""two other axes swapped
        Two axes have changed places, but not the two that should.
        Print the shapes before and after your transpose. Which two axes should have changed places?"""),
    "heads_added": described("""heads added or averaged, not concatenated
        A token has only head_dim components, where it should have those of all heads.
        A sum cannot be taken apart again. Print the shape: how many components should a token have?"""),
    "by_num_heads": described("""√num_heads in place of √head_dim
        The scale is wrong, unless there are as many heads as components in a head.
        Print the shape of the keys after the split. How many products does one score add up?"""),
    "no_out_proj": described("""no out_proj
        The heads lie side by side in the output, and nothing mixes them.
        Which layer mixes the heads at the end, and is it called?"""),
    "other_error": described("""an error of another kind than ValueError
        The layer refuses as it should, but with another kind of error.
        An assert raises AssertionError, and python -O leaves it out. Which kind does your line raise?"""),
    "by_d_out": described("""√d_out in place of √head_dim
        With more than one head, the scores are too small, which tends to make the weights too uniform.
        How many products does a score of one head add up?"""),
    "out_proj_of_d_in": described("""out_proj of size d_in
        Unless d_in = d_out, it raises an error, or the output has d_in components where d_out are expected.
        out_proj mixes the heads. How many components does it get, and how many must it return?"""),
    "out_proj_without_bias": described("""out_proj without a bias
        The layer is d_out parameters short, at least with qkv_bias=False.
        qkv_bias is for the first three projections. What is out_proj.bias of your layer?"""),
    "biases_not_counted": described("""biases left out
        The count is a little too low, by a multiple of 768.
        Each matrix of GPT-2 comes with a bias. How many biases does your sum count?"""),
    "bias_of_other_size": described("""biases of another size
        The count is a little too low, because the biases are too short.
        A bias has one number for each output of its projection. How many outputs does a projection have?"""),
    "head_of_64": described("""a head's matrix counted as 64 × 64
        The count is far too low, because the matrices of a head have too few entries.
        A head makes 64 components out of each token. How many components does it read?"""),
    "out_proj_not_counted": described("""out_proj left out
        Only three quarters of the parameters of a layer's attention are counted.
        Queries, keys and values have three matrices. In which layer do the heads meet afterwards?"""),
    "all_layers_counted": described("""counted twelve times
        The count is exactly twelve times as high as it should be.
        One block is asked for, with all of its heads. What are there twelve of in your count?"""),
    "torch_defaults": described("""nn.MultiheadAttention left at its defaults
        Weights are averaged over the heads, batch and tokens are swapped, and nothing is masked.
        Print the shapes of context and weights. Which axis should be the batch, and which one the heads?"""),
    "mask_added": described("""a 0/1 mask added to the scores
        There is no error, but future scores grow by 1, and nothing is hidden.
        PyTorch adds a float mask to the scores, and hides by a Boolean one. What is the dtype of your mask?"""),
    "batch_second": described("""batch and tokens swapped
        Tokens see other sentences instead of their own, or the mask does not fit and raises an error.
        With batch_first=False the layer expects (tokens, batch, d). Which shape does it get?"""),
    "only_is_causal": described("""is_causal without attn_mask
        PyTorch raises a RuntimeError, because attn_mask is missing.
        Here is_causal is only a hint that the mask is causal. Where do you pass the mask itself?"""),
}
