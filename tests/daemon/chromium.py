"""A headless Chromium, driven by the DevTools protocol over its pipe; nothing but Python's own library.

`with Browser() as page:` gives a page; page.call("Page.navigate", url=...) sends a command and waits for its result, page.value("1 + 1") evaluates,
page.wait("document.title == 'x'") waits. What the page complains of (exceptions, errors on the console, refused content) collects in page.complaints, and
every address it asks for in page.requests.
"""
import base64
import json
import os
import select
import shutil
import struct
import subprocess
import tempfile
import time
import zlib


def find():
    """The browser's path, or None."""
    return next((path for path in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if path), None)


class Browser:
    def __init__(self, width=1200, height=900):
        self.width, self.height = width, height
        self.next_id, self.session, self.buffer, self.replies = 0, None, b"", {}
        self.complaints, self.requests = [], []

    def __enter__(self):
        self.profile = tempfile.TemporaryDirectory(prefix="cuzk-chromium-", ignore_cleanup_errors=True)
        to_child, self.out = os.pipe()
        self.inp, from_child = os.pipe()

        def pipes():  # the protocol's descriptors are 3 and 4
            a, b = os.dup(to_child), os.dup(from_child)
            os.dup2(a, 3)
            os.dup2(b, 4)

        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions",
                 "--disable-background-networking", "--disable-component-update", "--disable-sync", "--mute-audio", "--hide-scrollbars",
                 "--remote-debugging-pipe", f"--user-data-dir={self.profile.name}", f"--window-size={self.width},{self.height}", "about:blank"]
        self.log = open(os.path.join(self.profile.name, "log"), "w+b")
        self.process = subprocess.Popen([find(), *flags], stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, preexec_fn=pipes,
                                        close_fds=False, env={**os.environ, "HOME": self.profile.name})
        os.close(to_child)
        os.close(from_child)
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Runtime", "Log", "Page", "Network"):
            self.call(f"{domain}.enable")
        return self

    def __exit__(self, *error):
        self.process.kill()
        self.process.wait()
        os.close(self.out)
        os.close(self.inp)
        self.log.close()
        self.profile.cleanup()

    # --- the protocol ---

    def call(self, method, timeout=60, **params):
        self.next_id += 1
        message = {"id": self.next_id, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        end, wanted = time.monotonic() + timeout, self.next_id
        while wanted not in self.replies:
            if not self.read(end - time.monotonic()):
                raise TimeoutError(f"{method}: no answer in {timeout} s")
        reply = self.replies.pop(wanted)
        if "error" in reply:
            raise RuntimeError(f"{method}: {reply['error']}")
        return reply["result"]

    def read(self, timeout):
        """Take in what has come; false when nothing came."""
        ready, _, _ = select.select([self.inp], [], [], max(0, timeout))
        data = os.read(self.inp, 1 << 20) if ready else b""
        if ready and not data:
            self.log.seek(0)
            raise RuntimeError("the browser ended:\n" + self.log.read().decode(errors="replace")[-2000:])
        *messages, self.buffer = (self.buffer + data).split(b"\0")
        for message in messages:
            self.note(json.loads(message))
        return bool(data)

    def note(self, message):
        method, params = message.get("method"), message.get("params", {})
        if "id" in message:
            self.replies[message["id"]] = message
        elif method == "Runtime.exceptionThrown":
            self.complaints.append("exception: " + json.dumps(params["exceptionDetails"])[:500])
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.complaints.append("console: " + json.dumps(params["args"])[:500])
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.complaints.append("log: " + params["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])

    # --- the page ---

    def value(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def wait(self, expression, timeout=30):
        end = time.monotonic() + timeout
        while not self.value(expression):
            if time.monotonic() > end:
                raise TimeoutError(f"not within {timeout} s: {expression}\nthe page says: {self.value('document.body.innerText')}")
            self.read(0.05)

    def screenshot(self):
        """(width, height, rows of RGB bytes, the file), at half the size"""
        clip = {"x": 0, "y": 0, "width": self.width, "height": self.height, "scale": 0.5}
        png = base64.b64decode(self.call("Page.captureScreenshot", format="png", clip=clip)["data"])
        return (*decode_png(png), png)


def decode_png(png):
    """Width, height and rows of an 8-bit RGB or RGBA image [PNG, sections 9 and 10]."""
    at, data = 8, b""
    while at < len(png):
        size, kind = struct.unpack(">I4s", png[at:at + 8])
        chunk = png[at + 8:at + 8 + size]
        if kind == b"IHDR":
            width, height, depth, color = struct.unpack(">IIBB", chunk[:10])
            assert depth == 8 and color in (2, 6)
        elif kind == b"IDAT":
            data += chunk
        at += 12 + size
    step = 3 if color == 2 else 4
    raw, rows, above = zlib.decompress(data), [], bytearray(width * step)
    for y in range(height):
        start = y * (width * step + 1)
        above = unfilter(raw[start], bytearray(raw[start + 1:start + 1 + width * step]), above, step)
        rows.append(above)
    return width, height, [bytes(b for i, b in enumerate(r) if i % step < 3) if step == 4 else bytes(r) for r in rows]


def unfilter(kind, row, above, step):
    for i in range(len(row)):
        left = row[i - step] if i >= step else 0
        corner = above[i - step] if i >= step else 0
        if kind == 1:
            row[i] = row[i] + left & 255
        elif kind == 2:
            row[i] = row[i] + above[i] & 255
        elif kind == 3:
            row[i] = row[i] + (left + above[i] >> 1) & 255
        elif kind == 4:
            p = left + above[i] - corner
            row[i] = row[i] + min((abs(p - left), 0, left), (abs(p - above[i]), 1, above[i]), (abs(p - corner), 2, corner))[2] & 255
    return row
