"""Our Llama as the class of Hugging Face, with the same numbers."""

import torch
from transformers import LlamaConfig, LlamaForCausalLM

from helpers.exercises import n17_a_chat_model as exercises


def llama_of_hugging_face(ours):
    """Hugging Face's LlamaForCausalLM, for which the rows of queries and keys go in halves."""
    sizes = {"hidden_size": 576, "num_attention_heads": 9, "num_key_value_heads": 3}
    more = {"intermediate_size": 1536, "num_hidden_layers": 30, "rms_norm_eps": 1e-5}
    rope = {"rope_type": "default", "rope_theta": 100_000.0}
    config = LlamaConfig(
        vocab_size=49_152, tie_word_embeddings=True, rope_parameters=rope, **sizes, **more
    )
    with torch.device("meta"):
        model = LlamaForCausalLM(config)
    model.to_empty(device="cpu")
    model.model.rotary_emb = type(model.model.rotary_emb)(config)
    state = {
        "model.embed_tokens.weight": ours.word.weight,
        "model.norm.weight": ours.norm.weight,
    }
    parts = {"norm1": "input_layernorm", "norm2": "post_attention_layernorm"}
    parts |= {f"W_{part}": f"mlp.{part}_proj" for part in ("gate", "up", "down")}
    names = {"W_query": "q_proj", "W_key": "k_proj", "W_value": "v_proj", "out_proj": "o_proj"}
    parts |= {f"attention.{mine}": f"self_attn.{name}" for mine, name in names.items()}
    for name, weight in ours.state_dict().items():
        if name.startswith("blocks."):
            _blocks, layer, part = name.removesuffix(".weight").split(".", 2)
            heads = {"attention.W_query": 9, "attention.W_key": 3}.get(part)
            weight = exercises.rows_in_halves(weight, heads) if heads else weight
            state[f"model.layers.{layer}.{parts[part]}.weight"] = weight
    assert not model.load_state_dict(state, strict=False).unexpected_keys
    model.tie_weights()
    return model.eval()
