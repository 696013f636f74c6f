#!/usr/bin/env python3
"""run.py TRACEBRIDGE SHELL: types beginnings of command lines and a tab into a real shell (bash, zsh, fish)
that has read what `tracebridge help --completion SHELL` prints, and compares the words that it then runs. Exits with 77
where the shell is not installed, with TRACEBRIDGE_FULL set with 1."""

import os
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile

# What is typed before the tab, and the words behind `tracebridge` that follow. A trailing `=` is not looked at: some
# shells write it behind an option that has a value.
CASES = [
    ("conv", ["convert"]),
    ("vers", ["version"]),
    ("convert --fr", ["convert", "--from"]),
    ("convert --from perf", ["convert", "--from", "perfetto"]),
    ("convert --to=f", ["convert", "--to=fxt"]),
    ("convert a_tr", ["convert", "a_trace.json"]),
    ("convert -o a_tr", ["convert", "-o", "a_trace.json"]),
    ("convert a_trace.json --repo", ["convert", "a_trace.json", "--report"]),
    ("merge --unplaced dr", ["merge", "--unplaced", "drop"]),
    ("merge a_trace.json --trace-clock boot", ["merge", "a_trace.json", "--trace-clock", "boottime"]),
    ("merge --align-m", ["merge", "--align-messages"]),
    ("info --js", ["info", "--json"]),
    ("dump --reso", ["dump", "--resolve"]),
    ("dump --unplac", ["dump", "--unplac"]),  # an option of merge alone
    ("help mer", ["help", "merge"]),
    ("help --completion z", ["help", "--completion", "zsh"]),
    ("trim --last 1s a_tr", ["trim", "--last", "1s", "a_trace.json"]),
    ("filter --name a --report a_tr", ["filter", "--name", "a", "--report", "a_trace.json"]),
    ("verify --to fx", ["verify", "--to", "fx"]),  # not an option of verify
    ("repair a_tr", ["repair", "a_trace.json"]),
    ("verify a_trace.json a_tr", ["verify", "a_trace.json", "a_trace.json"]),
    ("redact --to f", ["redact", "--to", "fxt"]),
    ("diff a_trace.json a_tr", ["diff", "a_trace.json", "a_trace.json"]),
    ("open --no-browser a_tr", ["open", "--no-browser", "a_trace.json"]),
    ("filt", ["filter"]),
    ("rep", ["repair"]),
    ("red", ["redact"]),
    ("ver", ["ver"]),  # verify and version
]


def beginnings(program):
    """Of each command, each long option that help has, typed as far as it is no other one's beginning."""
    def help_on(*words):
        return subprocess.run([program, "help", *words], stdout=subprocess.PIPE, text=True, check=True).stdout
    found = []
    listed = help_on().split("commands:\n")[1].split("\n\n")[0]
    for command in re.findall(r"^  ([a-z]+) ", listed, re.MULTILINE):
        if command in ("help", "version"):
            continue
        options = re.findall(r"^  (?:-\w, )?(--[a-z-]+)", help_on(command), re.MULTILINE)
        for option in options:
            most = max([len(os.path.commonprefix([option, other])) for other in options if other != option] + [2])
            if most < len(option):
                found.append((f"{command} {option[:most + 1]}", [command, option]))
    return found

SHELLS = {
    "bash": (["bash", "--norc", "--noprofile", "-i"],
             "source {script}; tracebridge() {{ printf '<%s>' \"$@\"; echo '<e''nd>'; }}"),
    "zsh": (["zsh", "-f", "-i"],
            "autoload -Uz compinit; compinit -u -D; source {script}; setopt no_beep; "
            "tracebridge() {{ printf '<%s>' \"$@\"; echo '<e''nd>'; }}"),
    "fish": (["fish", "--no-config", "-i"],
             "source {script}; function tracebridge; printf '<%s>' $argv; echo '<e''nd>'; end"),
}


class Shell:
    """A shell on a terminal of its own."""

    def __init__(self, words, folder):
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            env = {"PATH": os.environ["PATH"], "HOME": folder, "TERM": "dumb", "LC_ALL": "C.UTF-8"}
            os.execvpe(words[0], words, env)

    def type(self, text):
        os.write(self.terminal, text.encode())

    def read_to(self, pattern):
        """Reads until the pattern is found; its match."""
        seen = ""
        while True:
            found = re.search(pattern, seen)
            if found:
                return found
            if not select.select([self.terminal], [], [], 60)[0]:
                sys.exit(f"completions: the shell is silent after {seen!r}")
            seen += os.read(self.terminal, 4096).decode(errors="replace")

    def run(self, line):
        """The words with which `tracebridge` is called."""
        self.type(line + "\n")
        found = self.read_to(r"((?:<[^<>\r\n]*>)*)<end>\r")
        return [word.rstrip("=") for word in re.findall("<([^<>]*)>", found[1])]

    def close(self):
        self.type("\x03\nexit\n")
        os.close(self.terminal)
        os.waitpid(self.pid, 0)


def main():
    program, name = os.path.realpath(sys.argv[1]), sys.argv[2]
    if not shutil.which(name):
        print(f"completions: {name} is not installed")
        return 1 if os.environ.get("TRACEBRIDGE_FULL") else 77
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(folder, "script")
        with open(script, "wb") as file:
            subprocess.run([program, "help", "--completion", name], stdout=file, check=True)
        open(os.path.join(folder, "a_trace.json"), "w").close()
        words, setup = SHELLS[name]
        shell = Shell(words, folder)
        shell.type(setup.format(script=script) + "\n")
        if shell.run("tracebridge ready") != ["ready"]:
            sys.exit("completions: the shell did not start")
        cases = CASES + beginnings(program)
        for typed, wanted in cases:
            got = shell.run(f"tracebridge {typed}\t")
            if got != wanted:
                print(f"{name}: 'tracebridge {typed}' and a tab: {got}, not {wanted}")
                wrong += 1
        shell.close()
    print(f"{name}: {len(cases)} completions, {wrong} wrong")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
