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


TABLE = """
1 | Why attention? | Why do translation models with one vector lose details?
1 | Why the dot product? | What does the dot product of two vectors measure?
1 | The overflow | What goes wrong in a softmax when the scores are very large?
1 | Step 3: the context vector | How do I get the context vector from weights?
2 | Why divide by √d_k? | Why divide by the square root of the dimension?
2 | A dictionary that answers softly | How is attention like looking something up in a Python dictionary?
2 | Now train it | How are the query, key and value matrices trained?
3 | Hide the future | How do I stop a model from seeing the next word?
3 | Mask before the softmax | Why does the mask come before the softmax?
3 | Causality, as a test | How can I test whether a layer sees the future?
4 | Why divide by 1 − p | Why are weights that survive dropout made larger?
4 | Training and use | Is dropout switched off when the model is used?
5 | What can one head bring? | Why is one head not enough?
5 | One layer, cut into heads | How is one big matrix divided among the heads?
5 | out_proj: where heads meet | What is the output projection good for?
6 | From the symptom to the line | My attention layer gives wrong numbers. How do I find the bug?
7 | Hard and soft | What is the difference between soft and hard attention?
7 | Further: The layers of Keras | Which attention layers does Keras have?
8 | The same words in another order | Does attention notice if I shuffle words?
8 | Rotate, and add nothing | How do rotary position embeddings work?
8 | Further: What to do past the end | What can I do when a text is longer than those in training?
9 | The residual connection | What is a residual connection for?
9 | LayerNorm | What does layer normalisation do?
9 | Pre-norm and post-norm | Should the norm come before or after each part?
10 | Teacher forcing | Why is the decoder given the right words in training?
10 | Further: More than one beginning | What is beam search?
10 | What the loss counts | Should padding count in the loss?
11 | One layer, or two? | What is an induction head?
11 | Tied, or not | Why do embedding and output layer share weights?
12 | Temperature | How can I make generated text less random?
12 | Top-p | What is nucleus sampling?
12 | Read again from the start? | Why are keys and values cached?
13 | Further: Why words stay in sight | Why does BERT leave some of the chosen words unmasked?
13 | The pooled answer | What is the CLS token of BERT for?
13 | Pretrain, then fine-tune | How do I adapt a pretrained model with few labels?
14 | Your model, in three lines | How can I see the attention weights of my PyTorch model?
14 | Switch a head off | How do I find out whether a head matters?
14 | Is attention an explanation? | Are attention weights an explanation?
15 | A softmax that is never written down | How does FlashAttention avoid storing the weights?
15 | Only the last few | What does a sliding window forget?
"""

QUESTIONS = [
    Question(text, int(notebook), heading)
    for notebook, heading, text in (line.split(" | ") for line in TABLE.strip().split("\n"))
]
