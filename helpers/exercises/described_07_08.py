"""The mistakes of notebooks 7 and 8: what each is called, how it shows, what a teacher asks."""

from .descriptions import described

DESCRIPTIONS = {
    "other_asks": described("""the other sequence asks
        There are as many rows as the other sequence has tokens.
        One row of the result belongs to one token that asks. Whose tokens are they?"""),
    "values_of_x": described("""values from the sequence that asks
        An error, unless both are alike in size and length: then right weights mix the wrong words.
        Who was looked at, and who must give its values then?"""),
    "self_for_cross": described("""self-attention in place of cross-attention
        The other sequence is never used: x looks at itself.
        Which of queries, keys and values come from the other sequence?"""),
    "matrices_swapped": described("""W_query and W_key each in the other's place
        An error, unless both sequences have as many numbers a token: then wrong numbers, in silence.
        Which of the two is for those that ask? Compare its first size with that of x."""),
    "keys_ask": described("""queries and keys the wrong way round
        The scores are the right ones, mirrored along the diagonal.
        Row i belongs to the token that asks. Is it the query or the key that asks?"""),
    "chosen_by_keys": described("""the choice made for each key, not for each query
        Each column of the weights has a single 1; a row may have several, or none.
        A row belongs to the query that chooses. Along which axis lie the keys?"""),
    "rows_too_short": described("""rows of another length than there are keys
        An error, or a matrix that has not one column for each key.
        If you do not say how long, F.one_hot ends at the largest position. How long must a row be?"""),
    "whole_numbers_kept": described("""whole numbers multiplied with the values
        An error: a product wants one type on both sides, and F.one_hot gives whole numbers.
        What did the cell that first showed F.one_hot do with its result?"""),
    "positions_for_weights": described("""positions where weights are expected
        The weights are whole numbers, one for each query: they say where, not how much.
        argmax says where the 1 belongs. Which function makes a row of 0 and 1 from a position?"""),
    "soft_not_hard": described("""a soft choice, where a hard one is expected
        Every word gets some weight, and no weight is exactly 1.
        A hard choice knows 0 and 1 alone. What does softmax come to at temperature 0?"""),
    "ties_kept": described("""several words chosen where scores tie
        Right, unless two scores are both the highest: then the row has two ones.
        A query chooses one word. Which of two equal scores do you take, and how?"""),
    "last_of_equals": described("""the last of several highest scores
        Right, unless two scores are both the highest: then the 1 stands at the last of them.
        Which of two equal scores is to be taken? In a loop: what does >= do, and what >?"""),
    "no_tanh": described("""no tanh
        A score is one part from the query plus one from the key: after the softmax all queries look alike.
        What stands between the sum and v in the formula?"""),
    "v_left_out": described("""v left out
        All numbers after the tanh count the same, whatever v says.
        By what is each number after the tanh multiplied before they are added up?"""),
    "tanh_last": described("""tanh after v, not before
        No score is above 1 or below −1.
        In which order does the formula have them: the sum, tanh, v?"""),
    "tanh_of_each": described("""tanh of each part, not of their sum
        A score is one part from the query plus one from the key: after the softmax all queries look alike.
        Of what does the formula take tanh: of the query's part and the key's, or of what they make together?"""),
    "products_for_sums": described("""products where the score adds
        The right shape, and a number close to 0 on either side makes its part of the pair small.
        It is called additive. What is done with the two vectors before the tanh?"""),
    "not_every_pair": described("""not every query meets every key
        An error, unless both are as many, or one is alone: then one number for each comes back.
        Query 1 meets key 1 and no other. How can each query get an axis of all keys?"""),
    "scores_turned": described("""queries and keys in each other's axis
        The scores are the right ones, with rows and columns swapped.
        One row belongs to one query. Which of the two gets the new axis, and where?"""),
    "layer_unused": described("""the layer not used
        The numbers are right, and come from elsewhere than from the layer of Keras.
        You have the formula. What must the layer be given, so that it computes the same?"""),
    "key_before_value": described("""query, key, value passed to Keras
        An error, unless keys and values are alike in size: then keys are mixed, by how well the query fits values.
        In which order does a Keras layer take its three inputs?"""),
    "value_scaled": described("""the values scaled, not the scores
        The weights are too peaked, and the context too short.
        Of the three inputs, which two make the scores?"""),
    "hidden_as_visible": described("""True taken for hidden by Keras
        No error: the hidden words get all the weight, and the others none.
        In our masks, True means hidden. What does it mean in those of Keras?"""),
    "keras_mask_left_out": described("""the mask not where the layer looks for it
        Right where nothing is hidden; elsewhere the padding gets its share.
        Keras takes two masks, of the queries and of the values. Is yours there, and in which position?"""),
    "no_weights_asked": described("""the weights not asked for
        The context comes back alone.
        Which argument asks for the weights as well? Keras calls them attention scores."""),
    "never_shuffled": described("""the tokens are not shuffled
        No layer knows the order, says the test.
        Print what the layer gets the second time. Along which axis of (batch, tokens, d) has it moved?"""),
    "outputs_not_shuffled": described("""the outputs compared where they stand
        Even a layer that treats each token by itself knows the order, says the test.
        A token has moved, and its output with it. With which earlier row must you compare it?"""),
    "shuffled_twice": described("""the outputs shuffled once more, not back
        A swap undoes itself; with other orders, even self-attention knows the order, says the test.
        You move 0, 1, 2 to 1, 2, 0. Which order brings the outputs back?"""),
    "reversed_only": described("""only the reverse order is tried
        A layer that knows how far apart two tokens are, but not which comes first, gets through.
        Read backwards, what stays as it was? Which other orders are there?"""),
    "rolled_only": described("""all tokens moved on by the same step
        A layer that joins the end of the sentence to its beginning gets through.
        The one at the edge goes to the other end: who has another neighbour then? Which orders are left?"""),
    "one_shuffle": described("""a few random shuffles
        The same layer knows the order today, and not tomorrow: some shuffles leave its position alone.
        How many orders have five words, and how many do you try? Which few are enough?"""),
    "one_swap": described("""not every pair of neighbours changes places
        A layer that knows the order at another position gets through.
        Which swaps are left to try, and does your loop get to them?"""),
    "answer_inverted": described("""True and False the wrong way round
        There is a yes where a no belongs, and a no where a yes belongs.
        Say that nothing has moved: is the answer then yes, or no? What do you return?"""),
    "too_exact": described("""rounding taken for a difference
        Self-attention knows the order, says the test.
        Sums in another order differ in their last digits. Which function allows for that?"""),
    "sines_first": described("""all sines, then all cosines
        The right numbers, and columns in another order.
        Sine and cosine of one pair stand side by side here. In which columns do the sines go?"""),
    "own_speeds": described("""a speed for each column, not for each pair
        Sine and cosine of a pair have different angles: their squares no longer sum to 1.
        How many speeds are there for d dimensions? Which two columns share one?"""),
    "exponent_doubled": described("""2i doubled once more
        The first pair is right, all others rotate too slowly: 100 times slower becomes 10,000 times slower.
        arange(0, d, 2) gives 0, 2, 4 …: is that i already, or 2i?"""),
    "half_exponent": described("""i where 2i is meant
        The first pair is right, all others rotate too fast: the last is less than 100 times slower than the first.
        Pair i rotates by 10,000^(−2i/d). With d/2 pairs, how large does 2i/d become?"""),
    "speeds_upside_down": described("""speeds that grow, not shrink
        The first pair is right, all others rotate far too fast.
        Do you multiply the position by 10,000^(2i/d), or divide by it?"""),
    "other_base": described("""another base than 10,000
        The first pair is right, all others rotate too fast, or too slowly.
        How many times slower than the first is the last pair? Which number stands under your power?"""),
    "no_power": described("""no power: speeds that grow evenly
        Even the first pair does not rotate by 1.
        What comes out of 10,000^(−2i/d) for i = 0, and what of your speeds?"""),
    "positions_from_1": described("""positions counted from 1
        Every row is the one that belongs to the next position; that of position 0 is missing.
        At position 0 all angles are 0. What is your first row?"""),
    "sine_alone": described("""the cosines are missing
        Each position has its sines, but where the cosines should stand, they do not.
        Two angles share a sine. What is the second number of each pair?"""),
    "rotary_halves": described("""halves rotated, where neighbours are expected
        Position 0 is right, all others are not: number i was paired with number i + d/2.
        Here the pairs are (0, 1), (2, 3) … Which slices take every second number?"""),
    "turned_back": described("""rotated the other way
        Position 0 is right; elsewhere the vectors are rotated clockwise.
        Take the vector (1, 0) and a quarter turn. Does yours come out as (0, 1)?"""),
    "one_sign": described("""a wrong sign in the rotation
        Position 0 is right; elsewhere the vectors have another length than before.
        A rotation keeps lengths. Of the four products, exactly one has a minus: which?"""),
    "mirrored": described("""mirrored, not rotated
        The lengths stay as they were, but even at position 0 the second number of each pair changes its sign.
        At position 0 nothing is rotated. What does yours make of (0, 1) there?"""),
    "positions_ignored": described("""positions not used
        Right where the positions are 0, 1, 2 …; wrong for a token that stands further on.
        You count the tokens that came. Who tells you where they stand?"""),
    "laid_out_otherwise": described("""rotated as pairs, laid out as halves
        The right numbers, in another order; even at position 0.
        You took every second number out. Do they go back to where they came from?"""),
    "sines_for_cosines": described("""sine and cosine in each other's place
        Even position 0 is wrong, though nothing is rotated there.
        At position 0 the angle is 0. What are its sine and its cosine, and where must they stand?"""),
    "changed_too_early": described("""the first number changed before the second is made
        Position 0 is right; elsewhere the second number of each pair is wrong.
        Which first number goes into your second line: the one that came, or the one just made?"""),
    "one_speed": described("""one speed for all pairs
        Right for two numbers; with more, all pairs rotate alike.
        A clock has a hand for seconds and one for minutes. How far does pair i turn in one step?"""),
    "bias_positive": described("""distance rewarded
        Only the signs are wrong.
        The bias is added to the scores. Is a far word to get a higher score, or a lower one?"""),
    "future_rewarded": described("""later words rewarded
        Right on and below the diagonal; above it, the bias has the wrong sign.
        From position 2 to 5 it is as far as from 5 to 2. What makes a distance of a difference?"""),
    "nothing_behind": described("""keys on one side only
        Right on one side of the diagonal; on the other, all is 0.
        Is a later key at no distance? What makes a distance of a difference, whatever its sign?"""),
    "first_slope_1": described("""slopes that begin with 1
        The first head loses 1 with every step; with 8 heads it should lose ½.
        With 8 heads, the first slope is ½. Is your first head number 0 or number 1?"""),
    "fixed_slopes": described("""the slopes of 8 heads for any number of heads
        Right for 8 heads; with others, the last slope is not 1/256.
        The last slope is always 1/256. By what power does it go from head to head?"""),
}
