#!/usr/bin/env python3
"""run.py TRACEBRIDGE [--made FOLDER] [--node NODE] [--cc COMPILER] [--update | --first] PAGE...

What the documents have people run works as they show it. Runs each fenced block of a page, in order, in a folder that
is empty but for what pages.py puts there, with `tracebridge` in PATH:

  ```sh       by bash, which stops at the first failure; its exit status has to be 0
  ```python   by python3
  ```sql      by Perfetto's trace processor on the trace that the first line, `-- NAME`, names; left out where there is
              no node
  ```c        is compiled by the C compiler, warnings are errors: a program, or what is inside of a function, behind
              its #include
  ```console  lines `$ COMMAND` by bash, each followed by what it prints
  ```         what the block before printed (standard output and standard error): each line as it is. A line `...` is
              any number of lines. Nothing else may differ: what is run takes no time of day and no chance without a
              seed.

The page "help" is the examples of `tracebridge help COMMAND`, each a block of its own, in the section COMMAND; the man
pages have to have the same ones.

--update writes what is printed into the page where it is not what is shown; --first ends a page at its first fault.
A fence that people are not to run has a reason right before it: <!-- not run: REASON -->. Any other fence is a fault.
A section that pages.py gives a folder of its own begins with that folder; where its files are of the corpus and
TRACEBRIDGE_CORPUS is not set, it is left out, and the last line says so. Exit status 0 when all is as the pages show.
"""
import argparse
import glob
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import pages

HERE = pathlib.Path(__file__).resolve().parent
TREE = HERE.parent.parent
FENCE = re.compile(r"^(`{3,})\s*(\S*)")
HEADING = re.compile(r"^#{1,6} (.+)")
NOT_RUN = re.compile(r"^<!-- not run: .+ -->$")
LANGUAGES = ("sh", "python", "sql", "c", "console", "")
SECONDS_MAX = 300


class Block:
    def __init__(self, line, language, section, is_run):
        self.line, self.language, self.section, self.is_run, self.lines = line, language, section, is_run, []

    @property
    def text(self):
        return "".join(f"{line}\n" for line in self.lines)


def blocks_of(text):
    """The fenced blocks of a page, each with the heading that it is below."""
    blocks, fence, section, before = [], None, "", ""
    for number, line in enumerate(text.splitlines(), 1):
        if fence:
            if line.rstrip() == fence:
                fence = None
            else:
                blocks[-1].lines.append(line)
        elif match := FENCE.match(line):
            fence = match[1]
            blocks.append(Block(number, match[2], section, not NOT_RUN.match(before)))
        elif match := HEADING.match(line):
            section = match[1]
        before = line
    if fence:
        raise ValueError("a fence is not closed")
    return blocks


def agrees(shown, real):
    """Whether the lines `real` are the lines `shown`, of which each ... may be any number of lines."""
    if not shown:
        return not real
    if shown[0] == "...":
        return any(agrees(shown[1:], real[at:]) for at in range(len(real) + 1))
    return bool(real) and shown[0] == real[0] and agrees(shown[1:], real[1:])


def output_of(program, *args):
    return subprocess.run([program, *args], capture_output=True, text=True, check=True).stdout


def help_page(program):
    """The examples of the program's help as a page."""
    commands = re.findall(r"^  (\w+) ", output_of(program, "help").split("commands:")[1].split("\n\n")[0], re.M)
    page, examples = [], []
    for command in commands:
        _, _, shown = output_of(program, "help", command).partition("\nexamples:\n")
        own = re.findall(r"^  (\S.*)$", shown, re.M)
        if own:
            page += [f"## {command}", *(f"```sh\n{example}\n```" for example in own)]
        _, _, manual = output_of(program, "help", "--man", command).partition("\n.SH EXAMPLES") if own else ("", "", "")
        if own != [line.replace("\\", "") for line in re.findall(r"^\.B (.*)$", manual, re.M)]:
            raise ValueError(f"the man page of {command} has other examples than its help")
        examples += own
    if not examples:
        raise ValueError("no command's help has examples")
    return "\n".join(page)


def lines_of(text):
    return [line.rstrip() for line in text.rstrip().splitlines()]


def table(text):
    """Rows of tab-separated cells as a table, columns padded."""
    rows = [line.split("\t") for line in text.splitlines()]
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))] if rows else []
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)) for row in rows)


class Runner:
    def __init__(self, page, given):
        self.page, self.given = page, given
        self.faults, self.left_out, self.runs = [], [], 0
        self.outdated = []  # (first line, last line, what is printed) of what a page shows wrongly
        bin_folder = tempfile.TemporaryDirectory(prefix="docs-bin-")
        self.kept = [bin_folder]
        os.symlink(given.program, os.path.join(bin_folder.name, "tracebridge"))
        self.environment = {**os.environ, "PATH": f"{bin_folder.name}:bin:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}

    def ended(self):
        return self.given.first and bool(self.faults)

    def fault(self, block, what):
        self.faults.append(f"{self.page}:{block.line}: {what}")

    def folder(self, section):
        """A folder with the section's files; None where they cannot be had here."""
        work = tempfile.TemporaryDirectory(prefix="docs-")
        self.kept.append(work)
        for name, source in pages.files_of(self.page, section).items():
            if source == "PROGRAM":
                os.makedirs(os.path.join(work.name, os.path.dirname(name)), exist_ok=True)
                os.symlink(self.given.program, os.path.join(work.name, name))
                continue
            root, _, pattern = source.partition("/")
            if root == "CORPUS" and not os.environ.get("TRACEBRIDGE_CORPUS"):
                return None
            roots = {"MADE": self.given.made, "TREE": str(TREE), "CORPUS": os.environ.get("TRACEBRIDGE_CORPUS")}
            found = sorted(glob.glob(f"{roots[root]}/{pattern}"))
            if not found:
                raise FileNotFoundError(f"pages.py: no {source}")
            for file in found:
                where = pathlib.Path(work.name, name or os.path.basename(file))
                where.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file, where)
        if script := pages.PREPARE.get(f"{self.page}#{section}"):
            subprocess.run(self.command("sh", script, work.name), cwd=work.name, env=self.environment, check=True)
        return work.name

    def command(self, language, text, folder):
        if language == "sh":
            return ["bash", "-eu", "-o", "pipefail", "-c", text]
        if language == "python":
            return [sys.executable, "-c", text]
        if language == "c":
            includes = "".join(line for line in text.splitlines(True) if line.startswith("#include"))
            inside = "".join(line for line in text.splitlines(True) if not line.startswith("#include"))
            made = f"#include <stdio.h>\n{includes}int main(void) {{\n{inside}return 0;\n}}\n"
            whole = text if "main(" in text else made
            pathlib.Path(folder, "shown.c").write_text(whole, encoding="utf-8")
            return [self.given.cc, "-std=c11", "-Wall", "-Wextra", "-Werror", f"-I{TREE}/bridge/include",
                    "-fsyntax-only", "shown.c"]
        first, _, query = text.partition("\n")
        if not (name := re.match(r"^-- (\S+)$", first)):
            raise ValueError("its first line does not name a trace: -- NAME")
        return [self.given.node, str(HERE / "query.mjs"), name[1], query]

    def run(self, block, language, text, folder):
        """What the text of a block prints, as lines; None where it failed or cannot be run here."""
        if (language == "sql" and not self.given.node) or (language == "c" and not self.given.cc):
            return None
        try:
            command = self.command(language, text, folder)
        except ValueError as error:
            return self.fault(block, str(error))
        done = subprocess.run(command, cwd=folder, env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", timeout=SECONDS_MAX)
        self.runs += 1
        if done.returncode != 0:
            return self.fault(block, f"exit status {done.returncode}:\n{done.stdout}")
        return lines_of(table(done.stdout) if language == "sql" else done.stdout)

    def compare(self, block, first, shown, printed):
        """`shown` are the page's lines from `first` on."""
        if printed is not None and not agrees([line.rstrip() for line in shown], printed):
            self.fault(block, "what is shown is not what is printed:\n" + "\n".join(printed))
            self.outdated.append((first, first + len(shown), printed))

    def run_session(self, block, folder):
        commands = []  # [line, command, what is shown]
        for line, text in enumerate(block.lines, block.line + 1):
            if text.startswith("$ "):
                commands.append((line + 1, text[2:], []))
            elif commands:
                commands[-1][2].append(text)
            else:
                return self.fault(block, "it does not begin with a command: $ COMMAND")
        for first, command, shown in commands:
            self.compare(block, first, shown, self.run(block, "sh", command, folder))
        return None

    def run_section(self, blocks, folder):
        printed = None  # by the block before; None where nothing can be compared
        has_run = False
        for block in blocks:
            may_show, has_run = has_run, False
            if self.ended():
                break
            if not block.is_run:
                continue
            if block.language not in LANGUAGES:
                self.fault(block, f"a block of {block.language!r}: nothing here runs it, and no reason says why")
            elif block.language == "console":
                self.run_session(block, folder)
            elif block.language:
                printed, has_run = self.run(block, block.language, block.text, folder), True
            elif may_show:
                self.compare(block, block.line + 1, block.lines, printed)
            else:
                self.fault(block, "it shows what no block before it printed")

    def run_page(self, text):
        blocks = blocks_of(text)
        headings = [match[1] for line in text.splitlines() if (match := HEADING.match(line))]
        for section in pages.sections_of(self.page):
            if section and section not in headings:
                self.faults.append(f"{self.page}: pages.py has its section {section!r}, and the page has not")
        groups = []  # [section of pages.py, blocks]: the first is the page's; what follows another goes on with it
        for block in blocks:
            own = block.section if block.section in pages.sections_of(self.page) else ""
            if not groups or groups[-1][0] != own:
                groups.append((own, []))
            groups[-1][1].append(block)
        folders = {}
        for section, members in groups:
            if self.ended():
                break
            if section not in folders:
                folders[section] = self.folder(section)
            if folders[section] is None:
                self.left_out.append(f"{self.page}, {section or 'all of it'}: TRACEBRIDGE_CORPUS is not set")
            else:
                self.run_section(members, folders[section])
        if not blocks:
            self.faults.append(f"{self.page}: nothing to run")


def update(page, text, outdated):
    lines = text.splitlines()
    for first, last, printed in sorted(outdated, reverse=True):
        lines[first - 1:last - 1] = printed
    pathlib.Path(page).write_text("\n".join(lines) + "\n", encoding="utf-8")


def main():
    options = argparse.ArgumentParser(
        usage="run.py TRACEBRIDGE [--made FOLDER] [--node NODE] [--cc COMPILER] [--update | --first] PAGE...")
    options.add_argument("program", type=os.path.abspath)
    options.add_argument("pages", nargs="+")
    options.add_argument("--made", type=os.path.abspath, help="where the build made traces of tests/data")
    options.add_argument("--node", help="runs the trace processor")
    options.add_argument("--cc", help="the C compiler")
    options.add_argument("--update", action="store_true", help="write what is printed into the pages")
    options.add_argument("--first", action="store_true", help="end a page at its first fault")
    given = options.parse_args()
    faults = []
    needed = (("sql: no --node", given.node), ("c: no --cc", given.cc))
    left_out = [f"blocks of {what}" for what, by in needed if not by]
    for page in given.pages:
        is_help = page == "help"
        text = help_page(given.program) if is_help else pathlib.Path(page).read_text(encoding="utf-8")
        runner = Runner(page if is_help else os.path.relpath(page, TREE), given)
        runner.run_page(text)
        if given.update and not is_help:
            update(page, text, runner.outdated)
        faults += runner.faults
        left_out += runner.left_out
        print(f"{'FAIL' if runner.faults else 'PASS'} {page}: {runner.runs} blocks run, {len(runner.faults)} faults")
    print("\n".join(faults), end="\n" if faults else "")
    for what in left_out:
        print(f"left out: {what}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
