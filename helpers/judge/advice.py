"""Errors of Python and PyTorch that speak past a learner, and a sentence on what they mean."""

import re

from .layer_weights import PROJECTIONS
from .lines import Line

SHORT_NAMES = {
    "F": "torch.nn.functional",
    "np": "numpy",
    "nn": "torch.nn",
    "plt": "matplotlib.pyplot",
}


KEPT = (*PROJECTIONS, "out_proj", "mask")  # what layers keep under a name of theirs


def advice(error, exercise):
    """Lines on the text of an error; [] where the error says enough by itself."""
    if getattr(exercise, "by_hooks", False) and (lines := _on_hooks(error)):
        return lines
    for pattern, key in (
        (r"has no attribute '\w+\.", "name_is_a_path"),
        (r"leaf Variable that requires grad", "in_no_grad"),
        (r"expected Tensor as element", "tensors_are_stacked"),
        (r"builtin_function_or_method'", "brackets_missing"),
        (r"for \^: |bitwise_xor", "power_is_stars"),
        (r"bitwise_(and|or)_\w+.* for '\w*(Float|Double|Half)", "brackets_around_each"),
        (r"'(Parameter|Tensor)' object has no attribute 'copy'", "copy_or_clone"),
        (r"register_buffer\(\) missing", "buffer_needs_a_name"),
        (r"shape of the [23]D attn_mask", "mask_of_tokens"),
        (r"Expected key_padded_mask", "fourth_is_padding"),
        (r"expecting embedding dimension", "numbers_stay_last"),
        (r"argument 'attn_mask'.* must be Tensor", "fourth_is_the_mask"),
        (r"argument 'size'.* must be tuple of ints, not Tensor", "shape_wanted"),
        (r"of type float|got float|'float' object cannot be interpreted", "whole_numbers"),
        (r"return_types", "values_and_places"),
        (r"before Module\.__init__\(\) call", "super_first"),
        (
            r"unsupported operand type\(s\) for [@*]: .*'Linear'|Tensor, not Linear",
            "linear_is_called",
        ),
        (r"'(float|int)' object is not callable", "number_is_not_called"),
        (r"'(Parameter|Tensor)' object is not callable", "matrix_is_multiplied"),
        (r"shapes cannot be multiplied|size mismatch, got|of batch2 tensor to be", "inner_sizes"),
        (r"must match the size of tensor|must match the existing size", "sizes_line_up"),
        (r"loading state_dict", "other_names"),
        (r"as child module", "name_of_a_layer"),
        (r"is invalid for input of size", "sizes_multiply"),
        (r"Expected target size|input batch_size .* to match target", "places_in_one_row"),
        (r"only supports boolean masks", "booleans_wanted"),
        (r"(one element|length-1|0-dimensional).* can be converted to", "one_number_at_a_time"),
        (r"must be Tensor, not (int|float)", "tensor_wanted"),
        (r"'torch\.Size' and", "which_size"),
        (r"must be bool, not method", "mode_is_a_method"),
        (r"Only Tensors of floating point .* require gradients", "no_gradient_for_booleans"),
        (r"Boolean value of Tensor with more than one", "one_yes_or_no"),
    ):
        if re.search(pattern, error):
            return [Line(key)]
    if exercise.asks_for == "class" and re.search(r"\.forward\(\) (takes|missing|got)", error):
        return [Line("forward_gets", arguments=["self", *exercise.forward_gets])]
    return _on_a_name(error, exercise)


def _on_hooks(error):
    """What a hook, or whoever hangs it up, does wrong."""
    for pattern, key in (
        (r"pre-hook must return|missing \d required positional|multiple values for", "hooks_get"),
        (r"takes \d positional arguments? but", "hooks_get"),
        (r"maximum recursion depth", "hook_calls_its_layer"),
        (r"'tuple' object has no attribute", "given_is_a_tuple"),
        (r"list index out of range", "nothing_was_kept"),
        (r"unexpected keyword argument '(need_weights|average_attn)", "the_layer_is_asked"),
    ):
        if re.search(pattern, error):
            return [Line(key)]
    return []


def _on_a_name(error, exercise):
    found = re.search(r"name '(\w+)' is not defined|object has no attribute '(\w+)'", error)
    if not found:
        return []
    name = found[1] or found[2]
    if exercise.asks_for == "class" and name in KEPT:
        return [Line("self_forgotten", name=name)]
    if found[2]:
        asked = name in (*exercise.arguments, "qkv_bias")
        return [Line("kept_by_init", names=[name], name=name)] if asked else []
    if exercise.asks_for == "class" and name in exercise.arguments:
        return [Line("kept_by_init", names=[name], name=name)]
    if name == "math":
        return [Line("math_not_imported")]
    if name in SHORT_NAMES:
        return [Line("not_imported", name=name, long=SHORT_NAMES[name])]
    return []
