"""Reads the names in the Explorer's scripts: enough to find those that are shadowed or undefined.

No parser of JavaScript comes with Python, and these scripts are written in one style, so names are
found by their surroundings.
"""

import re

WORD = r"[A-Za-z_$][\w$]*"
REGEX = re.compile(
    r"(?<=[(,=:!] )/(?![/ ])(?:\\.|[^/\n])+/\w*|(?<=[(!])/(?![/ ])(?:\\.|[^/\n])+/\w*"
)
KEYWORDS = set(
    "async await break case catch class const continue default else export false for from function "
    "if import in instanceof let new null of return super this throw true try typeof undefined while".split()
)  # fmt: skip


def plain(text):
    """A script in which each template is replaced by the expressions in it, in brackets."""
    out, at = [], 0
    while at < len(text):
        if text[at] == '"':
            end = re.compile(r'"(?:\\.|[^"\\])*"').match(text, at).end()
            out.append(text[at:end])
            at = end
        elif text.startswith("//", at) and text[at - 1] != "\\":
            at = text.find("\n", at)
        elif text[at] == "`":
            inner, at = _template(text, at + 1)
            out.append("(" + ", ".join(plain(x) for x in inner) + ")")
        else:
            out.append(text[at])
            at += 1
    return "".join(out)


def _template(text, at):
    """(the expressions of the template that begins here, where it ends)."""
    found = []
    while text[at] != "`":
        if text[at] == "\\":
            at += 1
        elif text.startswith("${", at):
            start, depth = at + 2, 1
            at = start
            while depth:
                if text[at] == "`":
                    _inner, at = _template(text, at + 1)
                    continue
                depth += {"{": 1, "}": -1}.get(text[at], 0)
                at += 1
            found.append(text[start : at - 1])
            continue
        at += 1
    return found, at + 1


class Script:
    """top: names declared at its top level; local: those declared further in; imports: {name:
    file}; exports; used: all names that stand for a variable."""

    def __init__(self, text):
        text = plain(text)
        self.imports = {}
        for names, file in re.findall(r'^import \{([^}]*)\} from "\./(\w+)\.js";', text, re.M):
            self.imports |= {name.strip(): file for name in names.split(",") if name.strip()}
        body = re.sub(r"^import [^;]*;", "", text, flags=re.M)
        declared = rf"(?:async )?(?:const|let|function) ({WORD})"
        self.top = set(re.findall(rf"^(?:export )?{declared}", body, re.M))
        self.exports = set(re.findall(rf"^export {declared}", body, re.M))
        self.local = set(re.findall(rf"^ .*?\b(?:const|let|function) ({WORD})", body, re.M))
        self.local |= set(re.findall(rf"(?:for \(|\{{ )(?:const|let) ({WORD})", body))
        patterns = re.findall(r"\b(?:const|let) ([\[{][^=;]*?[\]}]) (?:=|of)", body)
        patterns += re.findall(r"\(((?:[^()]|\([^()]*\))*)\) =>", body)
        patterns += re.findall(rf"(?:function )?{WORD}\(((?:[^()]|\([^()]*\))*)\) \{{", body)
        patterns += re.findall(rf"({WORD}) =>", body)
        for pattern in patterns:
            names = re.sub(rf"{WORD}:", "", re.sub(r" = [^,}\])]*", "", pattern))
            self.local |= set(re.findall(rf"(?<![\w$])(?<![^.]\.){WORD}", names))
        bare = re.sub(r'"(?:\\.|[^"\\])*"', '""', body)
        bare = REGEX.sub("0", bare)
        self.methods = set(re.findall(rf"^\s+({WORD})\([^()]*\) \{{", bare, re.M))
        self.methods |= set(re.findall(rf"[{{,] ({WORD})\(\) \{{", bare))
        used = re.findall(rf"(?<![\w$])(?<![^.]\.)(?<!\?\.)({WORD})(?![\w$])(?!:)", bare)
        self.used = set(used) - KEYWORDS - self.methods
