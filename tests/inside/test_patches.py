"""A picture as input: each patch has the weight that the model gave it, for whichever query."""

import numpy as np
import pytest
import torch
from torch import nn
from watched import SMALL, gpt, made

from helpers.inside import Inside, watch

transformers = pytest.importorskip("transformers")
PICTURES = torch.rand(2, 3, 8, 12, generator=torch.Generator().manual_seed(0))
SIGHT = SMALL | {"image_size": (8, 12), "patch_size": 4, "attn_implementation": "eager"}
SIZES = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2}
SIZES |= {"intermediate_size": 20}


class Sees(nn.Module):
    """Patches of 4 by 4 pixels, read row by row, with no class token."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.read, self.attention = nn.Linear(48, 8), nn.MultiheadAttention(8, 2, batch_first=True)

    def forward(self, pixels):
        x = self.read(nn.functional.unfold(pixels, 4, stride=4).mT * 4)
        return self.attention(x, x, x, need_weights=True, average_attn_weights=False)


def with_class():
    model = made(transformers.ViTModel, **SIGHT)
    return model, lambda x: model(x, output_attentions=True).attentions[1], 1


def without_class():
    model = Sees()
    return model, lambda x: model(x)[1], 0


def go(view, **to):
    menus = {control.name: control.widget for control in view.controls}
    for name, label in to.items():
        menus[name].label = label


def over_of(view, row):
    """What the page lays over the picture for this query: (rows, columns) of weights."""
    spec, (((_panel, array),), _) = view.view.spec["patches"], view._shown()
    keys = spec["keys"][spec["at"][view._index()]]
    return np.nan_to_num(array[row, list(keys)]).reshape(spec["shape"])


@pytest.mark.parametrize("kind", (with_class, without_class))
def test_each_patch_has_its_weight(kind):
    model, weights_of, first = kind()
    with torch.no_grad():
        weights = weights_of(PICTURES)[1]  # (2 or 4 heads, queries, keys)
    view = Inside(model, PICTURES, picture=PICTURES[1], patches=(2, 3), sequence=1)
    last = list(dict.fromkeys(x.name for x in view._layers.values()))[-1]
    for head in (0, 1):
        go(view, layer=last, head=str(head))
        for query in range(first + 6):
            drawn = view.over_picture(query).figure.axes[1].images[1].get_alpha()
            over = over_of(view, query)
            for row in range(2):
                for column in range(3):
                    w = weights[head, query, first + 3 * row + column].item()
                    assert over[row, column] == pytest.approx(w, abs=1e-6)
                    assert drawn[row, column] == pytest.approx(0.85 * w / over.max(), abs=1e-4)


@pytest.mark.parametrize("kind", (with_class, without_class))
def test_a_patch_is_that_part_of_the_picture(kind):
    """If a patch changes, then in the first layer the value of its key does, and of no other."""
    model, _, _ = kind()
    view = Inside(model, PICTURES, picture=PICTURES[0], patches=(2, 3))
    for n in range(6):
        other, (row, column) = PICTURES.clone(), divmod(n, 3)
        other[:, :, 4 * row : 4 * row + 4, 4 * column : 4 * column + 4] = 0
        with torch.no_grad(), watch(model) as seen:
            model(PICTURES)
            model(other)
        one, two = [x.tags[0] for x in seen.calls if x.name == seen.calls[0].name]
        (changed,) = (one != two).nonzero()
        assert changed.item() == view.view.spec["patches"]["keys"][0][n]


WORDS = "<s> see <image> <image> <image> <image> what ? it is red .".split()


def llava():
    vision = transformers.CLIPVisionConfig(**SIZES, image_size=16, patch_size=8)
    text = SMALL | {"num_key_value_heads": 2}
    text = transformers.LlamaConfig(**text, attn_implementation="eager")
    config = {"vision_config": vision, "text_config": text, "image_token_index": 49}
    config["attn_implementation"] = "eager"
    return made(transformers.LlavaForConditionalGeneration, vision_feature_layer=-1, **config)


@pytest.mark.parametrize("tokens, more", [(WORDS[:11], {}), (None, {"image_tokens": range(2, 6)})])
def test_every_generated_token_looks_at_the_picture(tokens, more):
    model, ids = llava(), torch.tensor([[1, 5, 49, 49, 49, 49, 7, 8]])
    pixels = torch.rand(1, 3, 16, 16)
    asked = {"input_ids": ids, "pixel_values": pixels, "attention_mask": torch.ones_like(ids)}
    asked |= {"max_new_tokens": 4, "min_new_tokens": 4, "do_sample": False}
    with torch.no_grad(), watch(model, layers="model.language_model") as seen:
        result = model.generate(**asked, output_attentions=True, return_dict_in_generate=True)
    view = Inside(seen, tokens=tokens, picture=pixels[0], patches=(2, 2), **more)
    go(view, head="2")
    for step, layers in enumerate(result.attentions[1:], 8):  # the tokens that follow the prompt
        wanted = layers[0][0, 2, -1, 2:6].view(2, 2)
        np.testing.assert_allclose(over_of(view, step), wanted, atol=1e-6)
    assert "red" not in view.over_picture(WORDS[8] if tokens else 8).text


def test_layers_with_other_keys_show_no_picture():
    model = llava()
    ids = torch.tensor([[1, 49, 49, 49, 49, 7]])
    inputs = {"input_ids": ids, "pixel_values": torch.rand(1, 3, 16, 16)}
    view = Inside(model, inputs, picture=inputs["pixel_values"][0], patches=(2, 2))
    spec = view.view.spec["patches"]
    assert spec["at"][0] == 0 and spec["at"][-1] == -1  # the vision tower, the language model
    go(view, layer=list(view._layers)[-1][0])
    go(view, head="0")
    with pytest.raises(ValueError, match="not the patches"):
        view.over_picture(0)


def test_a_map_that_is_missing_shows_no_picture():
    model = made(transformers.ViTModel, **SIGHT | {"num_hidden_layers": 1})
    view = Inside(model, PICTURES, picture=PICTURES[0], patches=(2, 3), heads=0)
    view.over_picture(0)
    go(view, head="average")
    view.over_picture(0)
    with pytest.raises(ValueError, match="none of the 7 queries"):
        view.over_picture("cat")


GREY = torch.rand(8, 12)
BAD = (
    (dict(picture=GREY), "go together"),
    (dict(patches=(2, 3)), "go together"),
    (dict(picture=GREY, patches=6), "patches=6"),
    (dict(picture=GREY, patches=(3, 2)), "8 × 12, which is not 3 × 2 squares"),
    (dict(picture=PICTURES, patches=(2, 3)), "pass one picture"),
    (dict(picture=GREY, patches=(4, 6)), "24 patches; there are 6 keys"),
    (dict(picture=GREY, patches=(2, 3), image_tokens=range(5)), "5 positions"),
    (dict(picture=GREY, patches=(2, 3), image_tokens=range(1, 7)), "6 patches; there are 6 keys"),
    (dict(picture="cat.png", patches=(2, 3)), "numbers"),
)


@pytest.mark.parametrize("given, says", BAD)
def test_what_does_not_fit_is_refused(given, says):
    with pytest.raises((TypeError, ValueError), match=says):
        Inside(Sees(), PICTURES[:1], **given)


def test_windows_and_blocks_are_not_the_picture():
    config = {"image_size": 16, "patch_size": 4, "window_size": 2, "depths": [1], "num_heads": [2]}
    swin, x = made(transformers.SwinModel, embed_dim=8, **config), torch.rand(1, 3, 16, 16)
    blocks = Sees()
    blocks.spatial_merge_size = 2  # as in Qwen2-VL, which reads 2 by 2 patches, and then the next
    for model in (swin, blocks):
        with pytest.raises(ValueError, match="windows or blocks"):
            Inside(model, x, picture=x[0], patches=(2, 2) if model is swin else (4, 4))


def test_maps_that_are_too_large_to_send_whole_are_refused(monkeypatch):
    given = {"picture": PICTURES[0], "patches": (2, 3)}
    Inside(Sees(), PICTURES, **given)
    monkeypatch.setattr("helpers.inside.view.MAX_BYTES", 500)
    Inside(Sees(), PICTURES)
    with pytest.raises(ValueError, match="layers="):
        Inside(Sees(), PICTURES, **given)


def test_without_a_picture_nothing_is_laid_over_it():
    view = Inside(gpt(), torch.tensor([[1, 2, 3]]))
    assert "patches" not in view.view.spec
    with pytest.raises(ValueError, match="picture="):
        view.over_picture(0)


@pytest.mark.browser
def test_the_page_lays_the_query_that_is_pointed_at_over_the_picture(tmp_path, browser):
    x = PICTURES[:1]
    view = Inside(made(transformers.ViTModel, **SIGHT), x, picture=x[0], patches=(2, 3))
    view.save(tmp_path / "seen.html")
    page, errors = browser.new_page(), []
    page.on("pageerror", lambda error: errors.append(error))
    page.goto((tmp_path / "seen.html").as_uri())
    page.locator('.ax-view[data-ready="true"]').wait_for()

    def is_drawn(row):
        alpha = page.locator(".ax-photo canvas").evaluate(
            "c => [...c.getContext('2d').getImageData(0, 0, c.width, c.height).data]"
        )[3::4]
        over = over_of(view, row).ravel()
        np.testing.assert_allclose(np.array(alpha), 255 * 0.85 * over / over.max(), atol=1)

    is_drawn(0)
    for row in (3, 6):
        page.locator("tr", has=page.locator("td.ax-cell")).nth(row).locator("td").nth(1).hover()
        is_drawn(row)
    page.locator("label", has_text="head").locator("select").select_option("average")
    go(view, head="average")
    is_drawn(6)
    page.locator(".ax-photo img").evaluate("image => image.decode()")
    assert errors == []
    page.close()
