"""The mistakes of notebooks 13 to 15: what each is called, how it shows, what a teacher asks."""

from .descriptions import described

DESCRIPTIONS = {
    "specials_masked": described("""special tokens chosen
        Special tokens such as [CLS] are chosen. They are easy to guess, so the loss looks better than it is.
        Ids 0 to 3 are special tokens. How many of the positions that you choose hold one?"""),
    "only_masks": described("""[MASK] for all that is chosen
        Every chosen word becomes [MASK], so the model is never asked for a word that it sees.
        `fate` decides what becomes of a chosen word. What do you put where it is 0.8 or more?"""),
    "all_asked": described("""a label at every position
        Every position is asked for, even where the answer stands there to be copied, so the loss looks too good.
        Which positions does the loss count, and what do you write at all others?"""),
    "chosen_or_not": described("""words changed, chosen or not
        Tokens change that were not chosen, special tokens among them.
        Only chosen tokens may change. Which of your two conditions asks whether a token was chosen?"""),
    "labels_after_masking": described("""labels taken from what is seen
        The answer at a [MASK] is [MASK].
        The label is the word that stood there before. From which tensor do you take it?"""),
    "masks_lost": described("""the [MASK] tokens overwritten by the second step
        No token becomes [MASK], although the random words are where they should be.
        Your second step starts from a tensor. Does this tensor hold what the first step wrote?"""),
    "one_draw_twice": described("""one random number for both decisions
        The same random number decides twice, so the two decisions are not independent.
        choice tells whether a word is chosen, fate what becomes of it. Where do you use each?"""),
    "label_0": described("""labels other than −100 at unasked positions
        cross_entropy leaves out only −100. Any other label counts as a word or raises an error.
        Nothing may be asked at words that were not chosen. Which label do you write there?"""),
    "labels_inverted": described("""labels everywhere but at the chosen words
        The chosen words are not asked for. All others are, and they stand there to be copied.
        Where is your condition True: where a word was chosen, or where it was not?"""),
    "shifted_as_in_gpt": described("""shifted, as in GPT
        Each position is asked for the word after it, whereas BERT guesses a word at its own position.
        With which logits do you compare the label at position 1?"""),
    "minus_100_is_a_word": described("""−100 not left out
        It raises an error or counts positions where nothing is asked.
        cross_entropy leaves out −100 unless it is told otherwise. Which ignore_index does it get from you?"""),
    "in_bits": described("""a logarithm to another base
        The loss is too large by a factor of 1.44, because it is measured in bits.
        cross_entropy uses the natural logarithm. To which base is the logarithm in your code?"""),
    "no_cls": described("""no [CLS]
        There is no token at which the answer about the pair could be computed.
        The id of [CLS] is 1. With which id does your tensor begin?"""),
    "cls_twice": described("""a [CLS] for each sentence
        There is a second [CLS] in the middle, so all that follows stands one position too late.
        The pair has one answer, so it needs one [CLS]. How often does the id 1 stand in your tensor?"""),
    "no_sep": described("""no [SEP] at all
        No token marks where the sentences end.
        Each of the two sentences ends in [SEP]. How often does the id 2 stand in your tensor?"""),
    "no_last_sep": described("""no [SEP] at the end
        Nothing marks where the second sentence ends.
        Each of the two sentences ends in [SEP]. Which id stands last in your tensor?"""),
    "segment_of_the_sep": described("""a [SEP] in the other segment
        The first [SEP] is counted with the second sentence, although it ends the first.
        [CLS], a and its [SEP] share a segment. With how many zeros do your segments begin?"""),
    "segments_from_1": described("""segments 1 and 2
        The model raises an IndexError, because it has segment vectors for 0 and 1 only.
        The segments of the model are 0 and 1. Which numbers are in your tensor?"""),
    "segments_too_short": described("""fewer segments than ids
        [CLS] and both [SEP] have no segment, so the two tensors differ in length.
        How many ids do you return, and how many segments?"""),
    "mean_pooled": described("""the mean of all tokens
        The pooler gets the mean of all tokens, but it was trained on the vector of [CLS].
        The answer is computed at [CLS]. How many tokens go into the vector that you pass to the pooler?"""),
    "last_pooled": described("""the last token, not [CLS]
        The last token is not [CLS], and in a batch of different lengths it may be padding.
        [CLS] stands in front. Which position does your index take?"""),
    "first_input": described("""the first input, not the first token
        It returns one vector for each token of the first input, and none for the others.
        The vectors are (batch, tokens, d). On which axis does your index stand?"""),
    "all_pooled": described("""all tokens, not [CLS] alone
        It returns a vector for each token, where one for each input is expected.
        Only [CLS] goes through the pooler. What is the shape of what you pass to it?"""),
    "token_axis_kept": described("""the axis of the tokens kept
        It returns (batch, 1, d), where (batch, d) is expected.
        Print the shapes of vectors[:, :1] and vectors[:, 0]. Which of the two do you use?"""),
    "tanh_left_out": described("""no tanh after the pooler
        The components may lie outside −1 to 1, where tanh would keep them inside.
        The pooler ends in a tanh. Which of your lines calls it?"""),
    "tanh_too_early": described("""tanh before the pooler, not after it
        The components may lie outside −1 to 1, although tanh is used.
        The linear layer comes first, and tanh after it. Which of the two does your code call last?"""),
    "heads_averaged_away": described("""heads averaged away
        Several heads share one result, where each should have its own.
        An average hides what a single head does. Which axis of your result counts the heads?"""),
    "layer_not_asked": described("""the layer is not asked for its weights
        It returns None instead of the weights, because the model does not ask the layer for them.
        An argument of nn.MultiheadAttention asks for them. What is its value after your pre-hook?"""),
    "hook_left": described("""a hook left on the model
        The numbers are right, but every later call of the model still runs your code.
        register_… returns a handle for the hook. Which of your lines removes it?"""),
    "hook_left_after_error": described("""a hook left after an error
        If the model stops with an error, your hook stays on it.
        A finally block runs in any case. Which of your lines still run if model(x) stops?"""),
    "name_unused": described("""the first layer, whatever `name` says
        Whichever layer is asked for, the weights are those of the first layer of attention.
        A model may have many layers of attention. Where does your code use `name`?"""),
    "named_lost": described("""the model's own named arguments are lost
        What the model passes by name, such as a mask, never reaches the layer.
        What is in `named` before your pre-hook, and what is in it afterwards?"""),
    "result_replaced": described("""the hook returns a value
        What your hook returns replaces the layer's result, so the model gives another output or raises an error.
        A hook that only stores something returns None. What does your hook return?"""),
    "layer_called_alone": described("""the layer called alone, on the model's input
        Wherever the layer gets other vectors than the model, or a mask, the weights are wrong.
        The model passes tensors of its own to the layer. What does the layer get in your call?"""),
    "twin_not_follower": described("""the same letter, not what followed it
        Induction heads get a low score, and heads that look at the same letter a high one.
        The letter at position t last stood at t − period. Which key do you take for query t?"""),
    "word_before": described("""the previous token, whatever the period
        Previous-token heads get a high score, and induction heads do not.
        The same letter stood `period` positions back. How far back is the key that you take?"""),
    "before_the_twin": described("""what preceded the letter, not what followed
        The key is one position before the same letter, so heads that look there get a high score.
        Position t − period holds the same letter. Is the key that you take before it or after it?"""),
    "first_run_counted": described("""a position of the first run counted
        The mean is a little off, because it counts a position that has nothing to look up yet.
        Which query is the first whose letter has appeared before, and with which one do you begin?"""),
    "queries_and_keys_swapped": described("""queries and keys swapped
        Weights above the diagonal are read, so with a causal mask all scores are 0.
        Rows ask, and columns are looked at. In your index, which is later in the text, row or column?"""),
    "heads_from_1": described("""heads counted from 1
        The head before the one asked for is switched off, and for head 0 there is none.
        Heads are counted from 0. At which component does head 0 begin in your code?"""),
    "heads_for_width": described("""the number of heads taken for head_dim
        Unless head_dim equals the number of heads, the components set to 0 are not exactly those of the head.
        The heads share d_model among them. How many components do you set to 0?"""),
    "hook_gives_nothing": described("""the hook's changed copy not returned
        The output is that of the whole model, because a hook that returns None changes nothing.
        What does your hook return to the layer?"""),
    "after_out_proj": described("""zeroed after out_proj, not before
        Some components of the output of out_proj are 0, and each of them was mixed from all heads.
        out_proj mixes the heads. On which side of it do they still lie side by side?"""),
    "components_skipped": described("""components of several heads zeroed, not a block
        Single components of several heads are 0, and no head is off as a whole.
        out_proj gets the heads side by side, each a block. Which components do you set to 0?"""),
    "tokens_not_numbers": described("""tokens zeroed, not components
        A token loses all of its heads or none.
        The tensor is (batch, tokens, d_model). On which axis does your slice stand?"""),
    "mean_not_zero": described("""a mean in place of a zero
        The head is not off, because it still contributes an average of values.
        A head that is off adds nothing. What stands at its components when they reach out_proj?"""),
    "rows_of_out_proj": described("""the rows of out_proj, not its columns
        A component of the output of out_proj loses all heads or none.
        The weight of an nn.Linear is (out, in). On which of the two axes do the heads come in?"""),
    "value_bias_left": described("""the bias of the values still comes through
        The head still adds something, the same at each position.
        W_value has a weight and a bias. What does the head mix if only one of them is 0?"""),
    "whole_layer_off": described("""the whole layer switched off
        All heads of the layer are switched off, not only one.
        Which columns belong to this head, and which do you set to 0?"""),
    "not_rescaled": described("""earlier tiles not rescaled
        Once a later tile brings a higher score, the keys before it weigh too much.
        The context so far was summed with the old maximum. By what do you multiply it when the maximum grows?"""),
    "sum_not_rescaled": described("""only the context rescaled, not the sum
        Once the maximum grows, the sum is too large, and the context is too close to 0.
        Context and sum add up the same exponentials. By what does your code multiply each of them?"""),
    "maximum_of_the_tile": described("""the tile's maximum, not the running one
        Each tile subtracts a maximum of its own, so a tile of low scores counts as much as one of high scores.
        The running maximum covers all tiles so far. Which scores does the maximum in your code cover?"""),
    "maximum_from_0": described("""a running maximum that begins with 0
        If all scores lie far below 0, every exponential is 0, and 0 is divided by 0.
        Scores may be far below 0. With which number does your running maximum begin?"""),
    "sum_left_out": described("""not divided by the sum of exponentials
        Each row has the right direction, but unless a single key has all the weight, it is too long.
        Softmax divides by a sum. Which of your lines divides by it?"""),
    "last_tile_left_out": described("""an incomplete last tile left out
        Unless `tile` divides the number of keys, the last keys are never seen.
        With 8 keys in tiles of 3, how many tiles does your loop visit?"""),
    "tiles_averaged": described("""a softmax for each tile
        The weights of each tile sum to 1, so keys are not compared across tiles.
        A tile of low scores should count for little. How much does it count in your code?"""),
    "whole_matrix": described("""all keys at once
        The numbers are right, but all scores of a query are there at once.
        At most (queries, tile) scores may exist at a time. How many scores does your code hold for one query?"""),
    "other_tiles": described("""tiles of another size than `tile`
        The numbers are right, but wherever `tile` is smaller than your tiles, too many scores are there at once.
        `tile` is the number of keys in a tile. How many keys does your loop take at a time?"""),
    "scores_kept": described("""the scores of all tiles stored
        The numbers are right, but in the end the scores of all tiles are there together.
        Only three things are carried from tile to tile. What else does your loop keep?"""),
    "library_attention": described("""PyTorch's attention in place of your own steps
        The numbers are right, but PyTorch does the steps that this exercise asks you to write.
        Which of your lines computes the scores, and which one the softmax?"""),
    "heads_in_turns": described("""key–value heads dealt out in turns
        Unless each head has its own keys or all share one, some heads get the keys of another group.
        Of six heads, 0 to 2 share the first of two key–value heads. Which of the two does your head 1 use?"""),
    "keys_copied": described("""keys copied for every head
        The numbers are right, but keys and values are copied, as if each head had its own.
        Heads that share keys are like one head with more queries. How many heads do your keys have?"""),
    "window_too_wide": described("""a window one token too wide
        The window holds one token too many: the token itself and `window` others.
        How many keys are visible in the last row of your mask, the token's own included?"""),
    "window_too_narrow": described("""a window one token too narrow
        The window holds one token fewer than `window`, so with a window of 1 no token sees itself.
        With a window of 3, how many keys are visible in the last row of your mask?"""),
    "window_without_itself": described("""the window without the token itself
        No token sees itself, and the first one sees nothing.
        A token is 0 steps back from itself. Does your mask hide a distance of 0?"""),
    "looks_ahead": described("""a window on both sides
        Unless the window is 1, tokens also see some that come after them.
        The window ends at the token itself. Which sign does your distance have for a later key?"""),
    "no_window": described("""the causal mask alone
        Tokens see everything before them, even what lies further back than the window.
        How many keys are visible in the last row of your mask, and how wide is the window?"""),
    "window_ahead": described("""the window on the wrong side
        Unless the window is 1, tokens see those after them, and they see none before them.
        Key j is later than query i if j > i. Which sign does your distance have then?"""),
    "read_before_update": described("""read before the new token is in
        Each token sees those before it but not itself, so the first divides 0 by 0.
        A token sees itself. Which comes first in your code: adding the token, or reading the state?"""),
    "state_turned": described("""key and value swapped in the state
        It raises an error or, if key and value are equally long, returns a wrong state.
        The state has the axes (d, d_v). What is the shape of the outer product that you add to it?"""),
    "state_written_over": described("""the state overwritten
        From the second token on, all that came before is lost from the state.
        The state holds all earlier tokens. Which of your lines adds to it instead of replacing it?"""),
    "total_left_out": described("""not divided by the sum of the weights
        It returns a weighted sum of values, where a weighted mean is expected.
        The weights must sum to 1. By what do you divide the sum of the values?"""),
    "total_not_grown": described("""the new token missing from the divisor
        The weights sum to more than 1, and for the first token it divides by 0.
        The state knows the new token. Is its key in the sum by which you divide?"""),
    "query_left_out": described("""divided by the keys, without the query
        The divisor is the same for every query, so the weights do not sum to 1.
        The weight of a token is query · key. Where does the query enter the sum by which you divide?"""),
    "asked_by_the_key": described("""the key in place of the query
        Both sums are right, but the new token asks with its key.
        Which of the three vectors does your code never use?"""),
    "future_chosen": described("""keys of the future chosen
        Tokens look at later ones if these have higher index scores.
        The future must be hidden before the choice. Which keys does your code choose for the first token?"""),
    "future_hidden_late": described("""the future hidden after the choice
        A token loses the later keys that it chose, and earlier ones are not chosen in their place.
        In which order do you hide and choose?"""),
    "future_has_weight": described("""early tokens look ahead
        Tokens that may see fewer than k keys give weight to later ones.
        The first token may see only itself. How many of its k weights are above 0 in your code?"""),
    "all_keys_chosen": described("""all keys, not the k best
        The index has no effect, so this is plain causal attention.
        How many weights are above 0 in your last row, and how large is k?"""),
    "index_ignored": described("""chosen by query and key, without the index
        The k largest weights are kept, but to find them, every key must be read.
        index_query and index_key are there to choose with. Where does your code use them?"""),
    "weights_of_the_index": described("""weights from the index scores
        Query and key have no effect on the weights, although the right keys are chosen.
        The index only chooses. From which scores does your softmax make the weights?"""),
    "worst_chosen": described("""the lowest index scores chosen
        Each token looks at the keys with the lowest index scores.
        A high index score is a good one. Which index scores have the keys that you choose?"""),
    "chosen_not_renormalised": described("""softmax over all keys, not over the chosen
        Where keys are left out, the weights sum to less than 1, and every key must be read.
        The weights of the chosen keys must sum to 1. Over which keys does your softmax run?"""),
    "newest_chosen": described("""the newest keys, a window
        Each token looks at itself and the k − 1 before it, whatever the index says.
        The index scores choose the keys. By which numbers does your code choose them?"""),
}
