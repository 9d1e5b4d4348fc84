"""GPT: a stack of causal blocks that scores every possible next word, and ways to write with it.

    GPT                  ids in, scores for every next word out
    from_hugging_face    a GPT with the weights of a GPT2LMHeadModel: the same scores
    Cache                the keys and values of the tokens so far, so that none is computed twice
    top_k, top_p         scores of which only the best words are left
    next_probabilities         scores → probabilities: temperature, top-k, top-p
    generate             write on, word by word

The model is taught in notebook 11, writing and the cache in notebook 12.
Source: Radford et al. 2019, "Language Models are Unsupervised Multitask Learners", section 2.3.
"""

from .cache import Cache
from .filters import top_k, top_p
from .hugging_face import from_hugging_face
from .model import GPT
from .sampling import generate, next_probabilities

__all__ = ["GPT", "Cache", "from_hugging_face", "generate", "next_probabilities", "top_k", "top_p"]
