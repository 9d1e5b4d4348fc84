"""The mistakes of notebook 16: what each is called, how it shows, what a teacher asks."""

from .descriptions import described

DESCRIPTIONS = {
    "second_of_pair_kept": described("""the second id of the pair kept
        The second id of a pair is used once more, so nothing gets shorter.
        How many ids does a pair take up, and how far does your loop go on after one?"""),
    "one_pair_merged": described("""only the first occurrence merged
        Only the first pair is replaced, and later ones stay as they were.
        What does your function do after it has found one pair?"""),
    "either_order_merged": described("""the pair merged in either order
        The two ids are also replaced where they stand the other way round.
        “ab” and “ba” are different subwords. What do you return for the ids [5, 3] and the pair (3, 5)?"""),
    "pair_never_equal": described("""the pair is never found
        The ids are returned as they came, because no pair is ever equal to the one looked for.
        A list is never equal to a tuple. Of which types are the two sides of your comparison?"""),
    "last_id_lost": described("""the last id lost
        The last id is missing, unless it is the second of a merged pair.
        Does your loop look at an id that has no neighbour to its right?"""),
    "one_layer_counted": described("""only one of six layers counted
        The count is too low by five layers, which have nearly nine million parameters.
        The model stacks six layers. How many of them does your sum count?"""),
    "pooler_not_counted": described("""the pooler not counted
        The count is too low by 384 · 384 + 384.
        After the last layer, the vector of [CLS] goes through an nn.Linear. Where does your sum count it?"""),
    "word_head_counted": described("""a head counted that was not published
        The count is too high, because the two heads of BERT's pretraining are not in this file.
        A head turns vectors into words, or into an answer about a pair. Which head is in your sum?"""),
    "nouns_ask": described("""queries and keys swapped: the nouns ask
        It compares how much each noun looks at the pronoun, not how much the pronoun looks at each noun.
        Which token is the query here, and which axis of the weights counts the queries?"""),
    "wrong_noun_preferred": described("""the wrong noun preferred
        A head that prefers the right noun gives False, and one that prefers the other gives True.
        For a head that gives 0.8 to the right noun and 0.1 to the other, what do you return?"""),
    "more_than_half_wanted": described("""more than half of the weight asked for
        A head that gives 0.4 to the right noun and 0.1 to the other counts as wrong.
        With which number does your code compare the weight of the right noun?"""),
    "last_layer_only": described("""only the last layer looked at
        It returns one row, where there should be one for each layer.
        Which axis of the weights counts the layers, and what have you done with it?"""),
    "margin_returned": described("""the difference of the weights returned
        It returns numbers, where True or False is asked for.
        What must the difference be, so that the head prefers the right noun?"""),
    "padding_in_the_mean": described("""padding averaged along with the tokens
        The vector of a text changes when it stands in a batch with a longer one.
        Padding says nothing about the text. How many positions do you average, and how many hold tokens?"""),
    "mean_of_the_padding": described("""the mean over padding, not over tokens
        A text without padding gives NaN, because nothing is left to average.
        In padding, True means no token. How many positions does your mean count in an unpadded text?"""),
    "first_vector_only": described("""the first vector in place of the mean
        The result does not change when later tokens do.
        All tokens of a text take part in its mean. How many of its vectors does your code use?"""),
    "one_count_for_all_texts": described("""one number of tokens for all texts
        All sums are divided by the same number, even if the texts differ in length.
        By how many do you divide the sum of a short text, and by how many that of a long one?"""),
    "texts_averaged": described("""the texts averaged as well
        It returns one vector for the whole batch.
        Each text has a mean of its own. Over which axes does your mean run?"""),
    "total_not_divided": described("""a total in place of the mean
        The directions are right, but each vector is as many times too long as its text has tokens.
        A mean is a sum divided by a number. By which number do you divide?"""),
}
