"""A server whose answers a test writes."""

from __future__ import annotations

import json
import queue
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

SOON = 20.0


@dataclass
class Call:
    method: str
    path: str
    headers: dict[str, str]
    body: Any

    @property
    def name(self) -> str:
        return self.path.split("?")[0].removeprefix("/callback/")


@dataclass
class Reply:
    status: int = 200
    body: Any = None
    headers: dict[str, str] | None = None
    raw: bytes | None = None
    hang_up: bool = False
    stall: float = 0.0
    """Seconds until the connection ends after what was sent."""


class FakeServer:
    """Answers each request with ``answer(call)``; ``calls`` has what was asked."""

    def __init__(self, answer: Callable[[Call], Reply], port: int = 0):
        self.answer = answer
        self.calls: list[Call] = []
        self.heard: queue.Queue[Call] = queue.Queue()
        fake = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_one(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                content = self.rfile.read(length)
                call = Call(
                    self.command,
                    self.path,
                    {k.lower(): v for k, v in self.headers.items()},
                    json.loads(content) if content else None,
                )
                fake.calls.append(call)
                reply = fake.answer(call)
                fake.heard.put(call)
                if reply.hang_up:
                    self.connection.shutdown(socket.SHUT_RDWR)
                    self.close_connection = True
                    return
                body = reply.raw if reply.raw is not None else json.dumps(reply.body).encode()
                if reply.status in (204, 304):
                    body = b""
                self.send_response(reply.status)
                for name, value in (reply.headers or {}).items():
                    self.send_header(name, value)
                if "Content-Length" not in (reply.headers or {}):
                    self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
                time.sleep(reply.stall)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_one

            def log_message(self, *_: Any) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            allow_reuse_address = True

            def handle_error(self, *_: Any) -> None:
                pass  # a client that went away

        self._server = Server(("127.0.0.1", port), Handler)
        self.port = self._server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self._server.serve_forever, args=[0.05], daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class Plane(FakeServer):
    """The control plane as bots see it."""

    def __init__(self) -> None:
        self.commands: dict[str, dict[str, Any]] = {}
        self.sounds: dict[str, bytes] = {}
        self.changed = threading.Condition()
        self.failures = 0
        self.failing: dict[str, int] = {}
        """How often each of these calls is answered 503 before it is taken."""
        self.status = 200
        self.garbage = False
        self.closing = False
        super().__init__(self._answer)

    def command(self, id: str, action: str, **more: Any) -> None:
        with self.changed:
            self.commands[id] = {"id": id, "action": action, **more}
            self.changed.notify_all()

    def names(self) -> list[str]:
        return [call.name for call in self.calls if call.name != "commands"]

    def last(self, name: str) -> Call:
        return [call for call in self.calls if call.name == name][-1]

    def await_call(self, name: str, fits: Callable[[Call], bool] = lambda _: True) -> Call:
        while True:
            call = self.heard.get(timeout=SOON)
            if call.name == name and fits(call):
                return call

    def acknowledged(self, id: str) -> Any:
        """The next acknowledgement of a command."""
        return self.await_call("ack", lambda call: call.body["command_id"] == id).body

    def await_calls(self, *names: str) -> None:
        """Waits for each of them, in whatever order they come."""
        missing = set(names)
        while missing:
            missing.discard(self.heard.get(timeout=SOON).name)

    def close(self) -> None:
        with self.changed:
            self.closing = True
            self.changed.notify_all()
        super().close()

    def _answer(self, call: Call) -> Reply:
        with self.changed:
            if call.name == "commands":
                self.changed.wait_for(lambda: self.commands or self.closing or self.status != 200)
            elif self.failures > 0:
                self.failures -= 1
                return Reply(503, {})
            elif self.failing.get(call.name, 0) > 0:
                self.failing[call.name] -= 1
                return Reply(503, {})
            if call.name.startswith("speech/"):
                sound = self.sounds.get(call.name.removeprefix("speech/"))
                return Reply(404, {}) if sound is None else Reply(raw=sound)
            if call.name == "ack" and self.status == 200:
                self.commands.pop(call.body["command_id"], None)
            if self.garbage:
                self.garbage = False
                return Reply(200, raw=b"<html>Welcome to nginx!</html>")
            answer = {
                "meeting_id": 42,
                "status": "active",
                "commands": list(self.commands.values()),
            }
            return Reply(self.status, answer)
