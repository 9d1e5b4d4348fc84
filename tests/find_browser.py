"""Finds the Chromium or Chrome that the browser test drives; with --install, tries to get one."""

import functools
import os
import shutil
import subprocess
import sys

# As they are called on the PATH; Chrome for macOS is not on it.
NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
PLAYWRIGHT = [sys.executable, "-m", "playwright"]
APT = "DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends"
NO_BROWSER = (
    "The browser test found neither Chromium nor Chrome, and could not install one. Install Chrome"
    " from google.com/chrome, or on Debian: sudo apt-get install chromium; then run make test again."
)
NO_PLAYWRIGHT = (
    "The browser test drives its browser with Playwright, which does not start here."
    " On Debian: sudo apt-get install libatomic1; then run make test again."
)


@functools.cache
def find_browser() -> str | None:
    """The path of a browser that starts: one on the PATH, or else Playwright's own. May be None."""
    found = (shutil.which(name) for name in NAMES)
    return next((path for path in found if path and starts(path)), None) or playwrights_own()


def starts(path: str) -> bool:
    """Whether it is a browser: Ubuntu's chromium-browser may be no more than a note to install it."""
    return attempt([path, "--version"], seconds=30)


def playwrights_own() -> str | None:
    """The path of the Chromium that `playwright install chromium` left, or None."""
    if not attempt([*PLAYWRIGHT, "--version"], seconds=30):
        return None
    from playwright.sync_api import sync_playwright  # slow, and seldom needed

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if os.path.exists(path) and starts(path) else None


def install_browser() -> None:
    """Try Debian's package where we may, then Playwright's download; find_browser() tells the rest."""
    print("No Chromium and no Chrome found: trying to install one.", flush=True)
    find_browser.cache_clear()
    if os.name == "posix" and os.geteuid() == 0 and shutil.which("apt-get"):
        packages = "chromium fonts-liberation libatomic1"
        attempt(["sh", "-c", f"apt-get update && {APT} {packages}"], seconds=300)
    if find_browser() is None:
        find_browser.cache_clear()
        attempt([*PLAYWRIGHT, "install", "chromium"], seconds=300)


def attempt(command: list[str], seconds: float) -> bool:
    """Run it in silence, not for ever; whether it succeeded."""
    quiet = {
        "stdin": subprocess.DEVNULL,
        "stdout": subprocess.DEVNULL,
        "stderr": subprocess.DEVNULL,
    }
    try:
        return subprocess.run(command, timeout=seconds, **quiet).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


if __name__ == "__main__":
    if find_browser() is None and "--install" in sys.argv:
        install_browser()
    if find_browser() is None:
        sys.exit(NO_BROWSER)
    if not attempt([*PLAYWRIGHT, "--version"], seconds=30):
        sys.exit(NO_PLAYWRIGHT)
    print(f"Browser: {find_browser()}")
