"""A stock Firefox for the tests, over WebDriver BiDi (https://w3c.github.io/webdriver-bidi/), which it
speaks by itself. Playwright would need a Firefox of its own."""

import contextlib
import itertools
import json
import re
import shutil
import subprocess
import tempfile

import websocket

NAMES = ("firefox", "firefox-esr")
LISTENS = re.compile(r"BiDi listening on (ws://\S+)")
SECONDS = 60  # the longest that an answer may take


def find_firefox():
    """The path of a Firefox on this computer, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


@contextlib.contextmanager
def firefox(executable):
    """A headless Firefox with a profile of its own: a Tab."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [executable, "--headless", "--no-remote", "--profile", profile]
        process = subprocess.Popen(
            [*command, "--remote-debugging-port=0"], stderr=subprocess.PIPE, text=True
        )
        try:
            found = next(filter(None, map(LISTENS.search, process.stderr)), None)
            if not found:
                raise RuntimeError("Firefox ended before it said where it listens.")
            socket = websocket.create_connection(
                f"{found[1]}/session", timeout=SECONDS, suppress_origin=True
            )
            yield Tab(socket)
            socket.close()
        finally:
            process.terminate()
            process.wait(20)


class Tab:
    """One page of Firefox."""

    def __init__(self, socket):
        self.socket, self.ids = socket, itertools.count(1)
        self.ask("session.new", capabilities={})
        self.context = self.ask("browsingContext.getTree")["contexts"][0]["context"]

    def ask(self, method, **params):
        """The result of a command; RuntimeError with Firefox's words if it fails."""
        number = next(self.ids)
        self.socket.send(json.dumps({"id": number, "method": method, "params": params}))
        while (answer := json.loads(self.socket.recv())).get("id") != number:
            pass  # an event
        if answer["type"] == "error":
            raise RuntimeError(f"{method}: {answer['message']}")
        return answer["result"]

    def before_any_page(self, script):
        self.ask("script.addPreloadScript", functionDeclaration=f"() => {{ {script} }}")

    def open(self, address):
        self.ask("browsingContext.navigate", context=self.context, url=address, wait="complete")

    def evaluate(self, expression):
        """What JavaScript makes of an expression, as JSON would have it."""
        done = self.ask(
            "script.evaluate",
            expression=f"(async () => JSON.stringify(await ({expression})))()",
            target={"context": self.context},
            awaitPromise=True,
        )
        if done["type"] == "exception":
            raise RuntimeError(done["exceptionDetails"]["text"])
        return json.loads(done["result"].get("value", "null"))
