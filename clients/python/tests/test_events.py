import json
import queue
import socket
import threading
import time
import unittest
from types import SimpleNamespace
from unittest.mock import patch

from convoke import ApiError, Convoke, TooMany, Unreachable


def event(seq, **data):
    body = {"seq": seq, "type": "x.y", "subject": "meeting:1", "at": "now", "data": data}
    return f"id: {seq}\nevent: x.y\ndata: {json.dumps(body)}\n\n".encode()


STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"


def quiet(end=b""):
    """A stream that says nothing for a while."""
    yield STREAM
    for _ in range(6):
        time.sleep(0.1)
        yield b": alive\n\n"
    yield end


def answer(status, body=b"{}", kind="application/json", more=""):
    head = f"HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n{more}"
    return head.encode() + b"Connection: close\r\n\r\n" + body


class RawServer:
    """Writes what the test says, byte for byte, one script per connection, whole or in parts."""

    def __init__(self):
        self.scripts = queue.Queue()
        self.requests = []
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            with connection:
                head = b""
                while b"\r\n\r\n" not in head:
                    head += connection.recv(4096)
                self.requests.append(head.decode())
                try:
                    script = self.scripts.get_nowait()
                except queue.Empty:
                    script = answer(404)
                try:
                    for part in [script] if isinstance(script, bytes) else script:
                        connection.sendall(part)
                except OSError:
                    pass  # the client went away

    def positions(self):
        return [
            line.partition(": ")[2]
            for request in self.requests
            for line in request.split("\r\n")
            if line.lower().startswith("last-event-id")
        ]

    def close(self):
        self._socket.close()


class EventsTest(unittest.TestCase):
    def setUp(self):
        self.server = RawServer()
        self.addCleanup(self.server.close)
        self.pauses = []
        self.convoke = Convoke(self.server.url, api_key="k", sleep=self.pauses.append)

    def stream(self, *scripts, **options):
        """Everything until the server has nothing more to say: a 404, which is raised."""
        for script in scripts:
            self.server.scripts.put(script)
        seen = []
        with self.assertRaises(ApiError) as ended:
            for one in self.convoke.events.stream(**options):
                seen.append(one["seq"])
        self.assertEqual(ended.exception.status, 404)
        return seen

    def test_a_refusal_that_comes_byte_by_byte_is_not_waited_for(self):
        def trickle():
            yield answer(401, b" " * 100)[:-100]
            for _ in range(100):
                time.sleep(0.1)
                yield b" "

        self.server.scripts.put(trickle())
        began = time.monotonic()
        with self.assertRaises(ApiError) as raised:
            Convoke(self.server.url, api_key="k", timeout=0.3).meetings.get(1)
        self.assertEqual(raised.exception.status, 401)
        self.assertLess(time.monotonic() - began, 5)

    def test_it_goes_on_after_the_last_event_without_gap_or_duplicate(self):
        seen = self.stream(
            STREAM + event(5) + event(6) + event(7)[:-9],  # cut off in the middle of 7
            answer(503, more="Retry-After: 7\r\n"),
            b"",  # hangs up
            STREAM + event(6) + event(7) + event(8),  # repeats what we have
            after=4,
        )
        self.assertEqual(seen, [5, 6, 7, 8])
        self.assertEqual(self.server.positions(), ["4", "6", "6", "6", "8"])
        self.assertGreaterEqual(max(self.pauses), 7)

    def test_a_stream_from_now_on_has_a_position_before_its_first_event(self):
        newest = json.dumps({"items": [{"seq": 40}], "next_cursor": None}).encode()
        seen = self.stream(answer(200, newest), STREAM, STREAM + event(41))
        self.assertEqual(seen, [41])
        self.assertEqual(self.server.positions(), ["40", "40", "41"])
        self.assertIn("order=newest&limit=1", self.server.requests[0])

    def test_from_now_on_means_from_the_call(self):
        newest = json.dumps({"items": [{"seq": 40}], "next_cursor": None}).encode()
        self.server.scripts.put(answer(200, newest))
        stream = self.convoke.events.stream()
        self.assertEqual(len(self.server.requests), 1)
        self.server.scripts.put(STREAM + event(41))
        self.assertEqual(next(stream)["seq"], 41)
        self.assertEqual(self.server.positions(), ["40"])

    def test_from_now_on_is_tried_again_where_the_call_failed_and_a_refusal_is_raised(self):
        newest = json.dumps({"items": [], "next_cursor": None}).encode()
        seen = self.stream(*[b""] * 5, answer(200, newest), STREAM + event(1))
        self.assertEqual(seen, [1])
        self.assertEqual(self.server.positions(), ["0", "1"])
        self.server.scripts.put(answer(401))
        with self.assertRaises(ApiError):
            self.convoke.events.stream()

    def test_a_server_that_was_away_at_the_call_is_given_up_so_long_after_the_call(self):
        for _ in range(10):
            self.server.scripts.put(b"")
        clock = SimpleNamespace(monotonic=lambda: sum(self.pauses))
        with patch("convoke.events.time", clock), self.assertRaises(Unreachable):
            next(self.convoke.events.stream(give_up_after=3.8))
        self.assertEqual(len(self.server.requests), 10)

    def test_garbage_is_a_broken_connection(self):
        seen = self.stream(
            answer(200, b"<html>", "text/html"),
            STREAM + b"data: {not json\n\n" + event(1),
            STREAM + b'id: 9\ndata: {"seq": 1}\n\n' + event(2),
            STREAM
            + b": comment\r\n\r\nretry: 5\nunknown: 1\n\n"
            + event(1).replace(b"\n", b"\r\n"),
            after=0,
        )
        self.assertEqual(seen, [1])
        self.assertEqual(self.server.positions()[:4], ["0", "0", "0", "0"])

    def test_a_stream_is_not_given_up_for_having_been_quiet(self):
        seen = self.stream(quiet(), STREAM + event(5), after=4, give_up_after=0.5)
        self.assertEqual(seen, [5])

    def test_a_steady_stream_that_ends_in_garbage_was_there_until_then(self):
        fast = SimpleNamespace(monotonic=lambda: 100 * time.monotonic())
        with patch("convoke.events.time", fast):
            garbage = quiet(b"data: {not json\n\n")
            seen = self.stream(garbage, STREAM + event(5), after=4, give_up_after=50)
            garbage = quiet(b"data: {not json\n\n")
            self.stream(*[answer(502)] * 6, garbage, after=4)
        self.assertEqual(seen, [5])
        self.assertLessEqual(self.pauses[-1], 0.25)

    def test_pauses_grow_while_the_server_is_away_or_closes_at_once(self):
        for script in (answer(502), STREAM):
            self.pauses.clear()
            self.stream(*[script] * 7, after=0)
            self.assertGreater(self.pauses[6], self.pauses[0] * 4)

    def test_a_refusal_is_raised_and_a_limit_of_time_holds(self):
        self.server.scripts.put(answer(401))
        with self.assertRaises(ApiError):
            next(self.convoke.events.stream(after=0))
        self.server.scripts.put(answer(429, more="Retry-After: 60\r\n"))
        with self.assertRaises(TooMany):
            next(self.convoke.events.stream(after=0, give_up_after=5))
        self.server.scripts.put(b"")
        with self.assertRaises(Unreachable):
            next(self.convoke.events.stream(after=0, give_up_after=0))
