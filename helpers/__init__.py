"""The small module behind the notebooks: pictures, one live widget, and the layers they teach."""
