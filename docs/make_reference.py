#!/usr/bin/env python3
"""make_reference.py HEADERS VERSION: the reference of the library as one HTML page, of the headers' comments.

Each header is a chapter: the comment that it opens with, then each declaration with the comment before it.
"""
import html
import os
import re
import sys

STYLE = ("body { font: 15px sans-serif; max-width: 60em; margin: 1em auto; padding: 0 1em }"
         " pre { background: #f3f3f3; padding: .5em; overflow-x: auto } p, div { white-space: pre-wrap }")
SKIPPED = re.compile(r'#(ifndef|define TRACEBRIDGE_|include|ifdef __cplusplus|endif|if |else)|extern "C"|}$')


def plain(comment):
    """A comment's text without the marks around it."""
    lines = re.sub(r"^/\*+ ?|\s*\*/$", "", comment.strip()).splitlines()
    lines = [re.sub(r"^\s*\* ?", "", line) for line in lines]
    return "\n".join(line for line in lines if not line.startswith("SPDX")).strip()


def blocks(text):
    """(comment, code) of what empty lines part; a comment alone is followed by no code."""
    for block in re.split(r"\n\n+", text):
        match = re.match(r"\s*(/\*.*?\*/)?[ \t]*(.*)", block, re.S)
        comment, code = match.group(1) or "", match.group(2).strip("\n")
        if code and not SKIPPED.match(code):
            yield comment, code


def chapter(name, text):
    intro = re.match(r"/\*.*?\*/", text, re.S).group(0)
    about, _, example = plain(intro).partition("\n\n    ")
    parts = [f'<h2 id="{name}">tracebridge/{name}</h2><p>{html.escape(about)}</p>']
    if example:
        parts.append(f"<pre>{html.escape('    ' + example)}</pre>")
    for comment, code in blocks(text[len(intro):]):
        if re.fullmatch(r"/\* -+.*-+ \*/", comment, re.S):
            parts.append(f"<h3>{html.escape(comment.strip('/*- '))}</h3>")
            comment = ""
        names = [a or b for a, b in re.findall(r"\b(tb_\w+)\(|^(?:struct|enum) (tb_\w+)(?= \{|;)", code, re.M)]
        anchors = "".join(f'<a id="{n}"></a>' for n in dict.fromkeys(names))
        parts.append(f"{anchors}<pre>{html.escape(code)}</pre><div>{html.escape(plain(comment))}</div>")
    return "\n".join(parts)


def main():
    folder, version = sys.argv[1:3]
    names = sorted(n for n in os.listdir(folder) if n.endswith(".h"))
    print(f'<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>tracebridge {version}</title>'
          f"<style>{STYLE}</style><h1>tracebridge {version}</h1><ul>")
    print("\n".join(f'<li><a href="#{n}">tracebridge/{n}</a>' for n in names) + "</ul>")
    for name in names:
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            print(chapter(name, file.read()))
    print("</html>")


main()
