"""Words to guess: some tokens hidden, some replaced, some left, as BERT is trained.

Source: Devlin et al. 2018, "BERT", section 3.1 (task 1) and appendix A.1.
"""

import torch

from .transformer.words import check_range

IGNORED = -100  # the label that torch.nn.functional.cross_entropy leaves out of the loss


def mask_words(ids, mask, special, vocabulary, share=0.15, generator=None):
    """ids → (what the model sees, labels), both shaped like ids.

    Each ordinary token is chosen with the chance `share`. Of the chosen, 80 in 100 become `mask`,
    10 in 100 a random ordinary word, which may be the one that was there, and 10 in 100 stay.
    labels    the word itself where a token was chosen, -100 elsewhere
    mask      id of [MASK]
    special   ids never chosen and never drawn: [PAD], [CLS], [SEP]; mask is one of them anyway
    vocabulary  how many ids there are
    generator   a torch.Generator, for the same draws again
    Raises TypeError if ids are no tensor of whole numbers; ValueError if share is outside [0, 1],
    an id is outside the vocabulary, or every word is special.
    """
    if not isinstance(ids, torch.Tensor) or ids.dtype not in (torch.int64, torch.int32):
        came = getattr(ids, "dtype", type(ids).__name__)
        raise TypeError(f"mask_words: ids are {came}; pass a tensor of whole numbers, int64")
    if not 0 <= share <= 1:
        raise ValueError(f"mask_words: share={share} is outside [0, 1]; BERT has 0.15")
    special = torch.tensor(sorted({mask, *map(int, special)}), device=ids.device)
    check_range("mask_words: mask and special", special, "vocabulary", vocabulary)
    if ids.numel():
        check_range("mask_words: ids", ids, "vocabulary", vocabulary)
    every = torch.arange(vocabulary, dtype=ids.dtype, device=ids.device)
    words = every[~torch.isin(every, special)]  # the ordinary ones
    if not len(words):
        raise ValueError(f"mask_words: all {vocabulary} words are special; none is left to draw")

    def draw():  # a number in [0, 1) for each token
        return torch.rand(ids.shape, generator=generator, device=ids.device)

    chosen = (draw() < share) & ~torch.isin(ids, special)
    fate = draw()  # one draw decides among the three: with two, 80 in 100 would be of what is left
    random = words[torch.randint(len(words), ids.shape, generator=generator, device=ids.device)]
    seen = torch.where(chosen & (fate < 0.8), mask, ids)
    seen = torch.where(chosen & (0.8 <= fate) & (fate < 0.9), random, seen)
    return seen, ids.masked_fill(~chosen, IGNORED)
