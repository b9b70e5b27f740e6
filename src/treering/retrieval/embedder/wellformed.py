"""Text that a tokenizer or a JSON body accepts."""

import re

_UNFIT = re.compile("[\0\ud800-\udfff]")


def well_formed(text: str) -> str:
    """The text as valid Unicode without NULs, for embedding alone.

    Two surrogates that make a pair become their character, a lone one U+FFFD, a NUL a space.
    """
    if _UNFIT.search(text) is None:
        return text
    paired = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return paired.replace("\0", " ")
