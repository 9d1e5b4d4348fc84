"""When the browser painted and showed what a page did, read from Chromium's own trace.

A page says `performance.mark("bench press")` when it acts, `"bench handled"` when the event's
handlers have returned, and `"bench changed"` when it has given the browser a new picture. The next
frame that the browser commits holds that picture: it is painted when the main thread is done
with the frame, and shown when the compositor has presented it.
"""

import json
from contextlib import contextmanager
from dataclasses import dataclass

CATEGORIES = ["disabled-by-default-devtools.timeline.frame", "blink.user_timing"]  # no more: cheap
STAGE = "SendBeginMainFrameToCommit"  # style, layout, paint; its arguments say how long each took
WAIT = "begin_main_sent_to_started_us"  # … this one is no work


@dataclass(frozen=True)
class Press:
    """Milliseconds since the press."""

    handled: float  # until the handlers of the event had returned
    painted: float
    shown: float
    work: float  # what the main thread did: the handlers, and its part of the frame


@contextmanager
def tracing(browser, path):
    """Trace what the browser does in this block, into the file at `path`."""
    browser.start_tracing(path=path, categories=CATEGORIES)
    try:
        yield
    finally:
        browser.stop_tracing()


def presses(path):
    """Each press in the trace, in the order of time; None where no frame followed."""
    events = json.loads(path.read_text(encoding="utf-8"))["traceEvents"]
    marks = {
        name: sorted((e["ts"], e["pid"]) for e in events if e["name"] == f"bench {name}")
        for name in ("press", "handled", "changed")
    }
    frames = sorted(_frames(events), key=lambda f: f["painted"])
    return [
        _press(*when, pid, frames)
        for (*when, pid) in (
            (press, handled, changed, pid)
            for (press, pid), (handled, _), (changed, _) in zip(*marks.values(), strict=True)
        )
    ]


def _press(press, handled, changed, pid, frames):
    for frame in frames:
        if frame["pid"] == pid and frame["painted"] >= changed:
            work = handled - press + frame["work"]
            times = (handled - press, frame["painted"] - press, frame["shown"] - press, work)
            return Press(*(t / 1000 for t in times))
    return None


def _frames(events):
    """The frames that were presented, each with the end of its painting, in microseconds."""
    begun, stages = {}, {}
    for e in sorted(events, key=lambda e: e.get("ts", 0)):
        track = (e["pid"], e.get("id2", {}).get("local"))
        if e["ph"] == "b":
            begun[*track, e["name"]] = e
        elif e["ph"] == "e" and (start := begun.pop((*track, e["name"]), None)):
            stages.setdefault(track, {})[e["name"]] = (start, e["ts"])
            if e["name"] != "PipelineReporter":
                continue
            done = stages.pop(track)
            state = start["args"]["frame_reporter"]["state"]
            if state.startswith("STATE_PRESENTED") and "Commit" in done and STAGE in done:
                parts = next(iter(done[STAGE][0]["args"].values()))
                work = sum(us for part, us in parts.items() if part != WAIT)
                shown, painted = e["ts"], done["Commit"][1]
                yield {"pid": e["pid"], "painted": painted, "shown": shown, "work": work}
