#!/usr/bin/env python3
"""run.py TRACEBRIDGE DATA TRACE...: no name steers the terminal.

Runs every command with names that hold all that could: of files, of members of archives, of commands, options and
values (every option that `help` lists), in manifests, and everywhere in traces: those of DATA (JSON) and TRACE
(Perfetto, FXT) with their texts made hostile. What comes out (messages, info, dump, reports; not the traces that
conversions write) must be UTF-8 without such characters, without a line that a name began, and JSON where it should be;
where a name must show, its escaped form must be there.
"""
import concurrent.futures
import gzip
import io
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tarfile
import tempfile
import xml.dom.minidom
import xml.parsers.expat
import zipfile

STEERING = [*range(0x20), *range(0x7F, 0xA0), 0x61C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A)]
STEERS = {chr(c) for c in STEERING}
# For traces and manifests, which are UTF-8; a line that is begun by a name shows as one that starts with FORGED.
TEXT = "m\x1b[31m\x1b]0;title\x07\nFORGED" + "".join(map(chr, STEERING[1:]))
# For file systems and command lines, which take all but NUL and /.
NAME = TEXT.encode() + bytes(range(0x80, 0xA0)) + b"\xff"
SHOWN = re.compile(rb"m\\(x1b|u001b|033)\[31m\\(x1b|u001b|033)\]0;title\\(x07|u0007|007)\\nFORGED")
PIECES = [chr(c).encode() for c in STEERING[1:]] + [b"\x9b", b"\xff", b"\xe2\x80"]

program, data = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
traces = [pathlib.Path(t).resolve() for t in sys.argv[3:]]
work = pathlib.Path(tempfile.mkdtemp(prefix="names-"))
failures, runs = [], 0
taken = socket.create_server(("127.0.0.1", 0))  # where `open` cannot serve, and so ends


def fail(args, why, output=b""):
    failures.append(f"{[a if isinstance(a, str) else os.fsdecode(a) for a in args]!r}: {why}")
    for line in output.splitlines()[:6]:
        failures.append(f"    {line[:200]!r}")


def check(args, output):
    try:
        text = output.decode()
    except UnicodeDecodeError as error:
        return fail(args, f"no UTF-8: {error}", output[max(0, error.start - 40) : error.start + 40])
    raw = sorted({hex(ord(c)) for c in set(text.replace("\n", "")) & STEERS})
    if raw:
        fail(args, f"raw {', '.join(raw)}", output)
    if re.search("^FORGED", text, re.M):
        fail(args, "a name began a line", output)


def run(*args, shows=False, is_json=False, **how):
    """Runs the program and looks at what it says. Returns its standard output."""
    global runs
    runs += 1
    done = subprocess.run([program, *args], capture_output=True, timeout=120, cwd=work,
                          **{"stdin": subprocess.DEVNULL, **how})
    if not 0 <= done.returncode <= 4 or b"Sanitizer" in done.stderr or b"runtime error" in done.stderr:
        fail(args, f"status {done.returncode}", done.stderr)
    check(args, done.stdout)
    check(args, done.stderr)
    if shows and not SHOWN.search(done.stdout + done.stderr):
        fail(args, "does not show the name", done.stdout + done.stderr)
    if is_json and done.returncode in (0, 4):
        check_json(args, done.stdout)
    return done.stdout


def check_json(args, text):
    try:
        json.loads(text.decode())
    except ValueError as error:
        fail(args, f"no JSON: {error}", text)


def check_page(args, page):
    check(args, page)
    try:
        xml.dom.minidom.parseString(page)
    except xml.parsers.expat.ExpatError as error:
        fail(args, f"no XML: {error}", page)


def run_reported(*args, shows=False, **how):
    """The same with a report as text, as JSON and, of a merge, as a page."""
    run(*args, "--report", "-", shows=shows, **how)
    with tempfile.TemporaryDirectory(dir=work) as place:
        report = os.path.join(place, "report.json")
        run(*args, "--report", report, **how)
        if os.path.exists(report):
            text = pathlib.Path(report).read_bytes()
            check(args, text)
            check_json(args, text)
            if shows and not SHOWN.search(text):
                fail(args, "the report does not show the name", text)
        page = os.path.join(place, "report.html")
        if args[0] == "merge":
            run(*args, "--report", page, **how)
        if os.path.exists(page):
            check_page(args, pathlib.Path(page).read_bytes())


def path(*names):
    """A path below the place of work, of str or bytes."""
    return os.path.join(os.fsencode(work), *(n if isinstance(n, bytes) else n.encode() for n in names))


def write(where, content):
    with open(where, "wb") as file:
        file.write(content)
    return where


# ---- the command line ------------------------------------------------------------------------------------------------


def options_of(command):
    """(name, takes a value) of each option, as help tells."""
    for line in run("help", command).decode().splitlines():
        found = re.match(r"  (?:(-\w), )?(--[\w-]+)( \S+)?$", line)
        if found and found[2] != "--help":
            yield found[2], bool(found[3])
            if found[1]:
                yield found[1], bool(found[3])


def command_lines(commands):
    good = write(path("good.json"), b'{"traceEvents":[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":2}]}')
    out = [b"-o", path("out.pftrace")]
    serves = ["--no-browser", "--port", str(taken.getsockname()[1])]
    serves_none = ["--no-browser", "--port", "0"]  # of a file that is not there, which is known behind the port
    yield dict(args=[NAME], shows=True)
    yield dict(args=["help", NAME], shows=True)
    yield dict(args=["help", "--" + "x", NAME])
    for command in commands:
        ends = {"open": serves, "diff": [good], "info": [], "dump": [], "verify": [],
                "split": [*out, "--by", "process"]}.get(command, out)
        yield dict(args=[command, NAME, *(serves_none if command == "open" else ends)], shows=True)
        yield dict(args=[command, b"--" + NAME, good], shows=True)
        yield dict(args=[command, b"-" + NAME, good])
        yield dict(args=[command, good, b"-" + bytes([NAME[1]])])
        yield dict(args=[command, good, "-\u00fc"])
        for option, takes_value in options_of(command):
            values = [NAME, b"5" + NAME, NAME + b"=" + NAME, NAME + b"=1", good + b"=" + NAME, good + b"=+1" + NAME,
                      b"=" + NAME]
            for value in values:
                if takes_value:
                    yield dict(args=[command, good, *ends, option, value])
                else:
                    yield dict(args=[command, good, *ends, option.encode() + b"=" + value])


# ---- files -----------------------------------------------------------------------------------------------------------


def contents():
    good = b'{"traceEvents":[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":2}]}'
    yield "good", good
    yield "cut", good[:-9]
    yield "damaged", good[:-2] + b',{"ph":}, 7]}'
    yield "empty", b""
    yield "junk", b"no trace at all"
    yield "cut.gz", gzip.compress(good * 200)[:-20]
    yield "text", f'packet {{ {TEXT}: 1 }}\npacket {{ track_event {{ type: {TEXT} name: "'.encode()
    yield "manifest", json.dumps({"perfetto_manifest": {"version": 1, "files": [{"path": TEXT}]}}).encode()


def one_file(kind, content):
    place = path("f" + kind + " ", b"")[:-1] + NAME[:60]
    os.makedirs(place, exist_ok=True)
    name = write(os.path.join(place, NAME + kind.encode()), content)
    other = write(os.path.join(place, b"other.json"), next(contents())[1])
    missing, end = os.path.join(place, b"missing" + NAME), os.path.join(place, NAME + b".pftrace")
    run("info", name, shows=kind == "junk")
    run("info", "--json", name, is_json=True)
    run("verify", name, shows=kind == "junk")
    run("diff", name, name, shows=True)
    if kind == "good":  # nothing relates them, so none is served
        run("open", "--no-browser", "--port", "0", name, other, shows=True)
    for extra in ([], ["--resolve"], ["--events"], ["--strict"], ["--from", "fxt"]):
        run("dump", name, *extra)
    run("dump", name, "-o", os.path.join(place, NAME + b".txt"))
    run("dump", name, "-n", "-o", name, shows=kind == "good")
    run("dump", name, "-o", os.path.join(missing, b"x"), shows=True)
    run("dump", name, "-k", NAME)
    for suffix in (b".pftrace", b".json", b".fxt", b".json.gz"):
        run_reported("convert", name, "-o", os.path.join(place, NAME + suffix), shows=kind == "good")
    for extra in (["--strict"], ["--from", "perfetto"], ["-q"], ["--to", "fxt"]):
        run("convert", name, "-o", end, *extra)
    run("convert", name, "-o", name, "--to", "json", shows=True)
    run("convert", name, "-o", place, "--to", "json", shows=kind == "good")
    run("convert", name, "-o", os.path.join(missing, b"x.json"), shows=True)
    run("convert", name, "-o", os.path.join(place, NAME), shows=True)
    run("convert", name, "-o", end, "--report", os.path.join(missing, b"x"), shows=True)
    run("merge", name, "-o", end, "--report", os.path.join(missing, b"x"))
    run_reported("trim", name, "-o", end, "--start", "0s", shows=kind == "good")
    run("trim", name, "-o", name + b".json", "--last", "1s")
    run_reported("repair", name, "-o", end, shows=kind == "good")
    run_reported("filter", name, "-o", end, "--min-dur", "1us", shows=kind == "good")
    run_reported("split", name, "-o", os.path.join(place, NAME + b".parts"), "--by", "process", "--force",
                 shows=kind == "good")
    run("split", name, "-o", name, "--by", "time=1s", shows=True)
    run("filter", name, "-o", name + b".json", "--name", name, "--process", name, "--max-size", "1k")
    for extra in ([], ["--skip-bad"], ["--unplaced", "drop"], ["--unplaced", "start"], ["--dry-run"],
                  ["--manifest", name]):
        run_reported("merge", name, other, name, "-o", end, *extra, shows=kind == "good" and "start" in extra)
    run("merge", name, other, "-o", end, env={**os.environ, "TMPDIR": os.fsdecode(missing)})
    run("convert", name, "-o", end, "--memory", "1M", env={**os.environ, "TMPDIR": os.fsdecode(missing)})


# ---- archives --------------------------------------------------------------------------------------------------------


def pack(kind, members):
    memory = io.BytesIO()
    if kind == "zip":
        with zipfile.ZipFile(memory, "w") as archive:
            for name, content in members:
                archive.writestr(name.decode(errors="replace"), content)
        return memory.getvalue()
    form = {"gnu": tarfile.GNU_FORMAT, "pax": tarfile.PAX_FORMAT}[kind]
    with tarfile.open(fileobj=memory, mode="w", format=form, encoding="utf-8", errors="surrogateescape") as archive:
        for name, content in members:
            member = tarfile.TarInfo(os.fsdecode(name))
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return memory.getvalue()


def one_archive(kind, what, content):
    name = TEXT.encode() if kind == "zip" else NAME
    good = next(contents())[1]
    place = path("a" + kind + what)
    os.makedirs(place, exist_ok=True)
    archive = write(os.path.join(place, b"a.tar"), pack(kind, [(name + b".json", content), (b"b/" + name, good)]))
    end = os.path.join(place, b"end.pftrace")
    for extra in ([], ["--skip-bad"], ["--unplaced", "drop"], ["--unplaced", "start"],
                  ["--dry-run", "--unplaced", "start"]):
        run_reported("merge", archive, "-o", end, *extra, shows=what == "good")
    run("merge", archive, "-o", end, "--machine", os.fsencode("a.tar") + b"=" + NAME)
    run("merge",
        write(os.path.join(place, b"b.tar"), pack("gnu", [(name, pathlib.Path(os.fsdecode(archive)).read_bytes())])),
        "-o", end)
    for command in ("info", "dump", "convert"):
        run(command, archive)
    single = write(os.path.join(place, b"single.tar"), pack(kind, [(name + b".json", content)]))
    run("info", single, shows=what == "good")
    run("info", "--brief", single, archive, shows=what == "good")
    run("info", "--json", single, is_json=True)
    run("dump", single, "-o", os.path.join(place, b"dump.txt"))
    run_reported("convert", single, "-o", end, shows=what == "good")


def manifests():
    text = {"perfetto_manifest": {"version": 1, "files": [{"path": "good.json", "clocks": [{"id": TEXT}]}]}}
    yield text
    yield {"perfetto_manifest": {"version": 1, "files": [{"path": TEXT}, {"path": "good.json", "machine": TEXT}]}}
    yield {"perfetto_manifest": {"version": 1, "files": [{"path": "good.json", "machine_name": TEXT, TEXT: 1}]}}
    yield {"perfetto_manifest": {"version": 1,
                                 "clocks": [{"clock": TEXT,
                                             "sync_to": {"file": TEXT, "machine": TEXT, "clock": TEXT}}]}}
    yield {"perfetto_manifest": {"version": 1, "trace_clock": TEXT, "machines": [{"name": TEXT}], TEXT: TEXT}}


def one_manifest(number, manifest):
    name = write(path(f"manifest{number}"), json.dumps(manifest, ensure_ascii=False).encode())
    good = write(path("good.json"), next(contents())[1])
    run_reported("merge", good, "-o", path(f"manifest{number}.pftrace"), "--manifest", name)


# ---- texts of traces -------------------------------------------------------------------------------------------------


def hostile_json(value, key=""):
    """Every text but those by which the format is told is lengthened."""
    if isinstance(value, list):
        return [hostile_json(v, key) for v in value]
    if isinstance(value, dict):
        is_metadata = value.get("ph") == "M"
        kept = ("ph", "name") if is_metadata else ("ph",)
        changes = key in ("args", "otherData", "metadata") and "name" not in value
        return {k + TEXT if changes else k: v if k in kept else hostile_json(v, k) for k, v in value.items()}
    return value + TEXT if isinstance(value, str) and key != "systemTraceEvents" else value


def hostile_bytes(content):
    """Every text of at least five letters becomes hostile, its length kept."""
    number = 0

    def piece(found):
        nonlocal number
        left = len(found[0]) - 1
        text = found[0][:1]
        while left > 0:
            add = PIECES[number % len(PIECES)][:left]
            text, left, number = text + add, left - len(add), number + 1
        return text

    return re.sub(rb"[A-Za-z_.]{5,}", piece, content)


LOOKS = (["info"], ["info", "--json"], ["verify"], ["verify", "--json"], ["dump"], ["dump", "--resolve"],
         ["dump", "--events"])
WITHOUT_TEXTS = ("gpu_work.perfetto-trace", "sequence_clocks.perfetto-trace", "small.ftrace", "no_events.json",
                 "cpu_per_uid.perfetto-trace", "chrome_samples.perfetto-trace", "created_threads.perfetto-trace",
                 "packets_alone.perfetto-trace")
CONVERTED = ("everywhere.json", "spaces.json", "args.json", "stacks.json", "small.ftrace")


def one_trace(name, content):
    source = write(path("t " + name), content)
    run("diff", source, "/dev/null")
    said = b"".join(run(*command, source, is_json="--json" in command) for command in LOOKS)
    if b"\\" not in said and name not in WITHOUT_TEXTS:
        fail([source], "shows nothing that is escaped", said)
    for end in ("json", "fxt", "pftrace"):
        run("convert", source, "-o", path(f"t {name} to.{end}"), "--report", "-")
        if name in CONVERTED:
            for command in LOOKS:
                run(*command, path(f"t {name} to.{end}"), is_json="--json" in command)
    run_reported("convert", source, "-o", path(f"t {name} strict.pftrace"), "--strict")
    run_reported("merge", source, path("good.json"), "-o", path(f"t {name} merged.pftrace"), "--unplaced", "start",
                 "--share-flows")


def hostile_traces():
    everywhere = {
        "ph": "X", "name": TEXT, "cat": TEXT, "pid": TEXT, "tid": TEXT, "ts": 5, "dur": 1, "id": TEXT, "scope": TEXT,
        "cname": TEXT,
        "sf": TEXT, "bind_id": TEXT, "flow_out": True, "args": {TEXT: {TEXT: [TEXT, {TEXT: TEXT}]}}, TEXT: TEXT,
    }  # fmt: skip
    events = [dict(everywhere, ph=ph) for ph in [*"XBEbneiICstfPNODcRMvV()SFT", "\u009b", TEXT]]
    names = [dict(everywhere, ph="M", name=name, args={"name": TEXT})
             for name in ("process_name", "thread_name", "process_labels", TEXT)]
    frames = {TEXT: {"name": TEXT, "category": TEXT}}
    facts = ("os-name", "os-version", "cpu-brand", "command_line", "user-agent", "product-version", "revision")
    top = {"traceEvents": events + names, "stackFrames": frames, "otherData": {TEXT: TEXT},
           "metadata": {TEXT: TEXT, **{fact: TEXT for fact in facts}}, TEXT: TEXT}
    yield "everywhere.json", json.dumps(top, ensure_ascii=False).encode()
    yield "spaces.json", json.dumps(top, ensure_ascii=False, indent="\t").replace("\n", "\r\n").encode()
    for file in sorted([*data.glob("phases/*.json"), *data.glob("flows/*.json")]):
        try:
            value = json.loads(file.read_bytes())
        except ValueError:
            continue
        yield file.name, json.dumps(hostile_json(value), ensure_ascii=False).encode()
    for trace in traces:
        yield trace.name, hostile_bytes(trace.read_bytes())
    for trace in data.glob("ftrace/*"):  # lines begin with the name of a task
        lines = [line if line[:1] == b"#" else hostile_bytes(line[:16]) + line[16:]
                 for line in trace.read_bytes().splitlines(True)]
        yield trace.name, b"".join(lines)


def main():
    commands = re.findall(r"^  (\w+) ", run("help").decode().split("commands:")[1].split("--version")[0], re.M)
    commands.remove("help")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        done = [pool.submit(run, *case.pop("args"), **case) for case in list(command_lines(commands))]
        done += [pool.submit(one_file, *case) for case in contents()]
        done += [pool.submit(one_archive, kind, *case) for kind in ("gnu", "pax", "zip") for case in contents()]
        done += [pool.submit(one_manifest, *case) for case in enumerate(manifests())]
        done += [pool.submit(one_trace, *case) for case in hostile_traces()]
        for job in done:
            job.result()
    print("\n".join(failures[:60]))
    print(f"{runs} runs, {sum(not f.startswith('    ') for f in failures)} failures")
    return 1 if failures else 0


try:
    sys.exit(main())
finally:
    shutil.rmtree(work, ignore_errors=True)
