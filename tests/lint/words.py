#!/usr/bin/env python3
"""Finds the words that docs/GLOSSARY.md replaces ("not" column) in names, comments, documents and messages.

It fails, too, where the page has more than TERMS_MAX terms.
Most entries are looked for as a word, in the singular and the plural, and as a part of a name (`put away`: put_away).
Where an entry is also an ordinary word, CONTEXT says in which company it has the old meaning.
usage: words.py [--count] [FILE...]   without files: all that git knows
"""
import re
import subprocess
import sys

EXEMPT = re.compile(r"^(CHANGELOG\.md|docs/history/|docs/GLOSSARY\.md|tests/lint/words|tests/data/[^.]*/|protos/|"
                    r"tests/golden/expected/)")
TERMS_MAX = 60
CODE = (".c", ".h", ".cpp")
SCRIPTS = (".sh", ".py", ".mjs", ".cmake", "CMakeLists.txt")
DOCUMENTS = (".md",)
# String literals of these folders are messages; elsewhere they are data of tests.
MESSAGES = re.compile(r"^(bridge|merge|toolbox|cli)/")

# entry: (pattern in prose, pattern in names; None: not looked for there)
CONTEXT = {
    "moment": (r"\bMOMENTS?\b", r"^(tb_.*|TB_.*)_(moment|MOMENT)$|^moment$"),
    "told flow": (r"\btold flows?\b", r"(^|_)(told_flow|flows?_told|FLOWS_TOLD)"),
    # a surrogate without its partner is called so by Unicode
    "lone": (r"\blone\b(?! surrogates?)", r"(^|_)lone(_|$)(?!surrogate)"),
    # "besides" is another word
    "beside": (r"\b[Bb]eside\b", r"(^|_)beside(_|$)"),
    "in hand": (r"\bin hand\b", r"(^|_)in_hand(_|$)|^hand$"),
    "tell": (r"\btells? of\b", r"(^|_)tells?(_|$)"),
    # "told apart" and "told from" are reworded too: one rule without exceptions
    "told": (r"\btold\b", r"(^|_)told(_|$)"),
    "held event": (r"\bheld (events?|sequences?)\b|\bheld\.[ch]\b", r"^tb_held(_|$)"),
    "straight": (r"\bstraight\b(?! lines?\b)", r"(^|_)straight(_|$)(?!line)"),
    "ended": (r"\bended (sequences?|threads?)\b|\bended\.[ch]\b", r"^tb_ended(_|$)|^ended_(sequence|state|walk)"),
    "take back": (r"\b(takes?|taken|took|taking) back\b", r"(^|_)(takes?|taken|taking)_back(_|$)"),
    "put away": (r"\b(puts?|putting) (\w+ )?away\b", r"(^|_)(put|puts|putting)_(\w+_)?away(_|$)"),
    "put aside": (r"\b(puts?|putting) (\w+ )?aside\b", r"(^|_)aside(_|$)"),
    "loose": (r"\bloosen?s?\b", r"(^|_)loosen?s?(_|$)"),
    # stray_not_expected is a counter of the kernel's
    "stray": (r"\bstrays?\b", r"(^|_)(stray|STRAY)(_|$)(?!not_expected)"),
    # "end too early" is a message about data that is cut
    "early": (r"\b([Ee]arly (ends?|ENDs?|begins?)|(?:is|are|[Ww]hat is) early)\b(?! as)",
              r"(^|_)(?<!too_)(?<!end_)(early|EARLY)(_|$)"),
    # a stranger is a person; a home, a directory
    "stranger": (r"\bstranger'?s? (formats?|traces?)\b", r"(^|_)strangers?(_|$)"),
    "over": (r"\b(is|are|be|was|were) over\b(?! (the|a|an|its|their|\d))", r"^(is_|ends?_|\w+lanes_)?over$"),
    # descriptors and texts are in pools too
    "pool": (r"\bpools? of lanes\b|\blanes? of (one|the|a|its) pool\b", r"^pools$|(^|_)lane_pools?(_|$)"),
    # evidence that is weak is a guess
    "guess": (r"\b[Gg]uess(es|ed)? (of |at )?(the )?(next )?(keys?|ids?|types?)\b", r"(^|_)guess(es)?(_|$)"),
    "rest": (r"\b(resting|lanes? (that )?rests?)\b", r"(^|_)resting(_|$)"),
    "rests": (r"\brests\b|\b[Oo]ne rest\b", r"(^|_)rests(_|$)|^tb_fxt_\w*rest$"),
    "home": (r"\bhomes?\b(?! (directory|folder))", r"(^|_)homes?(_|$)|PROVIDER_HOME"),
    "lie": (r"\b(lies?|lying|lain)\b", r"(^|_)lies?(_|$)"),
    "give back": (r"\b(gives?|given|gave|giving) (it |them |all |what \w+ )?back\b", r"(^|_)(gives?|given)_back(_|$)"),
    # what stands for something is its symbol
    "stand": (r"\b(stands?|stood|standing)\b(?! for\b)", r"(^|_)(stands?|stood)(_|$)(?!for(_|$))"),
    # buffers have room
    "room": (r"\brooms\b", r"(^|_)rooms(_|$)"),
}

LITERAL = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|/\*.*?\*/|//[^\n]*', re.S)
SCRIPT_COMMENT = re.compile(r"(?:^|(?<=\s))(?:#|//)(?!!)[^\n]*", re.M)
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
INCLUDE = re.compile(r"^\s*#\s*include[^\n]*", re.M)


def entries(path):
    """The words of the third column, in the order of the page; and how many terms it has."""
    words, terms = [], 0
    for line in open(path, encoding="utf-8"):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.startswith("|") and len(cells) == 3 and cells[2] not in ("not", "---"):
            words += re.findall(r"`([^`]+)`", cells[2])
            terms += 1
    return words, terms


def patterns(word):
    if word in CONTEXT:
        prose, name = CONTEXT[word]
    else:
        prose = r"\b" + word.replace(" ", r"\s") + r"(s|es|ed)?\b"
        name = r"(^|_)" + word.replace(" ", "_") + r"s?(_|$)"
    return re.compile(prose, 0 if word in CONTEXT else re.I), re.compile(name, 0 if word in CONTEXT else re.I)


def pieces(path, text):
    """What `text` consists of: ("prose" or "name", line, words)."""
    def line_of(at):
        return text.count("\n", 0, at) + 1

    def prose(match, strip=0):
        body = match.group(0)[strip:]
        return "prose", line_of(match.start()), re.sub(r"\s*\n\s*\*?\s*", " ", body)

    if path.endswith(DOCUMENTS):
        for number, line in enumerate(text.split("\n"), 1):
            code = re.findall(r"`[^`]*`", line)
            yield "prose", number, re.sub(r"`[^`]*`", "`", line)
            for name in NAME.findall(" ".join(code)):
                yield "name", number, name
        return
    if path.endswith(SCRIPTS):
        for match in SCRIPT_COMMENT.finditer(text):
            yield prose(match, 1)
        return
    text = INCLUDE.sub("", text)
    blank = list(text)
    for match in LITERAL.finditer(text):
        comment = match.group(0).startswith("/")
        if comment or (MESSAGES.match(path) and match.group(0).startswith('"')):
            yield prose(match)
        blank[match.start():match.end()] = [c if c == "\n" else " " for c in match.group(0)]
    for number, line in enumerate("".join(blank).split("\n"), 1):
        for name in NAME.findall(line):
            yield "name", number, name


def check(path, words):
    found = []
    for part in re.split(r"[/.]", path):
        found += [(word, 0, "file name " + path) for word, (_, name) in words.items() if name.search(part)]
    try:
        text = open(path, encoding="utf-8").read()
    except (UnicodeDecodeError, FileNotFoundError):
        return found
    seen = set()
    for kind, line, piece in pieces(path, text):
        if (kind, piece) in seen and kind == "name":
            continue
        seen.add((kind, piece))
        for word, (prose, name) in words.items():
            match = (prose if kind == "prose" else name).search(piece)
            if match:
                found.append((word, line, piece[max(0, match.start() - 40):match.end() + 40]))
    return found


def main():
    arguments = [a for a in sys.argv[1:] if a != "--count"]
    listing = arguments or subprocess.check_output(["git", "ls-files"], text=True).split("\n")
    replaced, terms = entries("docs/GLOSSARY.md")
    if terms > TERMS_MAX:
        sys.exit(f"words: docs/GLOSSARY.md has {terms} terms, more than {TERMS_MAX}")
    words = {word: patterns(word) for word in replaced}
    if not words:
        sys.exit("words: docs/GLOSSARY.md has no words in its third column")
    for word in CONTEXT.keys() - words.keys():
        sys.exit(f"words: CONTEXT has {word!r}, which docs/GLOSSARY.md has not")
    total = 0
    counts = {}
    for path in listing:
        if EXEMPT.match(path) or not path.endswith(CODE + SCRIPTS + DOCUMENTS):
            continue
        for word, line, where in check(path, words):
            total += 1
            counts[word] = counts.get(word, 0) + 1
            if "--count" not in sys.argv:
                print(f"{path}:{line}: {word}: {where}")
    if "--count" in sys.argv:
        print(" ".join(f"{word}:{n}" for word, n in sorted(counts.items())), "total:", total)
    if total:
        sys.exit(f"words: {total} uses of words that docs/GLOSSARY.md replaces")


if __name__ == "__main__":
    main()
