"""Small languages made by rules, which know what is right: a module for each."""
