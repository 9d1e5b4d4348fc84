"""The weights of Hugging Face's GPT-2, in our GPT."""

from .model import GPT


def from_hugging_face(model):
    """Our GPT with the weights of a GPT2LMHeadModel: the same scores, training or not is kept.

    The model of Hugging Face keeps query, key and value in one matrix, and its matrices are of a
    class Conv1D, which has them as (in, out), where nn.Linear has (out, in): each is turned.
    Its dropout inside attention and of the embeddings is taken to be that of its other parts.
    Raises TypeError if the model is no GPT2LMHeadModel, ValueError if its config asks for what our
    GPT has not: another activation, cross-attention, or scores scaled in another way.
    """
    config = getattr(model, "config", None)
    if not hasattr(model, "lm_head") or getattr(config, "model_type", None) != "gpt2":
        came = f"from_hugging_face: model is a {type(model).__name__}"
        raise TypeError(f"{came}; pass a GPT2LMHeadModel, which scores the next word")
    _check_config(config)
    theirs = model.state_dict()
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
    weights = {
        "word.weight": theirs["transformer.wte.weight"],
        "place.weight": theirs["transformer.wpe.weight"],
        "norm.weight": theirs["transformer.ln_f.weight"],
        "norm.bias": theirs["transformer.ln_f.bias"],
        "out.weight": theirs["lm_head.weight"],
    }
    for i in range(config.n_layer):
        weights |= _block(f"blocks.{i}", f"transformer.h.{i}", theirs)
    ours.load_state_dict(weights)
    return ours.train(model.training)


def _block(ours, its, theirs):
    """The weights of a block by our names."""
    weights = {}
    for kind in ("weight", "bias"):
        # (in, out) → (out, in); t() leaves a bias, of one dimension, as it is.
        turned = {
            name: theirs[f"{its}.{name}.{kind}"].t()
            for name in ("attn.c_attn", "attn.c_proj", "mlp.c_fc", "mlp.c_proj")
        }
        query, key, value = turned["attn.c_attn"].chunk(3)
        weights |= {
            f"{ours}.norm1.{kind}": theirs[f"{its}.ln_1.{kind}"],
            f"{ours}.attention.W_query.{kind}": query,
            f"{ours}.attention.W_key.{kind}": key,
            f"{ours}.attention.W_value.{kind}": value,
            f"{ours}.attention.out_proj.{kind}": turned["attn.c_proj"],
            f"{ours}.norm2.{kind}": theirs[f"{its}.ln_2.{kind}"],
            f"{ours}.feed_forward.linear1.{kind}": turned["mlp.c_fc"],
            f"{ours}.feed_forward.linear2.{kind}": turned["mlp.c_proj"],
        }
    return weights


def _check_config(config):
    wanted = {
        "activation_function": ("gelu_new", "gelu_pytorch_tanh"),
        "add_cross_attention": (False,),
        "scale_attn_weights": (True,),
        "scale_attn_by_inverse_layer_idx": (False,),
    }
    for name, right in wanted.items():
        if getattr(config, name) not in right:
            came = f"from_hugging_face: the config has {name}={getattr(config, name)!r}"
            raise ValueError(f"{came}; our GPT is GPT-2's, with {name}={right[0]!r}")
