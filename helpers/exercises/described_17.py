"""The mistakes of notebook 17: what each is called, how it shows, what a teacher asks."""

from .descriptions import described

DESCRIPTIONS = {
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
