"""Forty questions about this course, each with the section that teaches the answer.

They test a search through the course by sentence embeddings, in notebook 16. All were written before
the search was run for the first time, from the contents of the notebooks, so they were not chosen to
suit it. A question may well be touched upon in other sections, too; the one that is named here is
where it is taught.
"""

from typing import NamedTuple


class Question(NamedTuple):
    """text: what is asked; notebook: the number of the one that answers it; heading: of the section."""

    text: str
    notebook: int
    heading: str


QUESTIONS = [
    Question("Why do translation models with one vector lose details?", 1, "Why attention?"),
    Question("What does the dot product of two vectors measure?", 1, "Why the dot product?"),
    Question("What goes wrong in a softmax when the scores are very large?", 1, "The overflow"),
    Question("How do I get the context vector from weights?", 1, "Step 3: the context vector"),
    Question("Why divide by the square root of the dimension?", 2, "Why divide by √d_k?"),
    Question(
        "How is attention like looking something up in a Python dictionary?",
        2,
        "A dictionary that answers softly",
    ),
    Question("How are the query, key and value matrices trained?", 2, "Now train it"),
    Question("How do I stop a model from seeing the next word?", 3, "Hide the future"),
    Question(
        "Why do I get nan when I multiply a mask by minus infinity?",
        3,
        "Way 3: add −∞ to the scores, before the softmax",
    ),
    Question("How can I test whether a layer sees the future?", 3, "Causality, as a test"),
    Question("Why are weights that survive dropout made larger?", 4, "Why divide by 1 − p"),
    Question("Is dropout switched off when the model is used?", 4, "Training and use"),
    Question("Why is one head not enough?", 5, "What can one head bring?"),
    Question("How is one big matrix divided among the heads?", 5, "One layer, cut into heads"),
    Question("What is the output projection good for?", 5, "out_proj: where heads meet"),
    Question(
        "My attention layer gives wrong numbers. How do I find the bug?",
        6,
        "From the symptom to the line",
    ),
    Question("What is the difference between soft and hard attention?", 7, "One row, one choice"),
    Question("Which attention layers does Keras have?", 7, "Further: The layers of Keras"),
    Question("Does attention notice if I shuffle words?", 8, "The same words in another order"),
    Question("How do rotary position embeddings work?", 8, "Rotate, and add nothing"),
    Question(
        "What can I do when a text is longer than those in training?",
        8,
        "Further: What to do past the end",
    ),
    Question("What is a residual connection for?", 9, "The residual connection"),
    Question("What does layer normalisation do?", 9, "LayerNorm"),
    Question("Should the norm come before or after each part?", 9, "Pre-norm and post-norm"),
    Question("Why is the decoder given the right words in training?", 10, "Teacher forcing"),
    Question("What is beam search?", 10, "Further: More than one beginning"),
    Question("Should padding count in the loss?", 10, "What the loss counts"),
    Question("What is an induction head?", 11, "Further: One layer, or two?"),
    Question("Why do embedding and output layer share weights?", 11, "Tied, or not"),
    Question("How can I make generated text less random?", 12, "Temperature"),
    Question("What is nucleus sampling?", 12, "Top-p"),
    Question("Why are keys and values cached?", 12, "Read again from the start?"),
    Question(
        "Why does BERT leave some of the chosen words unmasked?",
        13,
        "Further: Why words stay in sight",
    ),
    Question("What is the CLS token of BERT for?", 13, "The pooled answer"),
    Question("How do I adapt a pretrained model with few labels?", 13, "Pretrain, then fine-tune"),
    Question(
        "How can I see the attention weights of my PyTorch model?",
        14,
        "Your model, in three lines",
    ),
    Question("How do I find out whether a head matters?", 14, "Switch a head off"),
    Question("Are attention weights an explanation?", 14, "Is attention an explanation?"),
    Question(
        "How does FlashAttention avoid storing the weights?",
        15,
        "A softmax that is never written down",
    ),
    Question("What does a sliding window forget?", 15, "Only the last few"),
]
