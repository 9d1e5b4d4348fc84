"""The small module behind the notebooks: pictures, one live widget, and the layers they teach."""

from .errors import shorten_tracebacks

shorten_tracebacks()
