import email.utils
import json
import time
import unittest
from pathlib import Path
from unittest import mock

from convoke import (
    ApiError,
    BadRequest,
    Convoke,
    InvalidAnswer,
    InvalidSignature,
    NotFound,
    TooMany,
    Unavailable,
    Unreachable,
    verify_webhook,
)
from convoke._http import OPENER

from .fakes import FakeServer, Reply


def problem(status, code, **more):
    headers = {"Content-Type": "application/problem+json", **more.pop("headers", {})}
    return Reply(status, {"status": status, "code": code, "trace_id": "t-1", **more}, headers)


class ClientTest(unittest.TestCase):
    def setUp(self):
        self.replies = []
        self.pauses = []
        self.server = FakeServer(lambda call: self.replies.pop(0))
        self.addCleanup(self.server.close)
        self.convoke = Convoke(
            self.server.url, api_key="cvk_1", timeout=5, sleep=lambda s: self.pauses.append(s)
        )

    def test_a_list_is_read_page_by_page_and_only_as_far_as_it_is_used(self):
        self.replies += [
            Reply(200, {"items": [{"id": 1}, {"id": 2}], "next_cursor": "c2"}),
            Reply(200, {"items": [{"id": 3}], "next_cursor": None}),
        ]
        meetings = self.convoke.meetings.list(status="active")
        self.assertEqual([next(meetings)["id"], next(meetings)["id"]], [1, 2])
        self.assertEqual(
            [call.path for call in self.server.calls], ["/meetings?status=active&limit=200"]
        )
        self.assertEqual([meeting["id"] for meeting in meetings], [3])
        self.assertEqual(self.server.calls[1].path, "/meetings?status=active&limit=200&cursor=c2")
        self.assertEqual(self.server.calls[0].headers["x-api-key"], "cvk_1")

    def test_pages_that_do_not_end_are_an_error(self):
        self.replies += [Reply(200, {"items": [], "next_cursor": "same"})] * 3
        with self.assertRaisesRegex(Exception, "do not end"):
            list(self.convoke.bots.list())

    def test_a_refusal_says_code_status_and_trace(self):
        self.replies.append(
            problem(
                400, "meeting_url_refused", detail="no", errors=[{"field": "x", "message": "y"}]
            )
        )
        with self.assertRaises(BadRequest) as raised:
            self.convoke.bots.start(platform="zoom", meeting_url="http://evil")
        error = raised.exception
        self.assertEqual(
            (error.status, error.code, error.trace_id), (400, "meeting_url_refused", "t-1")
        )
        self.assertEqual(error.problem["errors"][0]["field"], "x")

    def test_a_creation_is_repeated_under_one_key_until_it_is_answered(self):
        self.replies += [
            Reply(hang_up=True),
            problem(503, "unavailable", headers={"Retry-After": "1"}),
            problem(429, "rate_limited", headers={"Retry-After": "2"}),
            problem(409, "idempotency_in_flight"),
            Reply(201, {"id": 7}),
        ]
        self.assertEqual(self.convoke.bots.start(platform="daily", native_meeting_id="x")["id"], 7)
        keys = {call.headers["idempotency-key"] for call in self.server.calls}
        self.assertEqual((len(self.server.calls), len(keys)), (5, 1))
        self.assertGreaterEqual(self.pauses[1], 1)
        self.assertGreaterEqual(self.pauses[2], 2)

    def test_what_could_happen_twice_is_not_repeated(self):
        self.replies += [Reply(503, {}), Reply(hang_up=True)]
        with self.assertRaises(Unavailable):
            self.convoke.recordings.retry("r1")
        with self.assertRaises(Unreachable):
            self.convoke.webhooks.test(1)
        self.assertEqual((len(self.server.calls), self.pauses), (2, []))

    def test_a_storm_of_429_ends_with_the_last_one(self):
        self.replies += [problem(429, "rate_limited", headers={"Retry-After": "3"})] * 5
        with self.assertRaises(TooMany) as raised:
            self.convoke.meetings.get(1)
        self.assertEqual((raised.exception.retry_after, len(self.pauses)), (3.0, 4))

    def test_a_pause_beyond_the_patience_is_left_to_the_caller(self):
        self.replies.append(problem(429, "bot_limit_reached", headers={"Retry-After": "30"}))
        with self.assertRaises(TooMany) as raised:
            self.convoke.bots.start(platform="daily", native_meeting_id="x")
        self.assertEqual((raised.exception.retry_after, self.pauses), (30.0, []))

    def test_retry_after_may_be_a_date_or_garbage(self):
        later = email.utils.formatdate(time.time() + 10, usegmt=True)
        for value, expected in ((later, 9), ("soon", None), ("-5", None), ("1e9", None)):
            self.replies[:] = [problem(429, "x", headers={"Retry-After": value})] * 5
            with self.assertRaises(TooMany) as raised:
                self.convoke.meetings.get(1)
            if expected is None:
                self.assertIsNone(raised.exception.retry_after, value)
            else:
                self.assertAlmostEqual(raised.exception.retry_after, expected, delta=3)

    def test_garbage_is_an_error_of_its_own(self):
        for raw in (b"<html>", b"[1]", b"\xff\xfe", b""):
            self.replies.append(Reply(200, raw=raw))
            with self.assertRaises(InvalidAnswer):
                self.convoke.meetings.get(1)
        self.replies += [Reply(502, raw=b"<html>Bad Gateway")] * 5
        with self.assertRaises(ApiError) as raised:
            self.convoke.meetings.get(1)
        self.assertEqual(raised.exception.code, "http_502")

    def test_a_deletion_that_worked_before_its_answer_was_lost_is_no_error(self):
        self.replies += [Reply(hang_up=True), problem(404, "not_found")]
        self.convoke.webhooks.delete(3)
        self.replies.append(problem(404, "not_found"))
        with self.assertRaises(NotFound):
            self.convoke.webhooks.delete(3)
        self.replies += [problem(503, "unavailable"), problem(404, "not_found")]
        with self.assertRaises(NotFound):
            self.convoke.webhooks.delete(4)

    def test_a_redirect_is_not_followed_with_the_key(self):
        other = FakeServer(lambda call: Reply(200, {"id": 1}))
        self.addCleanup(other.close)
        self.replies.append(Reply(302, {}, {"Location": other.url + "/meetings/1"}))
        with self.assertRaises(ApiError):
            self.convoke.meetings.get(1)
        self.assertEqual(other.calls, [])

    def test_a_credential_that_cannot_be_sent_is_refused_at_once_without_its_value(self):
        for name in ("api_key", "admin_key", "token"):
            for wrong in ("cvk_\u200b1", "cvk_\n1", "cvk_\x7f1", "schl\u00fcssel"):
                with self.assertRaises(ValueError) as raised:
                    Convoke(**{name: wrong})
                self.assertEqual(
                    str(raised.exception), f"{name} has a character that is not printable ASCII"
                )
        self.replies.append(Reply(200, {"id": 1}))
        Convoke(self.server.url, api_key=" cvk_2\r\n").meetings.get(1)
        self.assertEqual(self.server.calls[0].headers["x-api-key"], "cvk_2")

    def test_names_in_paths_are_encoded(self):
        self.replies += [Reply(200, {"room": "x"}), Reply(204)]
        self.convoke.rooms.track("daily", "a/b?c*", True)
        self.convoke.recordings.delete("../meetings")
        for name in ("", ".", ".."):
            self.assertRaises(ValueError, self.convoke.recordings.delete, name)
        self.assertEqual(
            [call.path for call in self.server.calls],
            ["/rooms/daily/a%2Fb%3Fc*", "/recordings/..%2Fmeetings"],
        )

    def test_a_transcript_as_a_document(self):
        self.replies.append(Reply(200, raw="WEBVTT\n\nÄ".encode(), headers={"Next-Cursor": "c"}))
        document = self.convoke.transcripts.export(42, "vtt")
        self.assertEqual((document.text, document.next_cursor), ("WEBVTT\n\nÄ", "c"))
        self.assertEqual(self.server.calls[0].path, "/transcripts/42?format=vtt")

    def test_sound_of_any_length_is_read_once(self):
        class Part(bytes):
            def __len__(self):
                return 300 << 20  # as far as it is counted

        answer = mock.MagicMock(status=200, length=None, headers={})
        answer.__enter__.return_value = answer
        answer.read1.side_effect = [Part(b"RI"), Part(b"FF"), b""]
        with mock.patch.object(OPENER, "open", return_value=answer) as opened:
            self.assertEqual(self.convoke.recordings.audio("r1"), b"RIFF")
        self.assertEqual(opened.call_count, 1)

    def test_an_unreachable_server_is_tried_again(self):
        self.server.close()
        with self.assertRaises(Unreachable):
            self.convoke.meetings.get(1)
        self.assertEqual(len(self.pauses), 4)


class WebhookTest(unittest.TestCase):
    """Signatures that npm's standardwebhooks made, see clients/vectors."""

    VECTORS = json.loads(
        (Path(__file__).parents[2] / "vectors" / "webhooks.json").read_text(encoding="utf-8")
    )

    def test_vectors(self):
        self.assertGreater(len(self.VECTORS), 8)
        for vector in self.VECTORS:
            with self.subTest(vector["name"]):
                check = lambda: verify_webhook(
                    vector["secret"], vector["headers"], vector["body"], now=float(vector["now"])
                )
                if vector["valid"]:
                    self.assertEqual(check(), json.loads(vector["body"]))
                else:
                    self.assertRaises(InvalidSignature, check)

    def test_either_secret_of_a_rotation(self):
        vector = next(one for one in self.VECTORS if one["valid"])
        other = "whsec_" + "A" * 44
        event = verify_webhook(
            [other, vector["secret"]], vector["headers"], vector["body"].encode(), now=vector["now"]
        )
        self.assertEqual(event, json.loads(vector["body"]))

    def test_bytes_that_are_no_text(self):
        vector = next(one for one in self.VECTORS if one["valid"])
        headers, body = vector["headers"], vector["body"]
        for sent, what in (({**headers, "webhook-id": "\udcff"}, body), (headers, body + "\udcff")):
            with self.assertRaises(InvalidSignature):
                verify_webhook(vector["secret"], sent, what, now=vector["now"])

    def test_a_secret_that_is_none(self):
        vector = next(one for one in self.VECTORS if one["valid"])
        for secret in ("", "whsec_", "not base64!"):
            with self.assertRaises(ValueError):
                verify_webhook(secret, vector["headers"], vector["body"], now=vector["now"])
