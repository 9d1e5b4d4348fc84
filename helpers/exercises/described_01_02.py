"""The mistakes of notebooks 1 and 2: what each is called, how it shows, what a teacher asks."""

from .descriptions import described

DESCRIPTIONS = {
    "not_added_up": described("""products not added up
        The result is a whole row or matrix of products, where their sums are expected.
        You multiply entry by entry. Print the shape of the products: which of its axes must a sum remove?"""),
    "added_along_wrong_axis": described("""added up along the wrong axis
        There is one number for each dimension where each token should have one, or the other way round.
        Write down the shape before the sum. Which of the two axes must disappear?"""),
    "cosine": described("""cosine similarity in place of the dot product
        No score is above 1, and a token's score with itself is 1.
        Does a long vector get a higher score than a short one that points the same way?"""),
    "columns_for_rows": described("""columns in place of rows
        Mostly it raises an error. With as many tokens as dimensions it runs, and the scores are wrong.
        A token is a row. Which numbers of X does your first score multiply: a row, or a column?"""),
    "first_alone": described("""only the first of several is used
        Only the first of several rows, heads or sentences counts, and the others are left out.
        An index of 0, or a return in a loop, leaves only the first. Which of your lines does that?"""),
    "axes_swapped": described("""two axes of the result swapped
        Two axes of the result are in the wrong order, though the numbers are right.
        Print the shape, and name each of its axes. In which order are they expected?"""),
    "softmax_too_many": described("""one softmax too many
        A softmax is applied once too often: rows sum to 1, but the numbers are not those expected.
        How many times does your code apply softmax on the way to this result?"""),
    "returned_at_once": described("""a return inside the loop
        Only the first round of the loop counts.
        A return ends the whole function. How many rounds does your loop run?"""),
    "components_written_in": described("""number of components hard-coded
        It works for vectors of one length only: longer ones lose the rest, and shorter ones raise an error.
        Not every vector has as many components. Which number of the shape tells how many there are?"""),
    "tokens_of_width": described("""components counted as tokens
        Components are counted instead of tokens, which can go wrong where the two counts differ.
        Print the shape of your input. Which of its numbers counts the tokens?"""),
    "library_softmax": described("""softmax from the library
        The numbers are right, but this exercise asks you to write the steps inside softmax yourself.
        Which of your lines takes exp, and which one makes each row sum to 1?"""),
    "over_queries": described("""softmax over the queries
        The softmax does not run along the keys, so nothing makes each row of a matrix of weights sum to 1.
        A row is one query's distribution over the keys. Along which axis do the keys lie?"""),
    "dim_1": described("""dim=1 instead of the last axis
        Axis 1 is the last only in a matrix: a single row has no axis 1, and in a batch it is the queries.
        Print scores.dim() of a row, a matrix and a batch. Which axis does dim=1 name in each of them?"""),
    "one_sum": described("""one sum for the whole matrix
        The rows of a matrix do not each sum to 1, because all of them are divided by one common sum.
        Each query has its own distribution. Over which axis do you sum?"""),
    "no_exp": described("""divided by the plain sum, no exp
        Rows sum to 1, but where the scores of a row have both signs, some of its weights are negative.
        Print what you divide by the sum. Is every number in it positive?"""),
    "no_maximum": described("""exp without subtracting the maximum
        Once scores are large, or a whole row lies far below 0, exp gives infinity or 0, and weights become NaN.
        exp overflows at 1,000 and is 0 at −1,000. What is the largest number of each row that you pass to it?"""),
    "one_maximum": described("""not each row's own maximum
        In a matrix, what is subtracted is not each row's own maximum: a row far below the others gives NaN.
        Each row has its own largest score. Along which axis do you look for it?"""),
    "scores_returned": described("""scores in place of weights: no softmax
        Rows of the weights do not sum to 1, and some weights are above 1 or below 0.
        Weights are probabilities. Which line of your code turns scores into probabilities?"""),
    "not_divided": described("""exp not divided by its sum
        Rows do not sum to 1, although no number is negative.
        Every number is positive now. Print the sum of each row: what must you divide the row by?"""),
    "in_place": described("""in-place change of an argument
        The result may be right, but the caller's own tensor, list or layer has changed.
        Which line (-=, x[…] = …, .data = …, layer.x = …, append, a name ending in _) changes what came in?"""),
    "product_turned": described("""the product the wrong way round
        Mostly it raises an error. With as many tokens as dimensions it may run, and the result is wrong.
        In A @ B, the columns of A must match the rows of B. What do these two axes stand for in your product?"""),
    "weights_along_wrong_axis": described("""weights lined up with the wrong axis
        Mostly it raises an error. With as many tokens as dimensions it runs, and the result is wrong.
        Shapes are lined up from the right. Which axis of X does the last axis of weights meet in weights * X?"""),
    "weights_turned": described("""weights transposed before they mix
        The weights are right, but the context is mixed by their columns, not by their rows.
        Row i of the weights says how token i mixes. Which weights does row i of your product use?"""),
    "mean_for_sum": described("""the mean in place of the sum
        Every component of the context is too close to 0, because it is divided by the number of tokens.
        mean adds up, and then divides. Which of the two does a weighted sum need?"""),
    "last_round_only": described("""only the last of several is used
        Only the last of several rows, sentences or rounds of a loop is in the result.
        An index of −1, or = in a loop, leaves only the last. Which of your lines does that?"""),
    "dimensions_compared": described("""dimensions paired up, not tokens
        The weights have a row for each dimension, where one for each token is expected, so they may not fit X.
        Print the shape of your scores. Which of the two factors must be transposed, so that rows meet rows?"""),
    "reshaped": described("""view or reshape instead of a transpose
        The shape is right, but view or reshape has put the numbers into the wrong positions.
        view and reshape keep the order of the numbers. Which of your lines should swap two axes instead?"""),
    "no_keepdim": described("""keepdim left out
        A square matrix can get wrong numbers without an error; most other matrices and batches raise one.
        Print the shape of each sum and maximum that you take. Does every row get its own, or every column?"""),
    "results_swapped": described("""results in the wrong order
        The results are right, but not in the order in which they are expected.
        The line under your def names the results. In which order does it have them?"""),
    "lost_gradient": described("""lost gradient
        The numbers are right, but some or all of them let no gradient flow back.
        Which of your lines cuts the way back: detach, .data, item, float, numpy, torch.tensor or no_grad?"""),
    "squeezed": described("""an axis of length 1 dropped
        An axis of length 1 that should stay is dropped, as with one token or a batch of one.
        Call your function with one token, or a batch of one. Which axis is missing from its result?"""),
    "one_matrix": described("""one matrix for queries and keys
        The same vectors serve as queries and as keys, so the scores are symmetric, as in notebook 1.
        Scores need two matrices, W_query and W_key. How many are your scores made of?"""),
    "w_transposed": described("""W transposed
        It raises an error or, if d_in = d_out, returns wrong numbers without one.
        By hand W is (d_in, d_out), in nn.Linear (d_out, d_in). Which of them does your product need?"""),
    "keys_not_turned": described("""keys not transposed
        It raises an error or, with as many tokens as components, returns wrong numbers without one.
        A score pairs a query with a key. Which two axes of the keys must swap?"""),
    "no_scale": described("""no scale
        Shapes and row sums are right, but the scores are too large, which tends to make the weights too peaked.
        Dot products grow with the number of dimensions. By what does your code divide them?"""),
    "by_d_k": described("""divided by d_k, not by √d_k
        Shapes and row sums are right, but the scores are too small, which tends to make weights too uniform.
        With queries and keys from torch.randn, scores should have a variance of 1. Which variance do you get?"""),
    "times_root": described("""multiplied by √d_k
        Shapes and row sums are right, but the scores are far too large: the weights tend to be too peaked.
        Does your factor make the scores smaller, or larger?"""),
    "by_tokens": described("""√tokens in place of √d_k
        The scale depends on the sentence: scores are too small with more than d_k tokens, too large with fewer.
        Print the number whose root you take. Does it count tokens, or the components of a key?"""),
    "power_first": described("""d_k**1/2 instead of d_k**(1/2)
        Shapes and row sums are right, but no root is taken: Python computes d_k**1 and then divides by 2.
        Print 16**1/2. Which does Python do first, the power or the division?"""),
    "by_fixed_number": described("""a fixed number in place of d_k
        The scale fits keys of one size: longer keys mostly make the weights too peaked, shorter ones too uniform.
        Where does your code read how many components a key has?"""),
    "scaled_after": described("""scaled after the softmax
        Every row sums to 1/√d_k, where it should sum to 1.
        The scale keeps the softmax from saturating. Which of the two comes first in your code?"""),
    "by_d_in": described("""√d_in in place of √d_k
        Unless d_in equals d_k, the scale is wrong, and the weights are mostly too peaked or too uniform.
        Print the shape of a key. How many products does one score add up?"""),
    "values_unused": described("""values not used
        The weights are right, but they mix the keys or the embeddings.
        A key is there to be found, a value to be passed on. What do your weights mix?"""),
    "bias_ignored": described("""qkv_bias not respected
        There is a bias whatever qkv_bias says, or a projection never has one.
        By default an nn.Linear has a bias, and an nn.Parameter has none. Where does your qkv_bias arrive?"""),
    "not_mixed": described("""weights or scores returned, nothing mixed
        The result has a number for each pair of tokens, where each token should have a context vector.
        Print the shape of your result. Which matrix, with a row for each token, is still to be mixed?"""),
    "linear_turned": described("""d_in and d_out the wrong way round
        It raises an error, unless d_in = d_out: the layer expects d_out components, and gets d_in.
        nn.Linear takes the size of its input first. How many components does a token of x have?"""),
    "bias_unused": described("""a bias left out
        Where the layer has a bias, the output is that of a layer with none.
        A product with .weight.T is not all that an nn.Linear computes. What does it add when you call it?"""),
    "copied_without_t": described("""copied without .T
        The shapes do not fit or, if d_in = d_out, the numbers are wrong without an error.
        Print both shapes. In which order does nn.Linear store its two axes?"""),
    "shares_memory": described("""shared memory, not a copy
        The numbers are right, but training one layer changes the other.
        .T makes only a view of the same numbers. Which of your lines makes a copy of them?"""),
    "copied_while_watched": described("""copied while autograd watches
        PyTorch raises a RuntimeError, because a leaf that requires grad is changed in place.
        Autograd should not record this copy. Which of your lines switches the recording off?"""),
    "no_parameter": described("""a tensor where a Parameter belongs
        PyTorch raises a TypeError, because a plain tensor cannot replace a weight.
        Print type(to_linear.W_query.weight). Is what you assign to it of the same type?"""),
    "gradient_left_off": described("""gradient switched off, and not on again
        The numbers are right, but an optimiser would leave these weights as they are.
        Print requires_grad of the three weights after your function. Which of your lines switched it off?"""),
    "values_mixed_up": described("""values mixed up with queries or keys
        The shapes are right, but one projection does the work of another.
        Follow W_value through your code. Where do its numbers end up?"""),
    "nothing_arrives": described("""nothing arrives in to_linear
        There is no error, but all three weights of to_linear are unchanged.
        Which of your lines writes into to_linear.W_query.weight itself?"""),
}
