"""The weights of Hugging Face's GPT-2, in our GPT."""

from ..input_checks import check_theirs
from .model import GPT

CONFIG = {  # the settings that our GPT supports
    "activation_function": ("gelu_new", "gelu_pytorch_tanh"),
    "add_cross_attention": (False,),
    "scale_attn_weights": (True,),
    "scale_attn_by_inverse_layer_idx": (False,),
}


def from_hugging_face(model):
    """Our GPT with the weights of a GPT2LMHeadModel: the same logits, and the same mode.

    Hugging Face stores query, key and value in one matrix. Its class Conv1D stores a matrix as
    (in, out), where nn.Linear stores (out, in), so each one is transposed. The dropout inside
    attention and of the embeddings is assumed to be that of the other parts.
    Raises TypeError if the model is not a GPT2LMHeadModel, and ValueError if its config needs what
    our GPT lacks: another activation, cross-attention, or scores scaled in another way.
    """
    check_theirs(model, "GPT2LMHeadModel", "GPT", CONFIG)
    config = model.config
    ours = GPT(
        config.vocab_size,
        config.n_positions,
        config.n_embd,
        config.n_head,
        config.n_layer,
        d_ff=config.n_inner,
        dropout=config.resid_pdrop,
        tied=model.lm_head.weight is model.transformer.wte.weight,
        eps=config.layer_norm_epsilon,
    ).to(model.lm_head.weight)
    ours.load_state_dict(dict(_by_our_names(model.state_dict(), config.n_layer)))
    return ours.train(model.training)


ENDS = {  # part of ours → part of a GPT2LMHeadModel
    "word": "transformer.wte",
    "position": "transformer.wpe",
    "norm": "transformer.ln_f",
    "out": "lm_head",
}
BLOCK = {  # the same, inside a block
    "norm1": "ln_1",
    "attention.out_proj": "attn.c_proj",
    "norm2": "ln_2",
    "feed_forward.linear1": "mlp.c_fc",
    "feed_forward.linear2": "mlp.c_proj",
}


def _by_our_names(theirs, num_layers):
    """(our name, tensor) of every weight and bias."""
    parts = dict(ENDS)
    for i in range(num_layers):
        parts |= {f"blocks.{i}.{a}": f"transformer.h.{i}.{b}" for a, b in BLOCK.items()}
    for kind in ("weight", "bias"):
        for ours, its in parts.items():
            if (tensor := theirs.get(f"{its}.{kind}")) is not None:
                is_conv1d = "c_" in its  # (in, out) → (out, in); t() leaves a bias as it is
                yield f"{ours}.{kind}", tensor.t() if is_conv1d else tensor
        for i in range(num_layers):
            tall = theirs[f"transformer.h.{i}.attn.c_attn.{kind}"].t()  # (3 * d_model, d_model)
            for name, tensor in zip(("query", "key", "value"), tall.chunk(3)):
                yield f"blocks.{i}.attention.W_{name}.{kind}", tensor
