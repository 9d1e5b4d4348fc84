"""The mistakes of notebooks 1 and 2: what each is called, how it shows, what a teacher asks."""

from .descriptions import described

DESCRIPTIONS = {
    "not_added_up": described("""products not added up
        A whole matrix comes back, where one number for each row or column is expected.
        You multiply number by number. What comes after that, and along which axis?"""),
    "added_along_wrong_axis": described("""added up along the wrong axis
        One number for each dimension, where each token should have one; or the other way round.
        Write down the shape before the sum. Which of the two axes must disappear?"""),
    "cosine": described("""cosine similarity in place of the dot product
        No score is above 1, and a word's score with itself is exactly 1.
        Does a long vector get a higher score than a short one that points the same way?"""),
    "columns_for_rows": described("""columns in place of rows
        It runs only if there are as many tokens as dimensions, and the numbers are off.
        A token is a row. Do your dot products pair up rows?"""),
    "first_alone": described("""only the first of several is used
        Whatever the other rows, or sentences, are, the same comes back.
        How many of them does your code come to? (A return inside a loop ends the whole function.)"""),
    "axes_swapped": described("""two axes of the result swapped
        The right numbers, with two axes in the wrong order.
        Print the shape, and name each of its axes. In which order are they expected?"""),
    "softmax_too_many": described("""one softmax too many
        All numbers lie between 0 and 1, and rows sum to 1, but they are not those expected.
        Which step should the result come from, and how often does your code apply softmax?"""),
    "returned_at_once": described("""a return inside the loop
        Only the first round of the loop counts.
        A return ends the whole function. How many rounds does your loop get?"""),
    "count_written_in": described("""three words written in
        Right for three; for more some are left out, for fewer there is an error.
        Not every sentence has three words. What tells how many there are?"""),
    "components_written_in": described("""three components written in
        Right for vectors of three numbers; of longer ones the rest is left out, shorter ones are an error.
        Not every vector has three components. What tells how many there are?"""),
    "tokens_of_width": described("""the dimensions of a token counted, not the tokens
        Fine, as long as there are as many tokens as numbers in each.
        Print the shape. Which of its numbers counts the tokens?"""),
    "library_softmax": described("""PyTorch's softmax, where it is to be written out
        The numbers are right, but here you are to write what happens inside. Later, use PyTorch's.
        Which steps keep exp from overflowing, make scores positive, and make them sum to 1?"""),
    "over_queries": described("""softmax over the queries
        Columns of the weights sum to 1; rows do not.
        A row is one query's distribution over the keys. Along which axis do they lie? Does a sum keep it?"""),
    "dim_1": described("""dim=1, where the last axis is meant
        Right for matrices; in a batch, axis 1 is the queries, and rows no longer sum to 1.
        A batch in front moves the other axes on. From which end must you count to name the last one?"""),
    "one_sum": described("""one sum for the whole matrix
        A single row comes out right; of a matrix, all cells together sum to 1.
        Each query has a distribution of its own. Over which axis do you sum?"""),
    "no_exp": described("""divided by the plain sum, no exp
        Rows sum to 1, but some weights are below 0, or above 1, where scores have both signs.
        What do you do to a score to make sure it is positive, before you divide?"""),
    "no_maximum": described("""exp without subtracting the maximum
        Right for scores near 0; for large ones, or for a row far below 0, nan or an overflow.
        exp(1000) is too large. What can be taken from all scores of a row and leave its weights alone?"""),
    "one_maximum": described("""not each row's own maximum
        Right, until a row lies far below another: then all of its exp are 0, and 0 / 0 is nan.
        Each row has its own largest score. Along which axis do you look for it?"""),
    "scores_returned": described("""scores in place of weights: no softmax
        Rows do not sum to 1, and some numbers are above 1 or below 0.
        Weights are probabilities. Which step makes them of scores, and where is it?"""),
    "not_divided": described("""exp not divided by its sum
        All numbers are positive, but rows do not sum to 1.
        You have made every score positive. What makes positive numbers sum to 1?"""),
    "in_place": described("""in-place change of an argument
        The result may be right, but the caller's own tensor, list or layer has changed.
        Which line (-=, x[…] = …, .data = …, layer.x = …, append, a name ending in _) changes what came in?"""),
    "product_turned": described("""the product the wrong way round
        It runs only if there are as many tokens as dimensions, and the numbers are off.
        In A @ B, the columns of A meet the rows of B. What do the rows and the columns of yours stand for?"""),
    "weights_along_wrong_axis": described("""weights spread along the wrong axis
        It runs only if there are as many tokens as dimensions, and the numbers are off.
        Shapes are lined up from the right. Does weights * X scale each row by a weight, or each column?"""),
    "weights_turned": described("""weights transposed before they mix
        The weights are right, and the context mixes by their columns.
        Row i of the weights says how token i mixes. Does row i of your product use row i?"""),
    "mean_for_sum": described("""the mean in place of the sum
        Everything is too small, by the number of tokens.
        The weights sum to 1: they have done the dividing. Is anything left to divide by?"""),
    "last_round_only": described("""only the last of several is used
        What comes before the last one makes no difference.
        Is each new product added to what there is, or put in its place? (In a loop, = replaces.)"""),
    "dimensions_compared": described("""dimensions paired up, not tokens
        There is a row for each dimension, where one for each token is expected.
        Print the shape of your scores. Which of the two must be transposed, so that rows meet rows?"""),
    "reshaped": described("""view or reshape, where axes must swap
        The right shape, and the numbers stand in the wrong positions.
        view and reshape read on row by row, and break the lines elsewhere. Which function swaps two axes?"""),
    "no_keepdim": described("""keepdim left out
        A square matrix comes out wrong; one that is not square raises an error.
        Print the shape of each sum and maximum that you take. Does every row get its own, or every column?"""),
    "results_swapped": described("""results in the wrong order
        The right results, in another order than they are expected.
        Look at the line under your def once more: in which order are they wanted?"""),
    "lost_gradient": described("""lost gradient
        The numbers are right, but training could not get back through all of them.
        What cuts the way back: detach(), .data, item(), float(), numpy(), torch.tensor(), torch.no_grad()?"""),
    "squeezed": described("""an axis of length 1 dropped
        Right, until an axis that should stay has length 1, as in a batch of one: then it is gone, too.
        What does squeeze take away from a batch of one? Which axes did you mean to drop?"""),
    "one_matrix": described("""one matrix for two jobs
        The scores are symmetric again, as in notebook 1.
        Count the matrices that your scores are made of. How many should it be?"""),
    "w_transposed": described("""W transposed
        An error, unless d_in = d_out: then wrong numbers, in silence.
        Here W is (d_in, d_out); nn.Linear has it the other way round. Which does your product expect?"""),
    "keys_not_turned": described("""keys not transposed
        An error, unless there are as many tokens as numbers in a key; then wrong numbers, in silence.
        A score pairs two rows, a query and a key. Which two axes of the keys must swap for that?"""),
    "no_scale": described("""no scale
        Right shape, rows sum to 1, but they are too peaked.
        Dot products grow with the number of dimensions. What keeps them in bounds?"""),
    "by_d_k": described("""divided by d_k, not by √d_k
        Right shape, rows sum to 1, but they are too uniform.
        Of numbers of variance 1, a dot product has variance d_k. By what must you divide to make it 1?"""),
    "times_root": described("""multiplied by √d_k
        Right shape, rows sum to 1, but they are far too peaked.
        Does your factor shrink the scores, or make them grow? Look at the sign of the power."""),
    "by_tokens": described("""√tokens in place of √d_k
        The sharpness of the weights changes with the length of the sentence.
        Which axis of the keys do you measure? Print the shape."""),
    "power_first": described("""d_k**1/2, where d_k**(1/2) is meant
        Right shape, rows sum to 1, but no root is taken.
        Which does Python do first, the power or the division?"""),
    "by_fixed_number": described("""a fixed number in place of d_k
        Right for keys of one size; with more numbers too peaked, with fewer too uniform.
        How many numbers has a key here? Does your code ask how many there are?"""),
    "scaled_after": described("""scaled after the softmax
        Rows sum to less than 1, all by the same factor.
        The scale is to keep the softmax from saturating. Can it, where it stands now?"""),
    "by_d_in": described("""√d_in in place of √d_k
        Right as long as a key has as many numbers as x; else the weights are too peaked or too uniform.
        A score is a sum of how many products? Look at the shape of a key."""),
    "values_unused": described("""values not used
        The weights are right, and they mix the keys, or the embeddings.
        A token has something to be found by, and something to pass on. Which of them do you mix?"""),
    "bias_ignored": described("""qkv_bias has no effect
        There is a bias whatever qkv_bias says, or a projection never has one.
        Where does your qkv_bias arrive? (By default nn.Linear has a bias; an nn.Parameter never has.)"""),
    "not_mixed": described("""weights returned, nothing mixed
        A number for each pair of tokens comes back, where a context vector for each token is expected.
        You have the weights. What do they still have to mix?"""),
    "linear_turned": described("""d_in and d_out the wrong way round
        An error, unless d_in = d_out: the layer waits for d_out numbers, and gets d_in.
        How many dimensions of a token go into an nn.Linear, and how many come out? Which does it want first?"""),
    "bias_unused": described("""the bias is there, and forward does not use it
        With qkv_bias=True, the output is that of a layer with no bias.
        A product with .weight is not all that an nn.Linear does. What happens when you call it?"""),
    "copied_without_t": described("""copied without .T
        A shape does not fit, unless d_in = d_out: then wrong numbers, in silence.
        Print both shapes, side by side. Which layout has the weight of an nn.Linear?"""),
    "shares_memory": described("""shared memory, not a copy
        The numbers are right today; to train one of the layers changes the other.
        Are there two tensors now, or one with two names? (.T makes no new one.) What makes a second?"""),
    "copied_while_watched": described("""copied while autograd watches
        RuntimeError: a leaf that requires grad is used in an in-place operation.
        PyTorch records every step, and this one should not be recorded. How do you tell it to look away?"""),
    "no_parameter": described("""a tensor where a Parameter belongs
        TypeError: PyTorch will not take a plain tensor as a weight.
        A weight must be trainable. What marks a tensor as one that training may change?"""),
    "gradient_left_off": described("""gradient switched off, and not on again
        The numbers are right, but an optimiser would leave these weights as they are.
        Which block allows such a copy, and leaves the weights trainable once it has ended?"""),
    "values_mixed_up": described("""values mixed up with queries or keys
        Right shapes, wrong numbers: one projection does the work of another.
        Follow W_value through your code. Where do its numbers end up?"""),
    "nothing_arrives": described("""nothing arrives in to_linear
        No error, and all three of its weights are as they were.
        Which of your lines writes into to_linear.W_query.weight, and not into a tensor or a name of your own?"""),
}
