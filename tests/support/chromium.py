"""Chromium without a window, by its DevTools protocol over a pipe. It reaches no host but this machine."""
import fcntl
import itertools
import json
import os
import shutil
import subprocess

OPTIONS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-sync",
           "--disable-background-networking", "--disable-component-update", "--window-size=1200,1000",
           "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--remote-debugging-pipe"]



def find():
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


class Chromium:
    """The program with its messages, which are JSON with a NUL behind each."""

    def __init__(self, profile):
        theirs, self.to = (fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 10) for fd in os.pipe())
        self.answers, other = (fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 10) for fd in os.pipe())

        def give_pipes():
            os.dup2(theirs, 3)
            os.dup2(other, 4)

        self.process = subprocess.Popen([find(), *OPTIONS, f"--user-data-dir={profile}", "about:blank"],
                                        preexec_fn=give_pipes, pass_fds=(3, 4), stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(theirs)
        os.close(other)
        self.rest, self.events, self.numbers, self.session = b"", [], itertools.count(1), None

    def receive(self):
        while b"\0" not in self.rest:
            got = os.read(self.answers, 1 << 16)
            if not got:
                raise RuntimeError("Chromium ended")
            self.rest += got
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        number = next(self.numbers)
        message = {"id": number, "method": method, "params": parameters} | ({"sessionId": self.session}
                                                                            if self.session else {})
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.to, data):]
        while True:
            answer = self.receive()
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def wait_for(self, method):
        while not any(event.get("method") == method for event in self.events):
            self.events.append(self.receive())

    def open_tab(self):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def close(self):
        self.session = None
        self.call("Browser.close")
        self.process.wait()
