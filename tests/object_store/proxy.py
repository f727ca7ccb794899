"""HTTP servers between Braid and the store: one that is slow or loses answers, and a store that ignores conditions."""

import hashlib
import http.client
import http.server
import socket
import struct
import threading
import time
import urllib.parse


class QuietServer(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request, client_address):
        pass  # clients that are killed


def serve(handler, **state):
    """Starts a server whose handlers see `state` as attributes of `server`; returns it with its `endpoint`."""
    server = QuietServer(("127.0.0.1", 0), handler)
    for name, value in state.items():
        setattr(server, name, value)
    server.endpoint = f"http://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


class Rounds:
    """Answers requests together once no other has come for a while, so that what overlaps counts as one round trip."""

    QUIET_S = 0.03

    def __init__(self):
        self.condition = threading.Condition()
        self.rounds = [[]]  # the requests of each; the last one is still open
        self.last = 0.0

    def wait(self, request):
        with self.condition:
            mine = len(self.rounds)
            self.rounds[-1].append(request)
            self.last = time.monotonic()
            while len(self.rounds) == mine:
                left = self.last + self.QUIET_S - time.monotonic()
                if left <= 0:
                    self.rounds.append([])
                    self.condition.notify_all()
                else:
                    self.condition.wait(left)


class Forward(http.server.BaseHTTPRequestHandler):
    """Passes requests on as they are, so that signatures stay right.

    `delay_s` before each; `lose(method, path, headers)` says that the answer is to be lost; `down`: nobody answers;
    `fault(number)` names what befalls a request, of FAULTS, or is None; `round_trips` are Rounds, or None.
    """

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *arguments):
        pass

    def upstream(self):
        if not hasattr(self, "connection_up"):
            host = urllib.parse.urlsplit(self.server.target).netloc
            self.connection_up = http.client.HTTPConnection(host, timeout=60)
        return self.connection_up

    def handle_one(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        with self.server.lock:
            self.server.requests.append((self.command, self.path))
            fault = self.server.fault(len(self.server.requests))
            self.server.running += 1
            self.server.most_running = max(self.server.most_running, self.server.running)
        try:
            self.pass_on(body, fault)
        finally:
            with self.server.lock:
                self.server.running -= 1

    def pass_on(self, body, fault):
        if self.server.down:
            self.close_connection = True
            return
        time.sleep(self.server.delay_s)
        if self.server.round_trips:
            self.server.round_trips.wait((self.command, self.path))
        lost = self.server.lose(self.command, self.path, self.headers)
        if fault == "reset before":
            return self.reset()
        if fault in ("500", "503"):
            return self.fail(int(fault))
        for attempt in (1, 2):
            connection = self.upstream()
            try:
                connection.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
                for name, value in self.headers.items():
                    if name.lower() != "expect":
                        connection.putheader(name, value)
                connection.endheaders(body or None)
                answer = connection.getresponse()
                content = answer.read()
                break
            except (http.client.HTTPException, OSError):
                del self.connection_up
                if attempt == 2:
                    self.close_connection = True
                    return
        if lost:
            self.close_connection = True
            return
        if fault == "reset after":
            return self.reset()
        if fault == "500 after":
            return self.fail(500)
        self.send_response_only(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in ("transfer-encoding", "connection", "content-length"):
                self.send_header(name, value)
        length = answer.headers.get("Content-Length") if self.command == "HEAD" else str(len(content))
        self.send_header("Content-Length", length or "0")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content[:len(content) // 2] if fault == "truncated" else content)
        if fault == "truncated":
            self.reset()

    def reset(self):
        """Ends the connection as a machine does that goes down: what was sent may get lost."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.wfile.flush()
        self.connection.close()
        self.close_connection = True

    def fail(self, status):
        code, text = {500: ("InternalError", "We encountered an internal error"), 503: ("SlowDown", "Please reduce your request rate")}[status]
        content = f'<?xml version="1.0" encoding="UTF-8"?><Error><Code>{code}</Code><Message>{text}</Message></Error>'.encode()
        self.send_response_only(status)
        self.send_header("Content-Type", "application/xml")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = handle_one


FAULTS = ["reset before", "reset after", "500", "500 after", "503", "truncated"]  # "after": when the store has done it


def forward(target, delay_s=0.0, lose=lambda *arguments: False):
    return serve(Forward, target=target, delay_s=delay_s, lose=lose, fault=lambda number: None, round_trips=None, down=False, requests=[],
                 running=0, most_running=0, lock=threading.Lock())


class Careless(http.server.BaseHTTPRequestHandler):
    """A store that writes whatever the conditions say and checks no signature."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def answer(self, status, content=b"", **headers):
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def do_PUT(self):
        content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.objects[self.path] = content
        self.answer(200, ETag=f'"{hashlib.md5(content).hexdigest()}"')

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        if "list-type" in url.query:
            query = urllib.parse.parse_qs(url.query)
            prefix, bucket = query.get("prefix", [""])[0], url.path.strip("/")
            keys = [key.split("/", 2)[2] for key in self.server.objects if key.startswith(f"/{bucket}/{prefix}")]
            contents = "".join(f"<Contents><Key>{key}</Key><Size>0</Size></Contents>" for key in keys)
            self.answer(200, f"<ListBucketResult><IsTruncated>false</IsTruncated><KeyCount>{len(keys)}</KeyCount>{contents}</ListBucketResult>".encode())
        elif url.path in self.server.objects:
            content = self.server.objects[url.path]
            self.answer(200, content, ETag=f'"{hashlib.md5(content).hexdigest()}"')
        else:
            self.answer(404, b"<Error><Code>NoSuchKey</Code></Error>")

    do_HEAD = do_GET

    def do_DELETE(self):
        self.server.objects.pop(self.path, None)
        self.answer(204)


def careless_store():
    return serve(Careless, objects={})
