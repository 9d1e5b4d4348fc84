"""What the browser tests need: a Chromium or Chrome, and the scripts of pages.

`make test` begins with it: whatever is missing is reported first, with the command that installs
it.
With --install, it tries to install a browser."""

import functools
import os
import shutil
import subprocess
import sys

from helpers.classroom import scripts

# Their names on the PATH; Chrome for macOS is not on the PATH.
NAMES = (
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"),
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
PLAYWRIGHT = [sys.executable, "-m", "playwright"]
NO_BROWSER = (
    "The browser tests find neither Chromium nor Chrome. This brings one, without root:\n"
    f"    {' '.join(PLAYWRIGHT)} install chromium\n"
    "It needs libraries that a desktop has; where they lack, on Debian: sudo apt-get install chromium"
)


@functools.cache
def find_browser() -> str | None:
    """The path of a browser that starts: one on the PATH, else Playwright's own, else None."""
    found = (shutil.which(name) for name in NAMES)
    return next((path for path in found if path and starts(path)), None) or playwrights_own()


def starts(path: str) -> bool:
    """Whether it is a browser: Ubuntu's chromium-browser may be a mere note on installing one."""
    return subprocess.run([path, "--version"], capture_output=True).returncode == 0


def playwrights_own() -> str | None:
    """The path of the Chromium that `playwright install chromium` installed, or None."""
    from playwright.sync_api import sync_playwright  # slow, and rarely needed

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if os.path.exists(path) else None


def main() -> None:
    if find_browser() is None and "--install" in sys.argv:
        print("No Chromium and no Chrome found: trying to install one.", flush=True)
        subprocess.run([*PLAYWRIGHT, "install", "chromium"], timeout=300)
        find_browser.cache_clear()
    missing = [] if find_browser() else [NO_BROWSER]
    try:
        scripts.scripts()
    except RuntimeError as reason:
        missing.append(f"The pages that are tried lack their scripts: {reason}")
    sys.exit("\n".join(missing) or print(f"Browser: {find_browser()}"))


if __name__ == "__main__":
    main()
