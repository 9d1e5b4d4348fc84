"""The timeline and its family tree: every mark in its place, no label on another, nothing cut."""

import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.colors import to_hex

from helpers.data.family_tree import FAMILY_TREE, Model
from helpers.pictures import plots
from helpers.pictures.years import ROWS

few = settings(max_examples=15, deadline=None, derandomize=True)


def drawn(picture):
    """The axes, laid out as a PNG has them."""
    picture.figure.dpi = 144
    picture.figure.draw_without_rendering()
    (ax,) = picture.figure.axes
    return ax


def marked(ax, gid="mark"):
    return [line for line in ax.lines if line.get_gid() == gid]


def place(line):
    return line.get_xdata()[0], line.get_ydata()[0]


def box_of(line):
    """(left, bottom, right, top) of a mark, in pixels."""
    x, y = line.axes.transData.transform(place(line))
    half = line.get_markersize() / 2 * line.figure.dpi / 72
    if line.get_marker() == (4, 0, 45):
        half *= math.sqrt(0.5)
    down = half / 2 if line.get_marker() == (3, 0, 0) else half
    return x - half, y - down, x + half, y + half


def boxes_of(texts):
    return [text.get_window_extent().extents for text in texts]


def overlap(one, other):
    across = min(one[2], other[2]) - max(one[0], other[0])
    down = min(one[3], other[3]) - max(one[1], other[1])
    lower = min(one[3] - one[1], other[3] - other[1])
    return across > 0.5 and down > 0.15 * lower  # as elsewhere: room for ascenders


def assert_all_can_be_read(ax):
    words = boxes_of(ax.texts)
    marks = [box_of(line) for gid in ("mark", "key", "row") for line in marked(ax, gid)]
    page = ax.figure.bbox.extents
    for left, bottom, right, top in [*words, *marks]:
        assert page[0] <= left and right <= page[2] and page[1] <= bottom and top <= page[3]
    for one, other in itertools.combinations(words, 2):
        assert not overlap(one, other)
    assert not any(overlap(word, mark) for word in words for mark in marks)
    for one, other in itertools.combinations(marked(ax), 2):
        if place(one) != place(other):  # the two of a family lie within each other
            assert not overlap(box_of(one), box_of(other))


models = st.builds(
    Model,
    st.tuples(st.integers(2014, 2023), st.integers(1, 12)),
    st.text("WijgM 4", min_size=1, max_size=30),
    st.just(""),
    st.sampled_from(list(ROWS)),
    st.none() | st.tuples(st.integers(1, 10**9), st.integers(10**9, 2 * 10**12)),
    st.text("Wijgm ", max_size=50),
)


def test_in_the_family_tree_no_label_lies_on_another_and_none_is_cut():
    assert_all_can_be_read(drawn(plots.timeline(FAMILY_TREE)))


@few
@given(st.lists(models, min_size=1, max_size=25))
def test_nor_in_any_other_however_crowded(models):
    assert_all_can_be_read(drawn(plots.timeline(models)))


def test_all_in_one_month_stand_below_each_other():
    crowd = [Model((2023, 12), f"model {i}", "", "decoder", None, "a phrase") for i in range(12)]
    ax = drawn(plots.timeline(crowd))
    assert_all_can_be_read(ax)
    assert len({place(mark)[0] for mark in marked(ax)}) == 1
    assert len({place(mark)[1] for mark in marked(ax)}) == 12


def by_name(ax):
    """name of a model → its marks: those nearest to its label, on its height."""
    found = {}
    for model in FAMILY_TREE:
        (label,) = [t for t in ax.texts if t.get_text() == model.name and t.get_gid() == "label"]
        box = label.get_window_extent()

        def far(mark, box=box):
            left, bottom, right, top = box_of(mark)
            return max(left - box.x1, box.x0 - right, 0) + 9 * max(bottom - box.y1, box.y0 - top, 0)

        nearest = place(min(marked(ax), key=far))
        found[model.name] = [mark for mark in marked(ax) if place(mark) == nearest]
    return found


def test_marks_stand_at_their_month_in_the_row_of_their_kind_with_its_shape_and_colour():
    ax = drawn(plots.timeline(FAMILY_TREE))
    found = by_name(ax)
    assert sum(map(len, found.values())) == len(marked(ax))
    months = {m.name: 12 * m.date[0] + m.date[1] for m in FAMILY_TREE}
    start, end = (place(found[name][0])[0] for name in ("Bahdanau et al.", "Mistral 7B"))
    a_month = (end - start) / (months["Mistral 7B"] - months["Bahdanau et al."])
    heights = {kind: [] for kind in ROWS}
    for model in FAMILY_TREE:
        _, shape, _, colour = ROWS[model.kind]
        for mark in found[model.name]:
            x, y = place(mark)
            after = months[model.name] - months["Bahdanau et al."]
            assert x == pytest.approx(start + after * a_month)
            assert mark.get_marker() == shape and to_hex(mark.get_color()) == colour.lower()
            heights[model.kind].append(y)
    rows = list(heights.values())
    assert all(min(above) > max(below) for above, below in itertools.pairwise(rows))
    assert len({shape for _, shape, _, _ in ROWS.values()}) == len(ROWS)
    titles = [t.get_text() for t in ax.texts if t.get_gid() == "row"]
    assert titles == [title for title, *_ in ROWS.values()]
    assert [t.get_text() for t in ax.texts if t.get_gid() == "year"] == list(
        map(str, range(2014, 2024))
    )


def test_a_mark_grows_alike_with_every_factor_of_ten():
    sizes = [10**power for power in range(8, 13)]
    tree = [Model((2020, 1), "x", "", "both", (size, size), "") for size in sizes]
    diameters = sorted(mark.get_markersize() for mark in marked(drawn(plots.timeline(tree))))
    steps = [b - a for a, b in itertools.pairwise(diameters)]
    assert steps == pytest.approx([steps[0]] * 4) and steps[0] > 3  # points
    keys = [mark.get_markersize() for mark in marked(drawn(plots.timeline(tree)), "key")]
    assert keys[:5] == pytest.approx(diameters)  # the key says what a circle says


def test_a_family_is_two_marks_and_what_is_not_published_is_hollow_and_said():
    ax = drawn(plots.timeline(FAMILY_TREE))
    white = "#ffffff"
    for model in FAMILY_TREE:
        marks = by_name(ax)[model.name]
        filled = [to_hex(mark.get_markerfacecolor()) for mark in marks]
        if model.parameters is None:
            assert filled == [white]
        else:
            assert len(marks) == len(set(model.parameters)) and white not in filled
            sizes = [mark.get_markersize() for mark in marks]
            assert sizes == sorted(sizes, reverse=True)  # the smaller is drawn last, on top
    told = [t.get_text() for t in ax.texts]
    assert told.count("not published") == 2 and told.count("not told here") == 2


def test_the_words_beside_it_say_all_of_it():
    picture = plots.timeline(FAMILY_TREE, says="After 2021 there are decoders alone.")
    for model in FAMILY_TREE:
        assert all(word in picture.text for word in (model.name, model.size, model.phrase))
    assert "GPT-2 (February 2019, 124M to 1.5B: tasks without examples)" in picture.text
    assert "ChatGPT (November 2022, not published: a conversation)" in picture.text
    assert picture.text.endswith("\nAfter 2021 there are decoders alone.")


@pytest.mark.parametrize(
    "change, says",
    [
        ({"kind": "seq2seq"}, "'x' is of kind 'seq2seq'; expected one of encoder, both, decoder"),
        ({"date": (2020, 13)}, "has the date (2020, 13)"),
        ({"parameters": (0, 5)}, "has the parameters (0, 5); expected (smallest, largest)"),
        ({"parameters": (9, 5)}, "has the parameters (9, 5)"),
    ],
)
def test_what_cannot_be_drawn_is_told_in_words(change, says):
    model = Model((2020, 1), "x", "", "both", None, "")._replace(**change)
    with pytest.raises(ValueError) as error:
        plots.timeline([model])
    assert says in str(error.value)


def test_no_model_is_told_in_words():
    with pytest.raises(ValueError, match="there is no model"):
        plots.timeline([])


# --- The data ---


def test_the_family_tree_is_in_order_and_each_is_named_once():
    assert [m.date for m in FAMILY_TREE] == sorted(m.date for m in FAMILY_TREE)
    assert len({m.name for m in FAMILY_TREE}) == len(FAMILY_TREE) == 22
    assert {m.date[0] for m in FAMILY_TREE} == set(range(2014, 2024)) - {2015, 2016}
    for model in FAMILY_TREE:
        assert model.kind in ROWS and model.phrase and 1 <= model.date[1] <= 12
        assert model.published or model.parameters is None


@pytest.mark.parametrize(
    "parameters, published, size",
    [
        ((384_000_000,) * 2, True, "384M"),
        ((124_000_000, 1_500_000_000), True, "124M to 1.5B"),
        ((7_300_000_000,) * 2, True, "7.3B"),
        ((1_600_000_000_000,) * 2, True, "1.6T"),
        ((60_000_000, 11_000_000_000), True, "60M to 11B"),
        ((5_000, 5_000), True, "5000"),
        (None, True, "not told here"),
        (None, False, "not published"),
    ],
)
def test_sizes_are_written_as_papers_do(parameters, published, size):
    assert Model((2020, 1), "x", "", "both", parameters, "", published).size == size


def test_sizes_are_those_of_models_that_we_count_ourselves():
    """The families of notebooks 11 and 13: the numbers are recounted in test_gpt and test_bert."""
    sizes = {m.name: m.parameters for m in FAMILY_TREE}
    for name, counted in {
        "GPT-2": (124_439_808, 1_557_611_200),
        "BERT": (109_482_240, 335_141_888),
    }.items():
        assert all(math.isclose(a, b, rel_tol=0.04) for a, b in zip(sizes[name], counted))
