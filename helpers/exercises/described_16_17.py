"""The mistakes of notebooks 16 and 17: what each is called, how it shows, what a teacher asks."""

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
    "first_vector_only": described("""the first vector in place of the mean
        The result does not change when later tokens do.
        All tokens of a text take part in its mean. How many of its vectors does your code use?"""),
    "one_count_for_all_texts": described("""one number of tokens for all texts
        All sums are divided by the same number, even if the texts differ in length.
        By how many do you divide the sum of a short text, and by how many that of a long one?"""),
    "texts_averaged": described("""the texts averaged as well
        It returns one vector for the whole batch.
        Each text has a mean of its own. Over which axes does your mean run?"""),
    "neighbours_from_a_byte": described("""a byte's two halves side by side
        The weights are the right numbers at the wrong positions, because low and high halves alternate.
        The high half of the first byte belongs at position 16. At which position does your code put it?"""),
    "high_half_first": described("""the high halves before the low ones
        The first sixteen weights of a block and the last sixteen have changed places.
        Which half of a byte holds one of the first sixteen numbers, byte % 16 or byte // 16?"""),
    "high_half_not_shifted": described("""the high half not shifted down
        Weights from the high halves are sixteen times as far from the minimum as they should be.
        Print the largest of your numbers before you scale them. What is the largest that fits into four bits?"""),
    "minimum_scaled_too": described("""the minimum multiplied by the scale as well
        The weights of a block keep their distances, but all are shifted by the same amount.
        What do you return for a block whose bytes are all 0?"""),
    "minimum_left_out": described("""the minimum not added
        No weight is negative, because every block begins at 0.
        What do you return for a block whose bytes are all 0?"""),
    "minimum_subtracted": described("""the minimum subtracted
        The weights of a block keep their distances, but all are shifted by twice the minimum.
        What do you return for a block whose bytes are all 0?"""),
    "divided_by_the_scale": described("""divided by the scale
        The weights of a block lie too far apart, because the scale is less than 1.
        By how much should a weight grow when its four bits grow by 1?"""),
    "centred_on_8": described("""8 subtracted, where the minimum should be added
        The minimum plays no part in the weights, as if a block stored nothing but a scale.
        How many float16 numbers does a block of ours begin with?"""),
    "rows_in_neighbours": described("""the rows put in neighbours, not in halves
        The rows move as they did when the file was written, not back. With four rows per head, both ways agree.
        Apply your function to one head with the rows 0 to 5. Do rows 0, 2 and 4 come first?"""),
    "all_heads_as_one": described("""all heads treated as one
        With a single head it is right, but with several, rows move from their head into another.
        Which row stands last in the first head of your result, and to which head did it belong before?"""),
    "columns_in_halves": described("""the columns reordered, not the rows
        Each row stays where it is, and its numbers have changed places.
        Along which axis of the weight do the components of a query lie?"""),
    "rows_left_as_they_are": described("""the two axes never exchanged
        The weight comes back as it was given.
        Which two axes of your unflattened weight must change places?"""),
    "odd_rows_first": described("""the odd rows before the even ones
        The two halves of every head have changed places.
        Which row of a head should stand first, row 0 or row 1?"""),
    "assistant_not_begun": described("""the assistant's turn not begun
        The text ends with the user's turn, so the model may go on as any role.
        Whose words should the model write next, and where does your text say so?"""),
    "turns_not_ended": described("""the turns not ended
        The model cannot see where one turn ends and the next one begins.
        Count the markers in your text. Is there an <|im_end|> for every message?"""),
    "no_line_after_the_role": described("""no new line after the role
        The role and the first word of the message run together.
        Print your text. On which line does each message begin?"""),
    "no_line_after_a_turn": described("""no new line after a turn
        The next turn begins on the line on which the turn before it ends.
        Print your text. On which line does each turn begin?"""),
    "last_message_only": described("""only the last message used
        The model reads one message, and knows nothing of those before it.
        How many messages are given, and how many are in your text?"""),
    "all_turns_by_the_user": described("""every turn given to the user
        All messages are marked as the user's, whoever wrote them.
        Which key of a message says who wrote it?"""),
    "assistant_already_ended": described("""the assistant's turn ended before it began
        The text ends in an end marker, so the answer looks as if it were finished.
        Which token should the model write by itself, when its answer is complete?"""),
    "no_line_after_the_assistant": described("""no new line after the last role
        The text ends in the word assistant, so the model has to write the new line itself.
        With which character does your text end, and what follows the role in the other turns?"""),
    "norm_left_out": described("""the last norm left out
        The logits have the wrong size, so the probabilities are too peaked or too uniform.
        Which of its three arguments does your function never use?"""),
    "logits_returned": described("""logits in place of probabilities
        The rows do not sum to 1, and there are negative numbers among them.
        Print the sum of each row of your result. Which of your lines should make it 1?"""),
    "softmax_over_layers": described("""softmax over the layers
        The columns sum to 1, not the rows, so the layers compete with each other.
        Print the sum of each row. Over which axis does your softmax run?"""),
    "norm_after_the_logits": described("""the norm applied to the logits
        The norm divides the logits of each layer by their own size, not the state by its size.
        What has d_model components, a state or the logits, and which of them does the norm expect?"""),
    "norm_scale_left_out": described("""the scale of the norm left out
        The states have the right size, but their components are not multiplied by the trained scale.
        The norm is given to you with its trained numbers. Where does your code use them?"""),
}
