"""A watch over every kind of model of the installed transformers that can be made tiny.

    python -m tests.inside.every_kind            # all of them, about ten minutes
    python -m tests.inside.every_kind llama vit  # these

Each is made from its own config, with all sizes shrunk, and called with batches of 1, of 2 and of
as many as it has heads, and once with sdpa, where it has that. What is seen is compared with the
weights that the model itself returns: "wrong" is a map that is none of these. A model that returns
no weights is listed with the sizes that were seen, to be looked at. Of all of them none may be
wrong, and RIGHT must be right.
"""

import inspect
import signal
import sys
import warnings
from collections import Counter

import torch
import transformers

from helpers.inside import watch

HEADS, TOKENS = 4, 7
RIGHT = 2_650  # of transformers 5.24
# What these return is not what was seen, for a reason that was looked at: such a map is "other".
OTHER = {
    "aimv2_vision_model": "its pooling head returns no weights",
    "cpmant": "it returns them without the prompt's tokens",
    "hiera": "it returns those of the last layer of each stage",
    "maskformer": "its backbone returns none",
    "paligemma": "with sdpa, each token sees all others: it computes something else than eager",
    "pegasus_x": "the global tokens attend in a call of their own",
    "prophetnet": "its encoder returns none",
    "siglip_vision_model": "its pooling head returns no weights",
    "squeezebert": "it returns scores",
    "t5gemma2": "it returns self- and cross-attention apart, which it computes as one",
    "wavlm": "it returns the average over its heads",
}
SIZES = {
    "hidden_size d_model n_embd dim embed_dim projection_dim embedding_size word_embed_proj_dim "
    "encoder_hidden_size decoder_hidden_size text_hidden_size vision_hidden_size": 32,
    "num_hidden_layers n_layer n_layers num_layers encoder_layers decoder_layers "
    "num_encoder_layers num_decoder_layers depth encoder_num_layers decoder_num_layers "
    "num_hidden_groups num_mem_blocks": 2,
    "num_attention_heads n_head n_heads num_heads encoder_attention_heads decoder_attention_heads "
    "num_encoder_attention_heads num_decoder_attention_heads encoder_num_heads": HEADS,
    "num_key_value_heads num_kv_heads": 2,
    "intermediate_size n_inner ffn_dim hidden_dim encoder_ffn_dim decoder_ffn_dim d_ff "
    "ffn_hidden_size moe_intermediate_size shared_expert_intermediate_size": 40,
    "head_dim d_kv qk_nope_head_dim v_head_dim": 8,
    "qk_rope_head_dim": 4,
    "q_lora_rank kv_lora_rank": 16,
    "vocab_size": 60,
    "max_position_embeddings n_positions max_source_positions max_target_positions": 64,
    "image_size": 32,
    "patch_size": 8,
    "num_experts num_local_experts n_routed_experts": 4,
    "num_experts_per_tok": 2,
    "n_group topk_group": 1,
}
SIZES = {name: size for names, size in SIZES.items() for name in names.split()}


def shrunk(config):
    """The same config with small sizes, in its parts as well."""
    for name, value in list(vars(config).items()):
        if isinstance(value, transformers.PretrainedConfig):
            shrunk(value)
        elif name in SIZES and type(value) is int and value > SIZES[name]:
            setattr(config, name, SIZES[name])
        elif name.endswith("token_id") and type(value) is int and value > 50:
            setattr(config, name, 3)
        elif name in ("layer_types", "mlp_layer_types") and isinstance(value, list):
            setattr(config, name, (list(dict.fromkeys(value)) * 2)[:2])
        elif name in ("hidden_sizes", "depths", "rope_scaling") and value is None:
            continue
    return config


def inputs_of(model, batch):
    """What its forward asks for."""
    names = inspect.signature(model.forward).parameters
    ids = torch.randint(5, 50, (batch, TOKENS))
    config, given = model.config, {}
    vision = getattr(config, "vision_config", config)
    side, channels = getattr(vision, "image_size", 32), getattr(vision, "num_channels", 3)
    side = side if isinstance(side, int) else side[0] if side else 32
    main = model.main_input_name
    if "input_ids" in names:
        given["input_ids"] = ids
        if "attention_mask" in names:
            given["attention_mask"] = torch.ones_like(ids)
    if "decoder_input_ids" in names:
        given["decoder_input_ids"] = ids[:, :5]
    if (
        main == "pixel_values"
        or "pixel_values" in names
        and names["pixel_values"].default is (inspect.Parameter.empty)
    ):
        given["pixel_values"] = torch.rand(batch, channels, side, side)
    if main == "input_values" and "input_ids" not in names:
        given["input_values"] = torch.rand(batch, 4000)
    if main == "input_features":
        bins = getattr(config, "num_mel_bins", 80)
        length = 2 * getattr(config, "max_source_positions", 32)
        given["input_features"] = torch.rand(batch, bins, length)
    return given


def made(kind, auto=transformers.AutoModel):
    """A small model of this kind in eval mode, with random weights."""
    config = shrunk(transformers.AutoConfig.for_model(kind))
    config._attn_implementation = "eager"
    torch.manual_seed(0)
    model = auto.from_config(config, attn_implementation="eager").eval()
    if sum(x.numel() for x in model.parameters()) > 30_000_000:
        raise ValueError("it stays large")
    for parameter in model.parameters():  # as made, weights are small, and all looks even
        parameter.data = torch.randn_like(parameter) * 0.2
    return model


def theirs(result):
    """All weights that the model returned, each (batch, heads, queries, keys)."""
    found = []
    for name, value in getattr(result, "items", dict)():
        values = value if isinstance(value, tuple | list) else [value]
        for one in values if "attention" in name else ():
            found += [x for x in (one if isinstance(one, tuple) else [one]) if x is not None]
        if hasattr(value, "items"):
            found += theirs(value)
    return [x for x in found if isinstance(x, torch.Tensor)]


def judged(kind, seen, wanted):
    """How many calls are right and wrong; what is wrong, in words."""
    count, told = Counter(), []
    for call in seen.calls:
        like = [x.reshape_as(call.weights) for x in wanted if x.numel() == call.weights.numel()]
        same = any(torch.allclose(x.float(), call.weights.float(), atol=5e-6) for x in like)
        no = "unknown" if not wanted else "other" if kind in OTHER else "wrong"
        count["right" if same else no] += 1
        if not same and no != "other":
            told.append(f"{no}: {call} {tuple(call.weights.shape)}")
    return count, told


def look(kind):
    """(count over all batches, what to look at) of one kind of model."""
    model, count, told = made(kind), Counter(), []
    for batch, implementation in ((1, "eager"), (2, "eager"), (HEADS, "eager"), (2, "sdpa")):
        inputs = inputs_of(model, batch)
        with torch.no_grad():
            try:
                model.set_attn_implementation(implementation)
            except ValueError:  # there is no sdpa for it
                continue
            torch.manual_seed(0)  # some, as vit_mae, choose at random what they see
            plain = model(**inputs)
            torch.manual_seed(0)
            with watch(model) as seen:
                again = model(**inputs)
            model.set_attn_implementation("eager")
            torch.manual_seed(0)
            try:
                asked = theirs(model(**inputs, output_attentions=True))
            except TypeError:
                asked = []
        one, two = plain[0], again[0]
        if isinstance(one, torch.Tensor) and not torch.equal(one.nan_to_num(), two.nan_to_num()):
            count["changed"] += 1
        more, what = judged(kind, seen, asked)
        count += more
        told += [f"{implementation}, batch {batch}: {x}" for x in dict.fromkeys(what)]
        told += [f"{implementation}, batch {batch}: unseen {seen.unseen}"] if seen.unseen else []
    return count, told


def main():
    warnings.simplefilter("ignore")
    transformers.logging.set_verbosity_error()
    signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(TimeoutError()))
    asked, totals = sys.argv[1:], Counter()
    for kind in asked or sorted(transformers.CONFIG_MAPPING):
        signal.alarm(40)
        try:
            count, told = look(kind)
        except Exception as error:  # it cannot be made so small, or watch refuses it by name
            print(f"{kind}: {type(error).__name__} {str(error)[:150]}", flush=True)
            continue
        finally:
            signal.alarm(0)
        totals += count
        print(f"{kind}: {dict(count)}", *told, sep="\n    ", flush=True)
    print(dict(totals))
    return totals["wrong"] + totals["changed"] + (not asked and totals["right"] < RIGHT)


if __name__ == "__main__":
    sys.exit(bool(main()))
