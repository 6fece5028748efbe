"""Turns titles into URL slugs."""

import re


def slugify(title, separator="-"):
    """The words of a title in lower case, joined by the separator."""
    words = re.findall(r"[a-z]+", title.lower())
    return separator.join(words)
