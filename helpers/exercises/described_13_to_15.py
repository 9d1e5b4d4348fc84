"""The mistakes of notebooks 13 to 15: what each is called, how it shows, what a teacher asks."""

from .descriptions import described

DESCRIPTIONS = {
    "specials_masked": described("""special tokens chosen
        [CLS], [SEP] or [PAD] is to be guessed: easy, and the loss looks better than it is.
        Which ids are no words? A position may be chosen only where ids > 3."""),
    "only_masks": described("""[MASK] for all that is chosen
        The model is never asked for a word that it sees, but later it reads text without [MASK].
        Not all chosen words become [MASK]. What does `fate` decide?"""),
    "all_asked": described("""a label at every position
        The loss is flattering: most words stand there to be copied.
        Which positions does the loss count, and what do you write at all others?"""),
    "chosen_or_not": described("""words changed, chosen or not
        Tokens change that are not asked for, special ones too.
        Only what was chosen may be changed. What do your two conditions say of that?"""),
    "labels_after_masking": described("""labels taken from what is seen
        The answer at a [MASK] is [MASK].
        The label is the word that stood there before. From which tensor do you take it?"""),
    "masks_lost": described("""what the first step wrote is lost in the second
        No token becomes [MASK]; the random words stand where they should.
        Your second step starts from a tensor. Does that hold the [MASK] which the first one wrote?"""),
    "one_draw_twice": described("""one random number decides both
        What becomes of a chosen word depends on the random number that chose it, or the other way round.
        choice tells whether a word is chosen, fate what becomes of it. Where do you use each?"""),
    "label_0": described("""another number than -100 where nothing is asked
        cross_entropy leaves out -100 alone: all other positions are asked for a word.
        Which label tells cross_entropy to leave a position out?"""),
    "labels_inverted": described("""labels where nothing is asked, and none where a word was chosen
        The loss asks for all the words that stand there to be copied.
        Where is your condition True: where a word was chosen, or where it was not?"""),
    "shifted_as_in_gpt": described("""shifted, as in GPT
        Each position is asked for the word after it. A word to guess stands at its own position.
        BERT guesses the word at the position itself. Which logits belong to the first label?"""),
    "minus_100_is_a_word": described("""-100 not left out
        An error, or a loss that counts positions where nothing is asked.
        What does cross_entropy leave out by itself? What else do you let it count?"""),
    "in_bits": described("""another logarithm
        The loss is off by a factor of 1.44, which lies between bits and the natural logarithm.
        Which logarithm is asked for, and which one do you take?"""),
    "no_cls": described("""no [CLS]
        There is no token from which the answer about the pair could be read.
        Which token comes first, before the first sentence?"""),
    "cls_twice": described("""a [CLS] for each sentence
        There is a second [CLS] in the middle, so that all after it stands one position too late.
        The answer about the pair is read off at one token. How many [CLS] does that need?"""),
    "no_sep": described("""no [SEP] at all
        Nothing tells where a sentence ends.
        How many [SEP] are there? One ends each of the two."""),
    "no_last_sep": described("""no [SEP] at the end
        The second sentence has no end.
        What stands at the end of the first sentence, and what at the end of the second?"""),
    "segment_of_the_sep": described("""a [SEP] in the other segment
        Each [SEP] belongs to the sentence that it ends.
        Which sentence does the first [SEP] end, and which the last?"""),
    "segments_from_1": described("""segments 1 and 2
        An index error in the model: it has vectors for 0 and 1.
        With which number does Python begin to count?"""),
    "segments_too_short": described("""fewer segments than ids
        Special tokens have a segment, too.
        How many ids are there, and how many segments? [CLS] and [SEP] count."""),
    "mean_pooled": described("""the mean of all tokens
        A fine way, but not the one of BERT: its pooler was trained on [CLS].
        At which token is the answer read off?"""),
    "last_pooled": described("""the last token, not [CLS]
        In a batch of several lengths, that is padding for some.
        At which end does [CLS] stand?"""),
    "first_input": described("""the first input, not the first token
        One vector for each token of the first input comes back.
        Which axis of (batch, tokens, d) holds the tokens?"""),
    "all_pooled": described("""all tokens, not [CLS] alone
        A vector for each token comes back, where one for each input is expected.
        At which token is the answer read off?"""),
    "token_axis_kept": described("""the axis of the tokens kept
        (batch, 1, d) comes back, where (batch, d) is expected.
        What is the difference between vectors[:, :1] and vectors[:, 0]?"""),
    "tanh_left_out": described("""no tanh after the pooler
        The numbers that come back may lie outside -1 to 1.
        What comes after the linear layer?"""),
    "tanh_too_early": described("""tanh before the pooler, not after it
        The numbers that come back may lie outside -1 to 1, although there is a tanh.
        What comes first, the linear layer or tanh? Which of them makes the last numbers?"""),
    "pooler_without_bias": described("""the pooler's bias left out
        The vector is multiplied, and not shifted.
        What does an nn.Linear hold besides its matrix?"""),
    "heads_averaged_away": described("""heads averaged away
        One map where there should be one for each head.
        What is left in their average of a head that looks at one word? Over which axes may you average?"""),
    "layer_not_asked": described("""the layer is not asked for its weights
        None comes back instead of the weights: the layer computes them only on request.
        nn.MultiheadAttention has an argument for it. With which value is it called after your pre-hook?"""),
    "hook_left": described("""a hook left on the model
        The right numbers; and from then on every call of the model runs your code, too.
        What does register_… give back, and what is it for? Is nothing left of a method that you replaced?"""),
    "hook_left_after_error": described("""a hook left after an error
        Right, unless the model stops with an error: then your hook stays on it.
        If model(x) stops, which of your lines still run? What runs its last block in any case?"""),
    "name_unused": described("""the first layer, whatever `name` says
        Right for the first layer of attention; for others, the weights are those of the first.
        A model may have many layers of attention. What tells you which of them is asked for?"""),
    "named_lost": described("""the model's own named arguments are lost
        Right until the model gives something by name: a mask, say, is gone.
        What stands in named before you change it, and does the layer get that, too?"""),
    "result_replaced": described("""the hook gives something back
        What a hook returns replaces the layer's result, and the model goes on with that.
        Your hook should store something, and change nothing. What does it return then?"""),
    "layer_called_alone": described("""the layer called by itself, with the model's input
        Wrong for a layer that gets something else than the model did: other vectors, a mask, a memory.
        What does the layer get when the model calls it: your x? Who knows?"""),
    "twin_not_follower": described("""the letter's own first self, not what followed it
        These heads get a small score, and a head that looks for equal letters a large one.
        The letter at position t stood at t - period before. And what followed it there?"""),
    "word_before": described("""the position before, whatever the period
        This finds the heads of another kind: those that look at the word in front of them.
        How many positions back did the same letter stand, and what came after it there?"""),
    "before_the_twin": described("""what came before the letter, not what followed it
        The position read lies one before that of the same letter; a head that looks there gets the score.
        Position t - period held the same letter. Is what followed it at a larger or a smaller one?"""),
    "first_run_counted": described("""positions of the first run count, too
        A little too small or too large: the first run has nothing to look up yet.
        Which is the first position at which a letter stands for the second time?"""),
    "queries_and_keys_swapped": described("""queries and keys in each other's place
        With a causal mask, all scores are 0: you read the weights that are hidden.
        The row asks, the column is looked at. Which of the two is later in the text?"""),
    "added_not_averaged": described("""added up, not averaged
        A longer row gets a larger score.
        A mean is asked for. What is the largest score that a head can have?"""),
    "shared_by_all_positions": described("""divided by all positions, not by those that count
        Too small: the positions of the first run have nothing to look up.
        How many weights do you add up, and by how many do you divide?"""),
    "heads_from_1": described("""heads counted from 1
        The head before the one that is asked for is off; for head 0, none.
        Heads count from 0. At which number does head 0 begin?"""),
    "heads_for_width": described("""the number of heads taken for the width of one
        Right only where a head is as wide as there are heads.
        The heads share d_model among them. How many numbers has each of them?"""),
    "hook_gives_nothing": described("""the hook changes a copy and does not return it
        The output is that of the whole model: a hook that returns None changes nothing.
        What does your hook return to the layer?"""),
    "after_out_proj": described("""zeroed after out_proj, not before
        Some numbers that out_proj gives are 0, and each of them came from all heads.
        out_proj mixes the heads. On which side of it do they still lie side by side?"""),
    "components_skipped": described("""every so many components zeroed, not a block
        Some components of every head are 0, and no head is off.
        out_proj gets the heads side by side, each a block. Where does head 1 begin, and where does it end?"""),
    "tokens_not_numbers": described("""tokens zeroed, not numbers
        Some tokens lose all heads, the others none.
        (batch, tokens, d_model): on which axis do the heads lie side by side?"""),
    "mean_not_zero": described("""a mean in place of a zero
        The head is not off: it still adds something, an average of values.
        Which number adds nothing, and at which place does the head enter the output?"""),
    "rows_of_out_proj": described("""the rows of out_proj, not its columns
        Some numbers that out_proj gives lose all heads, the others none.
        The weight of an nn.Linear is (out, in). On which of the two axes do the heads come in?"""),
    "value_bias_left": described("""the bias of the values still comes through
        The head still adds something, the same at each position.
        W_value has a weight and a bias. What does the head mix if only one of them is 0?"""),
    "whole_layer_off": described("""the whole layer switched off
        All heads are gone, and not one.
        Which columns belong to this head, and which do you set to 0?"""),
    "not_rescaled": described("""what was summed is not rescaled
        Right while the first tile has the highest score; from a higher one on, early keys weigh too much.
        What was summed so far is exp(score − old maximum). By what must it be multiplied for the new one?"""),
    "sum_not_rescaled": described("""the context rescaled, its sum not
        Right while the maximum stays; once it grows, the context comes out too small.
        Both are sums of the same exponentials. What was done to one of them, and not to the other?"""),
    "maximum_of_the_tile": described("""the maximum of the tile, not the running one
        Each tile counts from a maximum of its own; what was summed may even grow past all bounds.
        A tile far below the others: what should its keys weigh? Which maximum tells?"""),
    "maximum_from_0": described("""a running maximum that begins with 0
        Right while a score is above 0; far below, every exponential is 0, and 0 is divided by 0.
        Which number is lower than every score that may come?"""),
    "sum_left_out": described("""the sum of the exponentials not divided by
        Rows of the right direction and of a wrong length.
        Softmax divides by a sum. When is that sum complete?"""),
    "last_tile_left_out": described("""a last tile that is not full is left out
        Right where the tiles divide the keys; else the last keys are never seen.
        8 keys in tiles of 3: how many tiles are there, and what does a slice past the end give?"""),
    "tiles_averaged": described("""a softmax for each tile
        The weights of each tile sum to 1, so keys are not compared across tiles.
        A tile with low scores only: how much should it count beside one with a high score?"""),
    "whole_matrix": described("""all keys at once
        The right numbers; but a query met all keys at once, and not `tile` of them.
        How many scores may there be at a time, if `tile` keys are looked at?"""),
    "other_tiles": described("""tiles of another size than `tile`
        The right numbers; but where `tile` is smaller, more scores are there at once than there may be.
        `tile` says how many keys are in a tile, not how many tiles there are. Where do you use it?"""),
    "scores_kept": described("""the scores of all tiles stored
        The right numbers; but once the last tile has been seen, all scores are there together.
        Three things are carried on for each query. Which of them needs the scores of an earlier tile?"""),
    "library_attention": described("""PyTorch's attention, where it is to be written out
        The numbers are right, but what is asked for happens inside PyTorch, out of your sight.
        Which steps would you write if that function did not exist?"""),
    "heads_in_turns": described("""heads dealt out in turns
        Right for one head of keys, or as many as heads; else, some heads ask the keys of another group.
        Heads 0, 1 and 2 share the first keys. Whose keys does your head 1 ask?"""),
    "keys_copied": described("""keys copied for every head
        The right numbers; but keys and values were made as large as if each head had its own.
        To a head of keys, what is the difference between three heads that ask and one with more queries?"""),
    "window_too_wide": described("""one token too many
        The window holds the token itself and `window` others.
        Count what the last row sees. Is the token itself counted?"""),
    "window_too_narrow": described("""one token too few
        With a window of 1, a token does not even see itself.
        Count what the last row sees. How far back is the last of `window` tokens?"""),
    "window_without_itself": described("""the window without the token itself
        No token sees itself, and the first one sees nothing.
        May a token see itself? How many steps back is it from itself?"""),
    "looks_ahead": described("""a window on both sides
        Tokens see some of the future, too.
        The window ends at the token itself. Which sign has your distance for a key further on?"""),
    "no_window": described("""the causal mask alone
        Right while the text is no longer than the window.
        In the last row: which of the early tokens does the window leave out?"""),
    "window_ahead": described("""the window on the wrong side
        Tokens see those after them, and none before.
        Row i, column j: when is j later than i? Look at the sign of your distance."""),
    "read_before_update": described("""read before the new token is in
        Each token sees those before it and not itself; the first divides 0 by 0.
        May a token see itself? In which order are the two lines then?"""),
    "state_turned": described("""key and value in each other's place
        An error; or, where they are equally long, another context.
        The query meets the axis of the keys. Which axis of your state is that, rows or columns?"""),
    "state_written_over": described("""the state written over
        The first token is right; later ones know nothing of those before them.
        What did the state hold when it came in? Is it in what you return?"""),
    "total_left_out": described("""not divided by the sum of the weights
        A sum of values where a mean is expected: it grows with the text.
        Softmax weights sum to 1. What makes these weights do so?"""),
    "total_not_grown": described("""the new token in the state, not in the sum of the weights
        The weights sum to more than 1; for the first token, it divides by 0.
        The state knows the new token. Is its key in the sum by which you divide?"""),
    "query_left_out": described("""divided by the keys, without the query
        The divisor is the same for every query, and the weights sum to something else than 1.
        The weight of a token is query · key. What is the sum of these, over all tokens?"""),
    "asked_by_the_key": described("""the key in place of the query
        Both sums are right; the new token asks with its key.
        Which of the three vectors has not been used?"""),
    "future_chosen": described("""keys of the future chosen
        Tokens look at later ones, if those have the higher index scores.
        What must be hidden before the best are chosen?"""),
    "future_hidden_late": described("""the future hidden after the choice
        A token that chose later ones is left with fewer than k keys, or with none.
        In which order do you hide and choose?"""),
    "future_has_weight": described("""early tokens look ahead
        Right from the token on that has k keys; those before it give weight to the future.
        The first token has one key, and is given k of them. Which of these may have weight?"""),
    "all_keys_chosen": described("""all keys, not the k best
        This is causal attention; the index has no effect.
        How many keys may have weight in the last row?"""),
    "index_ignored": described("""chosen by query and key, not by the index
        The k largest weights are kept; but to find them, every key had to be read.
        Which two arguments are there to choose with?"""),
    "weights_of_the_index": described("""weights from the index scores
        The right keys are chosen, but query and key have no effect on their weights.
        The index only chooses. From which scores does the softmax make its weights?"""),
    "worst_chosen": described("""the lowest index scores chosen
        Each token looks at the keys that the index thinks least of.
        Is a high index score a good one? Which end does your choice take?"""),
    "chosen_not_renormalised": described("""softmax over all keys, not over the chosen
        The weights of the chosen keys sum to less than 1, and every key had to be read.
        Over which keys must the weights sum to 1?"""),
    "newest_chosen": described("""the newest keys, a window
        Each token looks at itself and the k - 1 before it, whatever the index says.
        Which keys does your topk take, and by which scores?"""),
}
