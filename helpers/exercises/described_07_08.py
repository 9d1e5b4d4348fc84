"""The mistakes of notebooks 7 and 8: what each is called, how it shows, what a teacher asks."""

from .descriptions import described

DESCRIPTIONS = {
    "other_asks": described("""the other sequence asks
        It raises an error, or the result has a row for each token of the other sequence.
        Each row of the result belongs to a token that asks. From which sequence do your queries come?"""),
    "values_of_x": described("""values from the sequence that asks
        It raises an error, unless both sequences have the same shape; then the right weights mix the wrong values.
        Which sequence is looked at, and which one gives the values in your code?"""),
    "self_for_cross": described("""self-attention in place of cross-attention
        The other sequence is never used: x looks at itself.
        Which of queries, keys and values come from the other sequence in your code?"""),
    "matrices_swapped": described("""W_query and W_key swapped
        It raises an error or, if all tokens have equally many components, returns wrong numbers without one.
        W_query is for the sequence that asks. Which sequence does your code multiply by it?"""),
    "keys_ask": described("""queries and keys the wrong way round
        Rows and columns of the scores are swapped. With more queries than keys, or fewer, it may raise an error.
        Row i of the scores belongs to query i. Which stands first in your product, queries or keys?"""),
    "chosen_by_keys": described("""a choice for each key, not each query
        Each key chooses one query, where each query should choose one key.
        A row belongs to the query that chooses. Along which axis do the keys lie?"""),
    "rows_too_short": described("""a wrong number of columns
        The weights have one column for each key only by chance, and otherwise it raises an error.
        F.one_hot takes the number of columns. How many do you ask for, and how many keys are there?"""),
    "whole_numbers_kept": described("""whole numbers multiplied with the values
        It raises an error: a product needs one dtype on both sides, and F.one_hot gives whole numbers.
        Print the dtype of your weights and that of the values. Which of the two must change?"""),
    "positions_for_weights": described("""positions where weights are expected
        The weights are whole numbers, one for each query: they say where, not how much.
        argmax says where the 1 belongs. Print the shape of your weights: how many numbers should a row have?"""),
    "soft_not_hard": described("""a soft choice instead of a hard one
        Every token gets some weight, and no weight is exactly 1.
        A hard choice gives one token 1 and all others 0. How many zeros does a row of your weights hold?"""),
    "ties_kept": described("""several tokens chosen where scores tie
        Where two scores are both the highest, the row has two ones.
        A query chooses one token. Which of two equal scores does argmax take?"""),
    "last_of_equals": described("""the last of several highest scores
        Where several scores tie for the highest, the 1 stands at the last of them.
        argmax takes the first of equal scores. In a loop, which of them does >= take?"""),
    "no_tanh": described("""no tanh
        A score is one part from the query plus one from the key, so all queries end up with the same weights.
        What stands between the sum and v in the formula, and what in your code?"""),
    "v_left_out": described("""v left out
        All components after the tanh count the same, whatever v says.
        v has one entry for each component after the tanh. Which line of your code uses v?"""),
    "tanh_last": described("""tanh after v, not before
        No score is above 1 or below −1.
        In which order does the formula have them: the sum, tanh, v?"""),
    "tanh_of_each": described("""tanh of each part, not of their sum
        A score is one part from the query plus one from the key, so all queries end up with the same weights.
        Does the formula take tanh of the query's part and of the key's, or of their sum?"""),
    "products_for_sums": described("""products where the score adds
        The shape is right, but a component near 0 in one vector wipes out that of the other.
        The score is called additive. What do you do with the two vectors before the tanh?"""),
    "not_every_pair": described("""not every query meets every key
        It raises an error, or returns one number per token where one per pair is expected.
        Print the shapes of the two parts that you add. On which axis does each query meet all keys?"""),
    "layer_unused": described("""the layer not used
        The numbers are right, but they do not come from the Keras layer.
        You have the formula. What must the layer be given, so that it computes the same?"""),
    "key_before_value": described("""key passed before value to Keras
        Keys and values swap roles, which raises an error if their sizes differ.
        In which order does a Keras layer take its three inputs, and in which does your list have them?"""),
    "value_scaled": described("""the values scaled, not the scores
        The scores are too large, which tends to make the weights too peaked, and the values are too small.
        Of the three inputs, which two make the scores, and which one do you scale?"""),
    "hidden_as_visible": described("""the mask inverted for Keras
        Where something is hidden, it gets all the weight, and there is no error.
        In our masks, True means hidden. What does it mean in those of Keras?"""),
    "keras_mask_left_out": described("""the mask missing or misplaced for Keras
        The mask does not reach the keys: the padding gets weight, or the shapes do not fit.
        Keras takes a mask for the queries and one for the values. In which position do you pass your mask?"""),
    "no_weights_asked": described("""the weights not asked for
        The layer returns the context alone.
        Keras calls the weights attention scores. Print help(layer.call): which argument returns them, too?"""),
    "never_shuffled": described("""the tokens are not shuffled
        The test says that no layer knows the order.
        Print what the layer gets the second time. Along which axis of (batch, tokens, d) has it moved?"""),
    "outputs_not_shuffled": described("""the outputs compared where they stand
        Even a layer that treats each token by itself is said to know the order.
        A token has moved, and its output with it. With which earlier row must you compare it?"""),
    "shuffled_twice": described("""the outputs shuffled once more, not back
        Swaps undo themselves, but with other orders even self-attention is said to know the order.
        Say that tokens 0, 1, 2 come in the order 1, 2, 0. Which order brings the outputs back?"""),
    "reversed_only": described("""only the reverse order is tried
        A layer that treats both directions alike gets through.
        Read backwards, neighbours stay neighbours. In which of the orders you try do two of them part?"""),
    "rolled_only": described("""all tokens moved on by the same step
        A layer that joins the end of the sentence to its beginning gets through.
        On a ring, rolled tokens keep their neighbours. In which of the orders you try do two of them part?"""),
    "one_shuffle": described("""a few random shuffles
        The answer can change from run to run, because a layer may not notice every shuffle.
        Five tokens have 120 orders. How many of them does your test try?"""),
    "one_swap": described("""not every pair of neighbours changes places
        A layer that notices only the swaps that are missing gets through.
        Print the pairs that your loop swaps. Which pair of neighbours is missing?"""),
    "answer_inverted": described("""True and False the wrong way round
        True and False are exchanged, in a comparison, in what is returned, or in both.
        What does your function return if all compared outputs are equal, and what if a single one differs?"""),
    "too_exact": described("""rounding taken for a difference
        Rounding counts as a difference, so a layer that ignores the order may be said to know it.
        Sums in another order differ in the last digits. How large a difference does your comparison allow?"""),
    "sines_first": described("""all sines, then all cosines
        Every number is in the table, but the columns are in another order.
        Sine and cosine of one pair stand side by side here. In which columns do your sines stand?"""),
    "own_speeds": described("""a speed for each column, not each pair
        Except at position 0, sine and cosine of a pair have different angles: their squares do not sum to 1.
        Sine and cosine of a pair share one speed. How many different speeds does your table have?"""),
    "exponent_doubled": described("""2i doubled once more
        Only the first pair is right. All others rotate too slowly: 100 times slower becomes 10,000 times slower.
        arange(0, d, 2) gives 0, 2, 4 …: is that i already, or 2i?"""),
    "half_exponent": described("""i instead of 2i
        Only the first pair is right. All others rotate too fast, and none is even 100 times slower than the first.
        Pair i rotates by 10,000^(−2i/d). With d/2 pairs, how large does your exponent become?"""),
    "speeds_upside_down": described("""speeds that grow, not shrink
        Only the first pair is right, and all others rotate far too fast.
        Do you multiply the position by 10,000^(2i/d), or divide by it?"""),
    "other_base": described("""another base than 10,000
        Only the first pair is right, and all others rotate too fast, or too slowly.
        Print your speeds. How many times slower than the first pair is the last?"""),
    "no_power": described("""no power: speeds that grow evenly
        Even the first pair does not rotate by 1 from one position to the next.
        For i = 0, 10,000^(−2i/d) is 1. What is the first of your speeds?"""),
    "positions_from_1": described("""positions counted from 1
        Every row belongs to the next position, and the row of position 0 is missing.
        At position 0 all angles are 0. What is your first row?"""),
    "sine_alone": described("""the cosines are missing
        Where the cosines should stand, there are sines, zeros, or no columns at all.
        Many angles share a sine. What is the second component of each pair in your table?"""),
    "rotary_halves": described("""halves rotated, not neighbours
        Only position 0 is right, because component i is paired with component i + d/2.
        Here the pairs are (0, 1), (2, 3) … Which two components make up your first pair?"""),
    "turned_back": described("""rotated the other way
        Only position 0 is right: elsewhere the vectors are rotated clockwise.
        A quarter turn takes (1, 0) to (0, 1). Where does your rotation take it?"""),
    "one_sign": described("""a wrong sign in the rotation
        Except at position 0, the vectors change their length.
        A rotation subtracts exactly one of its four products. How many does your code subtract?"""),
    "mirrored": described("""mirrored, not rotated
        Lengths stay as they were, but even at position 0 the second component of each pair changes its sign.
        At position 0 nothing should change. What does your code make of (0, 1) there?"""),
    "positions_ignored": described("""positions not used
        Tokens whose positions are not 0, 1, 2 … are rotated by the wrong angles.
        Counting the tokens does not tell where they stand. Which argument does?"""),
    "laid_out_otherwise": described("""rotated as pairs, laid out as halves
        Every number is there, but in another order, even at position 0.
        You took out every second component. Do they go back to the columns that they came from?"""),
    "sines_for_cosines": described("""sine and cosine swapped
        Even position 0 is wrong, though all angles are 0 there.
        At angle 0 the sine is 0, and the cosine is 1. Which of the two does each of your lines use?"""),
    "changed_too_early": described("""first component overwritten too early
        Except at position 0, the second component of each pair is wrong.
        Does your second line use the first component that was given, or the one just computed?"""),
    "one_speed": described("""one speed for all pairs
        All pairs rotate at the same speed, which is right only if there is a single pair.
        A clock has a hand for seconds and one for minutes. How far does pair i rotate in one step?"""),
    "bias_positive": described("""distance rewarded
        The bias has the wrong sign, so distant tokens get higher scores.
        The bias is added to the scores. Should a distant token get a higher score, or a lower one?"""),
    "future_rewarded": described("""later tokens rewarded
        Above the diagonal, the bias has the wrong sign.
        Positions 2 and 5 are 3 apart in both directions. Which two distances does your code give them?"""),
    "nothing_behind": described("""keys on one side only
        On one side of the diagonal, the bias is 0 everywhere.
        A later key is at a distance, too. How far is key 2 from query 0 in your code?"""),
    "first_slope_1": described("""slopes that begin with 1
        The first slope is 1, whereas with 8 heads it should be ½.
        Print your slopes for 8 heads. Is the first head number 0 or number 1 in your code?"""),
    "fixed_slopes": described("""the slopes of 8 heads, always
        Unless there are 8 heads, the last slope is not 1/256.
        The last slope should always be 1/256. What is the last of your slopes for 16 heads?"""),
}
