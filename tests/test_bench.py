"""What `make bench` says of its figures: the bars, the counts, and which frame holds a picture."""

import json

import bench
import pytest
from bench_table import Row, single, timed
from bench_trace import presses

# -- the bars -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "ms, bars, met",
    [
        ([1, 2, 30], (), None),
        ([1, 2, 3], (2,), True),
        ([1, 2, 3], (1.9,), False),
        ([1, 2, 30], (2, 16.7), False),  # the median holds, the 95th percentile does not
        ([1, 2, 3], (None, 3), True),
        ([30], (None, 16.7), False),
    ],
)
def test_a_row_of_times_holds_to_its_bars(ms, bars, met):
    row = timed("a press", "3×3", ms, *bars)
    assert row.met is met
    assert (row.figure, row.worst) == (sorted(ms)[len(ms) // 2], max(ms))
    assert row.figure <= row.p95 <= row.worst


def test_a_row_says_what_was_measured_its_bar_and_the_verdict():
    assert str(single("sent", "3×3", 40, "kB", 32)).split() == "sent 3×3 40.0 kB ≤ 32.0 ✗".split()
    assert str(single("sent", "3×3", 0.031, "kB")).split() == "sent 3×3 0.031 kB".split()
    row = timed("a press", "3×3", [1, 2, 1234], 8, 16.7)
    assert str(row).endswith("1,234 ms    ≤ 8, 95 % ≤ 16.7        ✗")


# -- the command --------------------------------------------------------------------------------


class APart:
    @staticmethod
    def rows():
        yield single("one", "", 1.0, "MB", 2)
        yield single("two", "", 3.0, "MB", 2)
        yield single("three", "", 3.0, "MB")


def test_one_part_alone_keeps_the_figures_of_the_others_and_counts_its_bars(
    monkeypatch, tmp_path, capsys
):
    saved = tmp_path / "build" / "bench.json"
    saved.parent.mkdir()
    saved.write_text(json.dumps({"slider": ["as it was"], "imports": ["old"]}))
    monkeypatch.setattr(bench, "OUT", saved)
    monkeypatch.setattr(bench, "import_module", {"bench_imports": APart}.__getitem__)
    bench.main(["imports"])
    now = json.loads(saved.read_text(encoding="utf-8"))
    assert now["slider"] == ["as it was"]
    assert [Row(**row).met for row in now["imports"]] == [True, False, None]
    assert capsys.readouterr().out.splitlines()[-1].startswith("1 of 2 bars missed")


def test_a_part_that_there_is_not_is_refused(capsys):
    with pytest.raises(SystemExit):
        bench.main(["sliders"])
    assert "there is no sliders; the parts are slider, " in capsys.readouterr().err


# -- the frame that holds the picture -----------------------------------------------------------

PRESENTED = "STATE_PRESENTED_ALL"


def mark(name, ts, pid=1):
    return {"name": f"bench {name}", "ph": "I", "ts": ts, "pid": pid}


def frame(track, start, committed, shown, pid=1, state=PRESENTED, commit=True):
    """The events of one frame; its main thread worked for 300 + 400 microseconds."""
    parts = {"begin_main_sent_to_started_us": 9999, "layout_update_us": 300, "paint_us": 400}
    stages = [
        ("PipelineReporter", start, shown, {"frame_reporter": {"state": state}}),
        ("SendBeginMainFrameToCommit", start, committed - 10, {"breakdown": parts}),
    ]
    if commit:
        stages.append(("Commit", committed - 10, committed, {}))
    for name, begin, end, args in stages:
        what = {"name": name, "pid": pid, "id2": {"local": track}}
        yield what | {"ph": "b", "ts": begin, "args": args}
        yield what | {"ph": "e", "ts": end, "args": {}}


@pytest.fixture
def read(tmp_path):
    def read(*events):
        path = tmp_path / "trace.json"
        path.write_text(json.dumps({"traceEvents": events}))
        return presses(path)

    return read


PRESS = [mark("press", 10_000), mark("handled", 12_000), mark("changed", 15_000)]


def test_the_clock_stops_with_the_first_frame_committed_after_the_change(read):
    (press,) = read(
        *PRESS,
        *frame("a", 9_000, 14_000, 16_000),  # committed before the change: does not hold it
        *frame("b", 14_500, 19_000, 24_000),  # begun before the change, committed after: holds it
        *frame("a", 30_000, 35_000, 40_000),
    )
    assert (press.handled, press.painted, press.shown) == (2, 9, 14)
    assert press.work == 2 + 0.7


def test_only_frames_of_the_same_page_that_were_presented_count(read):
    (press,) = read(
        *PRESS,
        *frame("a", 15_000, 16_000, 17_000, pid=2),
        *frame("b", 15_000, 17_000, 18_000, state="STATE_DROPPED"),
        *frame("c", 15_000, 18_000, 19_000, commit=False),
        *frame("a", 15_000, 20_000, 21_000),
    )
    assert (press.painted, press.shown) == (10, 11)


def test_presses_come_in_the_order_of_time_and_none_where_no_frame_followed(read):
    first, second = read(
        *(
            mark(name, ts, pid=2)
            for name, ts in (("press", 100), ("handled", 200), ("changed", 300))
        ),
        *PRESS,
        *frame("a", 250, 1_100, 2_100, pid=2),
    )
    assert (first.painted, second) == (1, None)
