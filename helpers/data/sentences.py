"""The running examples: tokens, their embeddings, and the seeds of figures printed elsewhere."""

import torch

# Three words of three components each: small enough to check every sum by hand.
SUNNY_TOKENS = ["Hello", "shiny", "sun"]
SUNNY = torch.tensor(
    [
        [0.34, 0.22, 0.54],
        [0.53, 0.34, 0.98],
        [0.29, 0.54, 0.93],
    ]
)  # (3 tokens, 3 dimensions)

# The second example has six tokens. It is used from notebook 02 on.
JOURNEY_TOKENS = ["Your", "journey", "starts", "with", "one", "step"]
JOURNEY = torch.tensor(
    [
        [0.43, 0.15, 0.89],
        [0.55, 0.87, 0.66],
        [0.57, 0.85, 0.64],
        [0.22, 0.58, 0.33],
        [0.77, 0.25, 0.10],
        [0.05, 0.80, 0.55],
    ]
)  # (6 tokens, 3 dimensions)

# With these seeds, a published book and a web chapter print outputs of these layers.
SEED_PARAMETER, SEED_LINEAR, SEED_CAUSAL = 123, 789, 123

# A translation that changes the order of words: pairs (German position, English position).
GERMAN = ["Kannst", "du", "mir", "helfen", "diesen", "Satz", "zu", "übersetzen"]
ENGLISH = ["Can", "you", "help", "me", "to", "translate", "this", "sentence"]
ALIGNMENT = [(0, 0), (1, 1), (2, 3), (3, 2), (4, 6), (5, 7), (6, 4), (7, 5)]
