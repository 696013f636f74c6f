#!/usr/bin/env python3
"""run.py TRACEBRIDGE TRACES [--browser UI]: what `tracebridge open` serves, and to whom.

Runs it on traces of the folder TRACES and asks by HTTP what a viewer's page asks, and what others could: those get an
empty answer. The trace that is served is the one that `convert` or `merge` makes, or the file itself; then the program
ends, and nothing of it is left. With --browser the Perfetto UI in the folder UI opens the link in Chromium: its own
query counts the slices, and a page from elsewhere cannot fetch the trace. Without Chromium that is skipped; with
TRACEBRIDGE_FULL set it is a failure.
"""
import contextlib
import functools
import http.client
import http.server
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import chromium  # noqa: E402

program, traces = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
work = pathlib.Path(tempfile.mkdtemp(prefix="open-"))
temporary = work / "temporary"
temporary.mkdir()
environment = os.environ | {"TMPDIR": str(temporary)}
VIEWER = "http://viewer.example"
JSON = '[{"ph":"X","ts":1,"dur":9,"pid":1,"tid":1,"name":"a"},{"ph":"X","ts":2,"dur":3,"pid":1,"tid":1,"name":"b"}]'
failures = []


def expect(holds, what):
    if not holds:
        failures.append(what)


def tracebridge(*words, **how):
    return subprocess.run([program, *words], cwd=work, env=environment, capture_output=True, **how)


class Opened:
    """The program while it serves: its link, and the trace's address in it."""

    def __init__(self, *words, viewer=VIEWER, stdin=None):
        self.process = subprocess.Popen([program, "open", "--no-browser", "--port", "0", "--ui", viewer, *words],
                                        cwd=work, env=environment, stdin=stdin, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE)
        self.link = self.process.stdout.readline().decode().strip()
        where = urllib.parse.urlsplit(self.link.partition("#!/?url=")[2])
        self.port, self.path = where.port, where.path
        expect(self.link.startswith(viewer + "/#!/?url=http://127.0.0.1:"), f"{words}: the link {self.link}")

    def ask(self, method="GET", path=None, host=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.putrequest(method, path or self.path, skip_host=True)
        for name, value in ({"Host": host or f"127.0.0.1:{self.port}"} | headers).items():
            connection.putheader(name, value)
        connection.endheaders()
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer, body

    def fetch_text(self):
        """The viewer's request for the trace, which ends the connection."""
        return (f"GET {self.path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nOrigin: {VIEWER}\r\n"
                "Connection: close\r\n\r\n").encode()

    def fetch(self):
        """As the viewer's page does; then the program ends. Its exit status and the trace."""
        answer, body = self.ask(Origin=VIEWER)
        expect(answer.status == 200, f"the viewer gets {answer.status}")
        expect(answer.headers["Access-Control-Allow-Origin"] == VIEWER, "its pages may read the answer")
        status = self.process.wait(timeout=30)
        self.messages = self.process.stderr.read()
        self.close()
        expect(list(temporary.iterdir()) == [], "a temporary file is left")
        return status, body

    def close(self):
        self.process.stdout.close()
        self.process.stderr.close()


def others_get_nothing():
    opened = Opened("a.json")
    mine = {"Origin": VIEWER}
    for what, method, status, headers in (
            ("no origin", "GET", 403, {}), ("null", "GET", 403, {"Origin": "null"}),
            ("another", "GET", 403, {"Origin": "https://ui.perfetto.dev"}),
            ("a longer one", "GET", 403, {"Origin": VIEWER + ".example.org"}),
            ("another scheme", "GET", 403, {"Origin": "https://viewer.example"}),
            ("another's preflight", "OPTIONS", 403, {"Origin": "http://other.example"}),
            ("a foreign host", "GET", 403, mine | {"host": "viewer.example"}),
            ("a host without our port", "GET", 403, mine | {"host": "127.0.0.1"}),
            ("another path", "GET", 404, mine | {"path": "/trace.perfetto-trace"}),
            ("a path above", "GET", 404, mine | {"path": "/"}), ("POST", "POST", 405, mine), ("PUT", "PUT", 405, mine)):
        answer, body = opened.ask(method, **headers)
        expect(answer.status == status, f"{what}: {answer.status}")
        expect(body == b"", f"{what}: gets {body!r}")
        expect("Access-Control-Allow-Origin" not in answer.headers, f"{what}: is allowed")
    with open("/proc/net/tcp", encoding="ascii") as table:
        listening = [line.split()[1] for line in table if line.split()[3] == "0A" and f":{opened.port:04X} " in line]
    expect(listening == [f"0100007F:{opened.port:04X}"], f"it listens on {listening}")
    answer, body = opened.ask("OPTIONS", Origin=VIEWER)
    expect((answer.status, body) == (204, b""), "the viewer's preflight")
    expect(answer.headers["Access-Control-Allow-Private-Network"] == "true", "a page of the net may ask this machine")
    opened.process.send_signal(signal.SIGINT)
    expect(opened.process.wait(timeout=30) == -signal.SIGINT, "interrupted")
    opened.close()
    expect(list(temporary.iterdir()) == [], "a temporary file is left of an interrupted run")


def half_a_fetch_is_none():
    (work / "long.json").write_text("[" + ",".join('{"ph":"X","ts":%d,"dur":1,"pid":1,"tid":1,"name":"n%d"}' % (i, i)
                                                   for i in range(200000)) + "]")
    opened = Opened("long.json", "-q")
    with socket.create_connection(("127.0.0.1", opened.port)) as half:
        half.sendall(opened.fetch_text())
        half.recv(1000)
    time.sleep(0.3)
    expect(opened.process.poll() is None, "it ends before the trace was fetched")
    status, body = opened.fetch()
    made = tracebridge("convert", "long.json", "--to", "perfetto").stdout
    expect((status, body) == (0, made) and len(made) > 1 << 20, "all of a long trace")


def fetches_that_run_are_not_cut():
    """A slow one gets the rest after a fast one got all; one that hangs for a minute is cut (with TRACEBRIDGE_FULL)."""
    tracebridge("convert", "a.json", "-o", "small.perfetto-trace")
    small = (work / "small.perfetto-trace").read_bytes()
    large = small * ((32 << 20) // len(small))  # more than the kernel takes off the program's hands
    (work / "large.perfetto-trace").write_bytes(large)
    opened = Opened("large.perfetto-trace")
    with socket.socket() as slow:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        slow.settimeout(30)
        slow.connect(("127.0.0.1", opened.port))
        slow.sendall(opened.fetch_text())
        got = slow.recv(65536)
        expect(opened.ask(Origin=VIEWER)[1] == large, "all of a large trace")
        time.sleep(0.5)
        expect(opened.process.poll() is None, "it ends while a fetch runs")
        with contextlib.suppress(ConnectionError):
            got = b"".join([got, *iter(lambda: slow.recv(1 << 20), b"")])
    expect(got.partition(b"\r\n\r\n")[2] == large, f"a slow fetch is cut after {len(got)} of {len(large)} bytes")
    expect(opened.process.wait(timeout=30) == 0, "it ends behind the slow fetch")
    opened.close()
    if not os.environ.get("TRACEBRIDGE_FULL"):
        return
    opened = Opened("large.perfetto-trace")
    with socket.create_connection(("127.0.0.1", opened.port)) as hangs:
        hangs.sendall(opened.fetch_text())
        expect(opened.ask(Origin=VIEWER)[1] == large, "all while another hangs")
        expect(opened.process.wait(timeout=300) == 0, "a fetch that hangs does not keep it")
    opened.close()


def the_format_is_named():
    (work / "twice.json").write_text(JSON)
    for what, status, words in (("one", 0, ["a.json", "--from", "json"]),
                                ("several", 1, ["a.json", "twice.json", "--from", "fxt"]),
                                ("another's", 1, ["a.json", "--from", "fxt"]),
                                ("a Perfetto trace as another", 1, ["small.perfetto-trace", "--from", "fxt"])):
        if status:
            done = tracebridge("open", "--no-browser", "--port", "0", *words)
            expect(done.returncode == status and b"format" in done.stderr, f"--from of {what}: {done}")
        else:
            expect(Opened(*words).fetch()[0] == status, f"--from of {what}")


def traces_are_what_the_commands_make():
    made = tracebridge("convert", "a.json", "--to", "perfetto").stdout
    expect(Opened("a.json").fetch() == (0, made), "a JSON trace is converted")
    opened = Opened("-", stdin=open(work / "a.json", "rb"))
    expect(opened.fetch() == (0, made), "standard input is converted")
    perfetto = sorted(traces.glob("*.perfetto-trace"))[0]
    expect(Opened(str(perfetto)).fetch() == (0, perfetto.read_bytes()), "a Perfetto trace is served as it is")
    for name in ("one", "two"):
        tracebridge("convert", "a.json", "--clock", "realtime", "-o", f"{name}.perfetto-trace")
    merged = tracebridge("merge", "-q", "one.perfetto-trace", "two.perfetto-trace", "-o", "-")
    opened = Opened("one.perfetto-trace", "two.perfetto-trace")
    expect(opened.link.endswith("/merged.perfetto-trace"), f"the name of {opened.link}")
    expect(opened.fetch() == (merged.returncode, merged.stdout), "several traces are merged")
    (work / "cut.json").write_text(JSON[:-20])
    status, _ = Opened("cut.json").fetch()
    expect(status == 4, f"of a cut trace what is readable is shown: {status}")


def what_cannot_be_shown():
    for what, status, said, words in (("no file", 3, b"none.json: cannot open", ["none.json"]),
                                      ("no trace", 1, b"text.txt", ["text.txt"]),
                                      ("an odd viewer", 2, b"no address of http", ["a.json", "--ui", "ftp://x"]),
                                      ("a fragment", 2, b"no address of http", ["a.json", "--ui", "http://x/#y"]),
                                      ("two of which one is bad", 1, b"text.txt", ["a.json", "text.txt"]),
                                      ("nothing relates them", 1, b"options of merge", ["a.json", "cut.json"])):
        done = tracebridge("open", "--no-browser", "--port", "0", *words)
        expect(done.returncode == status and said in done.stderr, f"{what}: {done.returncode} {done.stderr!r}")
        expect(b"the viewer (" not in done.stderr, f"{what}: known before all is converted, and said behind that")
        hint = b"options of merge" in done.stderr
        expect(hint == (b"--unplaced" in done.stderr), f"{what}: options are explained where they are named")
        expect(list(temporary.iterdir()) == [], f"{what}: a temporary file is left")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = tracebridge("open", "a.json", "--no-browser", "--port", str(port))
        expect(done.returncode == 3 and b"port %d of 127.0.0.1" % port in done.stderr, f"a taken port: {done.stderr!r}")
        expect(b"the viewer (" not in done.stderr, "a taken port is known before all is converted")


def the_platform_opens_the_link():
    """A program in place of the platform's opener fetches the trace, as the browser's page would."""
    (work / "bin").mkdir()
    opener = work / "bin/xdg-open"
    opener.write_text(f"""#!{sys.executable}
import os, sys, urllib.request
if os.fork() == 0:
    url = sys.argv[1].partition("url=")[2]
    answer = urllib.request.urlopen(urllib.request.Request(url, headers={{"Origin": "https://ui.perfetto.dev"}}))
    open("{work}/fetched", "wb").write(answer.read())
""")
    opener.chmod(0o755)
    environment["PATH"] = f"{work}/bin:{os.environ['PATH']}"
    done = tracebridge("open", "a.json", "-q", "--port", "0", timeout=60)
    expect((done.returncode, done.stdout, done.stderr) == (0, b"", b""), f"with a browser: {done}")
    made = tracebridge("convert", "a.json", "--to", "perfetto").stdout
    for _ in range(100):
        if (work / "fetched").exists() and (work / "fetched").read_bytes() == made:
            break
        time.sleep(0.1)
    else:
        failures.append("the browser did not get the trace")


# ---- a real viewer ---------------------------------------------------------------------------------------------------

PAGE = """<!doctype html><div id="timeline_data_source" style="display:none"></div>
<main><div id="timeline_main" style="width:1100px;height:800px"></div></main>
<script>document.getElementById('timeline_data_source').textContent = location.hash.split('url=')[1]</script>
<script src="frontend_bundle.js"></script>"""
ASK = """new Promise(done => { const ask = () => {
  try {  /* there is no engine yet */
    globals.dispatch(Actions.executeQuery({engineId: '0', queryId: 'slices', query: 'select count(*) n from slice'}));
    const answer = globals.queryResults.get('slices');
    if (answer && !answer.error && answer.rows.length) return done(JSON.stringify(answer.rows));
  } catch (error) {}
  setTimeout(ask, 500);
}; ask(); })"""


@contextlib.contextmanager
def pages(folder):
    """The viewer's files on a port of their own; its address."""
    class Handler(http.server.SimpleHTTPRequestHandler):
        def do_GET(self):
            if self.path == "/":
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(PAGE.encode())
            else:
                super().do_GET()

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=folder)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def evaluate(browser, expression):
    result = browser.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)["result"]
    return result.get("value", result)


def the_viewer_shows_it(ui):
    made = tracebridge("convert", "a.json", "-o", "shown.perfetto-trace", "-q")
    expect(made.returncode == 0, "convert")
    with pages(ui) as viewer, pages(work) as elsewhere, tempfile.TemporaryDirectory(
            prefix="open-chromium-", ignore_cleanup_errors=True) as profile:
        opened = Opened("a.json", viewer=viewer)
        browser = chromium.Chromium(profile)
        browser.open_tab()
        browser.call("Page.navigate", url=f"{elsewhere}/a.json")
        browser.wait_for("Page.loadEventFired")
        url = opened.link.partition("url=")[2]
        got = evaluate(browser, f"fetch({url!r}).then(a => a.text(), error => error.name)")
        expect(got == "TypeError", f"a page from elsewhere gets {got}")
        browser.call("Page.navigate", url=opened.link)
        browser.wait_for("Page.loadEventFired")
        rows = evaluate(browser, ASK)
        expect(re.search(r'"n":"?2\b', str(rows)), f"the viewer counts {rows}")
        expect(opened.process.wait(timeout=30) == 0, "it ends when the viewer has the trace")
        opened.close()
        browser.close()


def main():
    (work / "a.json").write_text(JSON)
    (work / "text.txt").write_text("no trace, but some words\n" * 100)
    if "--browser" in sys.argv:
        if not chromium.find():
            print("no Chromium")
            return 1 if os.environ.get("TRACEBRIDGE_FULL") else 77
        the_viewer_shows_it(sys.argv[sys.argv.index("--browser") + 1])
    else:
        others_get_nothing()
        half_a_fetch_is_none()
        fetches_that_run_are_not_cut()
        the_format_is_named()
        traces_are_what_the_commands_make()
        what_cannot_be_shown()
        the_platform_opens_the_link()
    print("\n".join(failures) or "ok")
    return 1 if failures else 0


try:
    code = main()
finally:
    shutil.rmtree(work, ignore_errors=True)
sys.exit(code)
