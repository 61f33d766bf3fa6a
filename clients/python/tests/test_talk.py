"""Commands to speak and to write into the chat, from the control plane to a bot and back."""

import asyncio
import queue
import threading
import time
import unittest
from datetime import datetime, timezone
from unittest import mock

from convoke import _callbacks
from convoke._callbacks import Accepted, Callbacks, NoReply
from convoke._reports import WAITING_MAX, BatchSender
from convoke.bot import ChatMessage, CommandRefused, ExitCode, SpeakAudio, SpeakText

from .bots import QUICK, ExampleBot, LiveBotTest
from .fakes import SOON, FakeServer, Reply

SOUND = b"RIFF\x00\xff"


class SpeakingBot(ExampleBot):
    """Notes what it is told, and holds each speech until it is let go."""

    def __init__(self):
        super().__init__()
        self.spoken = queue.Queue()
        self.written = []
        self.let_go = threading.Event()

    async def speak(self, session, what):
        self.spoken.put(what)
        while not self.let_go.is_set():
            await asyncio.sleep(0.005)

    async def chat(self, session, text):
        self.written.append(text)
        if text == "fail":
            raise RuntimeError("a bug")
        if text == "cancel":
            raise asyncio.CancelledError
        if text == "long":
            raise CommandRefused("no\n" + "x" * 500)


class TalkTest(LiveBotTest):
    def talk(self, scenario, bot):
        """Lets the bot live until the scenario has ended; the bot then has to leave."""

        def until_left(_):
            try:
                self.plane.await_call("joined")
                scenario()
            finally:
                self.plane.command("leave", "leave")

        self.assertEqual(self.live(until_left, bot=lambda: bot)[1], ExitCode.LEFT)

    def messages(self):
        return [
            message
            for call in self.plane.calls
            if call.name == "chat"
            for message in call.body["messages"]
        ]

    def reason(self, id):
        ack = self.plane.acknowledged(id)
        self.assertEqual(ack["applied"], [])
        [refused] = ack["not_applied"]
        return refused["setting"], refused["reason"]

    def test_a_bot_that_can_do_neither_says_so(self):
        def scenario():
            self.plane.command("c1", "speak", text="Good morning")
            self.assertEqual(self.reason("c1"), ("speak", "this bot does not speak"))
            self.plane.command("c2", "chat", text="Good morning")
            self.assertEqual(self.reason("c2"), ("chat", "this bot does not write into the chat"))

        self.talk(scenario, ExampleBot())
        self.assertNotIn("chat", self.plane.names())

    def test_a_speech_that_takes_long_is_said_once_and_keeps_nothing_else_waiting(self):
        bot = SpeakingBot()

        def scenario():
            self.plane.command("c1", "speak", text="Good morning", voice="en-us")
            self.assertEqual(bot.spoken.get(timeout=SOON), SpeakText("Good morning", "en-us"))
            self.plane.command("c2", "speak", text="And more")
            for _ in range(5):
                self.plane.await_call("heartbeat")  # each answer has the commands again
            self.assertNotIn("ack", self.plane.names(), "it is not said yet")
            self.plane.command("r1", "reconfigure", task="x")
            self.assertEqual(self.plane.acknowledged("r1")["applied"], ["task"])
            self.assertTrue(bot.spoken.empty(), "the second waits for its turn")
            bot.let_go.set()
            self.assertEqual(self.plane.acknowledged("c1")["applied"], ["speak"])
            self.assertEqual(self.plane.acknowledged("c2")["applied"], ["speak"])
            self.assertEqual(bot.spoken.get(timeout=SOON), SpeakText("And more"))
            self.plane.command("c1", "speak", text="Good morning")
            again = self.plane.acknowledged("c1")["applied"]
            self.assertEqual(again, ["speak"], "of an acknowledgement that was lost")
            self.assertTrue(bot.spoken.empty())

        self.talk(scenario, bot)

    def test_a_bot_leaves_in_the_middle_of_a_speech(self):
        bot = SpeakingBot()

        def scenario():
            self.plane.command("c1", "speak", text="Good morning")
            bot.spoken.get(timeout=SOON)

        self.talk(scenario, bot)
        self.assertEqual(bot.calls[-1], "leave")
        acks = [call.body["command_id"] for call in self.plane.calls if call.name == "ack"]
        self.assertEqual(set(acks), {"leave"})

    def test_the_sound_of_a_command_is_fetched(self):
        bot = SpeakingBot()
        bot.let_go.set()
        self.plane.sounds["c1"] = SOUND

        def scenario():
            self.plane.command("c1", "speak", audio_bytes=len(SOUND))
            self.assertEqual(bot.spoken.get(timeout=SOON), SpeakAudio(SOUND))
            self.assertEqual(self.plane.acknowledged("c1")["applied"], ["speak"])
            self.plane.command("c2", "speak", audio_bytes=len(SOUND))
            self.assertEqual(self.reason("c2"), ("speak", "the sound could not be fetched"))
            self.assertTrue(bot.spoken.empty())

        self.talk(scenario, bot)

    def test_what_the_bot_writes_is_reported_as_its_own_and_what_it_reads_is_not(self):
        class Reading(SpeakingBot):
            async def stay(self, session):
                at = datetime(2026, 1, 2, tzinfo=timezone.utc)
                session.chatted(
                    ChatMessage("m\n1", "a\0\ud800" + "b" * 5000, "Ada\0", at),
                    ChatMessage("m2", "\N{GRINNING FACE}" * 4096, "\n"),
                )
                return await super().stay(session)

        bot = Reading()

        def scenario():
            self.plane.await_call("chat")
            self.plane.command("c1", "chat", text="The notes")
            self.assertEqual(self.plane.acknowledged("c1")["applied"], ["chat"])
            self.plane.await_call("chat")

        self.talk(scenario, bot)
        first, second, own = self.messages()
        self.assertEqual(
            first,
            {
                "id": "m 1",
                "sender": "Ada",
                "text": "a" + "b" * 4095,
                "at": "2026-01-02T00:00:00+00:00",
            },
        )
        self.assertEqual((second["text"], "sender" in second), ("\N{GRINNING FACE}" * 4096, False))
        own.pop("at")
        self.assertEqual(
            own,
            {"id": "command:c1", "sender": "Convoke", "text": "The notes", "from_bot": True},
        )
        self.assertEqual(bot.written, ["The notes"])

    def test_a_bot_that_fails_says_so_and_goes_on(self):
        failed = ("chat", "the bot failed to do it")

        def scenario():
            with self.assertLogs("convoke.bot"):
                for id, text in (("c1", "fail"), ("c2", "cancel")):
                    self.plane.command(id, "chat", text=text)
                    self.assertEqual(self.reason(id), failed)
            self.plane.command("c3", "chat", text="long")
            self.assertEqual(self.reason("c3"), ("chat", "no " + "x" * 197))

        self.talk(scenario, SpeakingBot())
        self.assertNotIn("chat", self.plane.names())

    def test_messages_arrive_in_order_in_small_batches_however_often_calls_fail(self):
        class Reading(ExampleBot):
            async def stay(self, session):
                for i in range(250):
                    session.chatted(ChatMessage(f"m{i}", "x"))
                return await super().stay(session)

        tries = []
        answer = self.plane.answer

        def unsteady(call):
            if call.name == "chat":
                tries.append(call)
                if len(tries) < 4:
                    return Reply(503, {})
                arrived.extend(one["id"] for one in call.body["messages"])
            return answer(call)

        arrived = []
        self.plane.answer = unsteady
        self.talk(lambda: self.plane.await_call("chat"), Reading())
        self.assertEqual(arrived, [f"m{i}" for i in range(250)])
        self.assertEqual([len(call.body["messages"]) for call in tries], [100] * 5 + [50])

    def test_an_older_server_without_chat_does_not_end_the_bot(self):
        class Reading(ExampleBot):
            async def stay(self, session):
                session.chatted(ChatMessage("m1", "x"))
                return await super().stay(session)

        answer = self.plane.answer
        self.plane.answer = lambda call: Reply(404, {}) if call.name == "chat" else answer(call)
        with self.assertLogs("convoke.bot", "WARNING"):
            self.talk(lambda: self.plane.await_call("chat"), Reading())
        self.assertEqual(self.plane.last("exited").body["reason"], "stopped")

    def test_the_newest_of_too_many_messages_is_dropped_and_no_other_is(self):
        sent = []
        replies = [NoReply(), NoReply()]

        async def send(group):
            if replies:
                return replies.pop()
            sent.extend(group)
            return Accepted([])

        async def life():
            sender = BatchSender("chat message", send)
            with self.assertLogs("convoke.bot"):
                for i in range(WAITING_MAX + 1):
                    sender.add(i)
            task = asyncio.create_task(sender.run())
            await sender.finish(SOON)
            task.cancel()

        asyncio.run(life())
        self.assertEqual(sent, list(range(WAITING_MAX)))


class SoundTest(unittest.TestCase):
    """How often, how long and how much is fetched."""

    def fetch(self, *replies):
        """What is fetched from a server with these answers, of which the last remains; the calls."""
        left = list(replies)
        server = FakeServer(lambda _: left.pop(0) if len(left) > 1 else left[0])
        self.addCleanup(server.close)
        callbacks = Callbacks(server.url, "the-token", "c-42", QUICK)
        return asyncio.run(callbacks.speech("a/b")), server.calls

    def test_it_is_fetched_again_after_a_failure_of_the_server(self):
        whole = Reply(raw=SOUND)
        torn = Reply(raw=SOUND, headers={"Content-Length": "100", "Connection": "close"})
        sound, calls = self.fetch(Reply(503), Reply(hang_up=True), torn, whole)
        self.assertEqual((sound, len(calls)), (SOUND, 4))
        self.assertEqual((calls[0].method, calls[0].name), ("GET", "speech/a%2Fb"))
        self.assertEqual(calls[0].headers["authorization"], "Bearer the-token")

    def test_what_is_gone_is_not_asked_for_again_and_a_failing_server_five_times(self):
        for reply, asked in ((Reply(404), 1), (Reply(410), 1), (Reply(503), 5)):
            sound, calls = self.fetch(reply)
            self.assertEqual((sound, len(calls)), (None, asked))

    def test_a_sound_without_end_is_given_up(self):
        with mock.patch.object(_callbacks, "LONGEST_ANSWER", 5):
            self.assertIsNone(self.fetch(Reply(raw=SOUND))[0])
        stalling = Reply(raw=SOUND, headers={"Content-Length": "100"}, stall=2.0)
        began = time.monotonic()
        with mock.patch.object(_callbacks, "ANSWER_MAX", 0.1):
            self.assertIsNone(self.fetch(stalling)[0])
        self.assertLess(time.monotonic() - began, 5)
