"""GPT: a stack of causal blocks that predicts the next token, and ways to generate text with it.

    GPT                  ids → logits for every next token
    from_hugging_face    a GPT with the weights of a GPT2LMHeadModel, which gives the same logits
    Cache                the keys and values of the tokens so far, so that none is computed twice
    top_k, top_p         logits in which only the most probable tokens are left
    next_probabilities   logits → probabilities: temperature, top-k, top-p
    generate             continue a prompt, token by token

The model is taught in notebook 11, generation and the cache in notebook 12.
Source: Radford et al. 2019, "Language Models are Unsupervised Multitask Learners", section 2.3.
"""

from .cache import Cache
from .filters import top_k, top_p
from .hugging_face import from_hugging_face
from .model import GPT
from .sampling import generate, next_probabilities

__all__ = ["GPT", "Cache", "from_hugging_face", "generate", "next_probabilities", "top_k", "top_p"]
