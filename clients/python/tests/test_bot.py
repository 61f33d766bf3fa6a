import asyncio
import json
import math
import os
import signal
import subprocess
import sys
import unittest
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from types import SimpleNamespace
from typing import Any, cast
from unittest import mock

from convoke import bot as bot_module
from convoke._callbacks import Over
from convoke._reports import BatchSender, ParticipantSender, Roster
from convoke.bot import (
    Attendee,
    Bot,
    BotConfig,
    BotFailure,
    BotRunner,
    ChatMessage,
    ExitCode,
    LeaveRules,
    NotAdmitted,
    Patience,
    Progress,
    Segment,
)
from convoke.reference_bot import ReferenceBot
from convoke.simulator import Room, RoomEvent

from .bots import ExampleBot, LiveBotTest, config
from .fakes import SOON, Plane


class BotTest(LiveBotTest):
    def test_a_whole_life_is_reported_in_order(self):
        def scenario(_):
            self.plane.await_calls("joined", "participants", "transcript", "heartbeat")
            self.plane.command("c1", "leave")

        bot, code = self.live(scenario)
        self.assertEqual((code, bot.calls), (ExitCode.LEFT, ["join", "stay", "leave"]))
        names = self.plane.names()
        self.assertIn("ack", names)
        names = [name for name in names if name != "ack"]  # sent beside the reports
        self.assertEqual([names[0], names[-1]], ["started", "exited"])
        self.assertEqual(names.count("joined"), 1)
        exited = self.plane.last("exited")
        self.assertEqual((exited.body["exit_code"], exited.body["reason"]), (0, "stopped"))
        self.assertEqual(exited.headers["authorization"], "Bearer the-token")
        self.assertEqual(exited.body["connection_id"], "c-42")
        said = self.plane.last("transcript").body["segments"]
        self.assertEqual([one["text"] for one in said], ["Good morning"])

    def test_callbacks_are_repeated_until_they_are_answered(self):
        self.plane.failures = 15
        self.plane.garbage = True

        def scenario(_):
            self.plane.await_call("joined")
            with self.plane.changed:
                self.plane.failures = 8
            self.plane.command("c1", "leave")

        self.assertEqual(self.live(scenario)[1], ExitCode.LEFT)
        names = self.plane.names()
        self.assertEqual(names.count("started"), 15 + 2, "a proxy's page is no answer")
        self.assertEqual(names[-1], "exited")

    def test_a_command_that_comes_again_is_acknowledged_again_and_obeyed_once(self):
        def scenario(_):
            self.plane.await_call("joined")
            for _ in range(3):
                self.plane.command("r1", "reconfigure", language="fr", task="x")
                self.plane.await_call("ack")
            self.plane.command("x1", "dance")
            self.plane.await_call("ack")
            self.plane.command("r2", "reconfigure", task="end")

        bot, code = self.live(scenario)
        self.assertEqual((code, bot.calls.count("reconfigure")), (ExitCode.LEFT, 2))
        self.assertEqual(self.plane.last("exited").body["reason"], "meeting_ended")
        acks = [call.body for call in self.plane.calls if call.name == "ack"]
        again = [ack for ack in acks if ack["command_id"] == "r1"]
        self.assertGreaterEqual(len(again), 3)
        for ack in again:
            self.assertEqual(ack["applied"], ["task"])
            self.assertEqual([one["setting"] for one in ack["not_applied"]], ["language"])
        [unknown] = next(ack for ack in acks if ack["command_id"] == "x1")["not_applied"]
        self.assertEqual(unknown["setting"], "dance", "what it does not know it does not do")

    def test_a_bot_whose_launch_is_over_leaves_without_a_report(self):
        def scenario(_):
            self.plane.await_call("joined")
            with self.plane.changed:
                self.plane.status = 410
                self.plane.changed.notify_all()

        bot, code = self.live(scenario)
        self.assertEqual((code, bot.calls[-1]), (ExitCode.TOLD_TO_GO, "leave"))
        self.assertNotIn("exited", self.plane.names())

    def test_a_bot_leaves_when_the_control_plane_is_lost_for_good(self):
        def scenario(_):
            self.plane.await_call("joined")
            self.plane.close()

        bot, code = self.live(scenario, patience=Patience(0.005, 0.02, 0.5))
        self.assertEqual((code, bot.calls[-1]), (ExitCode.CONTROL_PLANE_LOST, "leave"))

    def test_a_bot_whose_start_or_admission_is_never_taken_leaves(self):
        for name, calls in (("started", ["leave"]), ("joined", ["join", "leave"])):
            self.plane.failing = {name: 1_000_000}
            bot, code = self.live(lambda _: None, patience=Patience(0.005, 0.02, 0.3))
            self.assertEqual((code, bot.calls), (ExitCode.CONTROL_PLANE_LOST, calls))
            self.assertEqual(self.plane.last("exited").body["reason"], "control_plane_lost")

    def test_many_long_words_are_sent_in_calls_that_the_server_takes(self):
        words = "\U0001f600" * 4096

        class Wordy(ExampleBot):
            async def stay(self, session):
                session.transcript(*[Segment(0, 1, words)] * 100)
                return "meeting_ended"

        self.assertEqual(self.live(lambda _: None, bot=Wordy)[1], ExitCode.LEFT)
        calls = [call for call in self.plane.calls if call.name == "transcript"]
        said = [one["text"] for call in calls for one in call.body["segments"]]
        self.assertEqual(said.count(words), 100)
        for call in calls:
            self.assertLess(int(call.headers["content-length"]), 600_000)

    def test_a_reason_that_is_no_text_of_unicode_is_reported_all_the_same(self):
        class Odd(ExampleBot):
            async def stay(self, session):
                return "left\ud83d"

        self.assertEqual(self.live(lambda _: None, bot=Odd)[1], ExitCode.LEFT)
        self.assertEqual(self.plane.last("exited").body["reason"], "left?")

    def test_a_bot_that_does_not_say_why_it_leaves_has_left(self):
        class Silent(ExampleBot):
            async def stay(self, session):
                return None

        self.assertEqual(self.live(lambda _: None, bot=Silent)[1], ExitCode.LEFT)
        self.assertEqual(self.plane.last("exited").body["reason"], "left")

    def test_what_was_reported_while_the_server_was_away_is_sent_before_the_goodbye(self):
        self.plane.failing = {"transcript": 30, "participants": 30}

        def scenario(_):
            self.plane.await_call("joined")
            self.plane.command("r1", "reconfigure", task="end")

        with mock.patch.object(bot_module, "STEP_MAX", 0.1):
            _, code = self.live(scenario, patience=Patience(0.05, 0.05, SOON))
        self.assertEqual((code, self.plane.names()[-1]), (ExitCode.LEFT, "exited"))
        self.assertEqual(self.plane.failing, {"transcript": 0, "participants": 0})
        for name in ("transcript", "participants"):
            self.assertEqual(self.plane.names().count(name), 30 + 1, name)

    def test_what_a_bot_still_makes_of_the_meeting_after_it_has_left_is_sent_before_the_goodbye(self):
        class Finishing(ExampleBot):
            async def join(self, session):
                pass

            async def stay(self, session):
                return "meeting_ended"

            async def finish(self, session, at_most):
                self.calls.append(("finish", at_most))
                session.transcript(Segment(0, 1, "the last words", "Ada"))
                session.joined(Attendee("s1", "Ada"))
                raise RuntimeError("the rest is lost")

        with self.assertLogs("convoke.bot"):
            bot, code = self.live(lambda _: None, bot=Finishing)
        self.assertEqual((code, bot.calls), (ExitCode.LEFT, ["leave", ("finish", SOON)]))
        names = self.plane.names()
        self.assertLess(names.index("status"), names.index("transcript"))
        self.assertIn("participants", names)
        self.assertEqual(names[-1], "exited")
        [said] = self.plane.last("transcript").body["segments"]
        self.assertEqual(said["text"], "the last words")

    def test_the_heartbeats_of_a_failed_bot_go_on_until_it_has_finished_or_is_terminated(self):
        plane = self.plane

        class Finishing(ExampleBot):
            async def stay(self, session):
                raise BotFailure(ExitCode.PLATFORM_GONE, "platform_gone")

            async def finish(self, session, at_most):
                for _ in range(2):
                    await asyncio.to_thread(plane.await_call, "heartbeat")
                self.calls.append("alive")
                session.terminate()
                try:
                    await self.over.wait()
                finally:
                    self.calls.append("given up")

        with mock.patch.object(bot_module, "STEP_MAX", 1.0):
            bot, code = self.live(lambda _: None, bot=Finishing)
        self.assertEqual(code, ExitCode.PLATFORM_GONE)
        self.assertEqual(bot.calls, ["join", "leave", "alive", "given up"])
        names = self.plane.names()
        self.assertNotIn("status", names)
        self.assertEqual(names[-1], "exited")

    def test_a_bot_has_seconds_to_finish_without_its_server_and_nothing_to_finish_when_it_is_over(self):
        class Finishing(ExampleBot):
            async def finish(self, session, at_most):
                self.calls.append(("finish", at_most))

        self.plane.failing = {"joined": 1_000_000}
        bot, code = self.live(lambda _: None, bot=Finishing, patience=Patience(0.005, 0.02, 0.3))
        self.assertEqual(code, ExitCode.CONTROL_PLANE_LOST)
        self.assertEqual(bot.calls, ["join", "leave", ("finish", bot_module.STEP_MAX)])
        self.plane.status = 410
        bot, code = self.live(lambda _: None, bot=Finishing)
        self.assertEqual((code, bot.calls), (ExitCode.TOLD_TO_GO, ["leave"]))

    def test_a_bot_that_is_terminated_while_it_leaves_has_seconds_to_finish(self):
        class Finishing(ExampleBot):
            async def stay(self, session):
                return "meeting_ended"

            async def leave(self, session):
                session.terminate()

            async def finish(self, session, at_most):
                self.calls.append(("finish", at_most))

        bot, code = self.live(lambda _: None, bot=Finishing)
        self.assertEqual(code, ExitCode.LEFT)
        self.assertEqual(bot.calls, ["join", ("finish", bot_module.STEP_MAX)])

    def test_a_sender_that_can_send_nothing_more_does_not_hold_the_goodbye(self):
        class Ended:
            async def participants(self, _):
                return Over()

        async def fail(_):
            raise RuntimeError("broken")

        async def life(sender, *more):
            sender.add(("event", {}))
            task = asyncio.create_task(sender.run(*more))
            await asyncio.wait([task], timeout=0.1)
            sender.add(("event", {}))
            with self.assertLogs("convoke.bot"):
                await asyncio.wait_for(sender.finish(SOON), SOON / 2)
            await asyncio.gather(task, return_exceptions=True)

        asyncio.run(life(ParticipantSender(Ended()), Roster("c")))
        asyncio.run(life(BatchSender("segment", fail)))

    def test_a_bot_that_fails_says_so(self):
        class Broken(ExampleBot):
            async def stay(self, session):
                raise RuntimeError("broken")

        class Denied(ExampleBot):
            async def join(self, session):
                await session.awaiting_admission()
                raise NotAdmitted()

        class Cancelled(ExampleBot):
            async def stay(self, session):
                raise asyncio.CancelledError

        class HeartbeatsCancelled(ExampleBot):
            def progress(self):
                raise asyncio.CancelledError

        for bot, expected in (
            (Broken, (1, "crashed")),
            (Denied, (10, "admission_denied")),
            (Cancelled, (1, "crashed")),
            (HeartbeatsCancelled, (1, "crashed")),
        ):
            with self.assertLogs("convoke.bot"):
                life, code = self.live(lambda _: None, bot=bot)
            body = self.plane.last("exited").body
            self.assertEqual((body["exit_code"], body["reason"]), expected)
            self.assertEqual((code, life.calls[-1]), (expected[0], "leave"))
        self.assertNotIn("status", self.plane.names())

    def test_a_bot_whose_reconfigure_is_cancelled_obeys_further_commands(self):
        class Cancelling(ExampleBot):
            async def reconfigure(self, session, change):
                work = asyncio.ensure_future(self.over.wait())
                work.cancel()
                await work

        def scenario(_):
            self.plane.await_call("joined")
            self.plane.command("r1", "reconfigure", task="x")
            [refused] = self.plane.acknowledged("r1")["not_applied"]
            self.assertEqual(refused["reason"], "the bot failed to change it")
            self.plane.command("c1", "leave")

        with self.assertLogs("convoke.bot"):
            self.assertEqual(self.live(scenario, bot=Cancelling)[1], ExitCode.LEFT)

    def test_a_bot_that_does_not_heed_its_end_is_left_behind(self):
        class Deaf(ExampleBot):
            async def stay(self, session):
                while True:
                    try:
                        await self.over.wait()
                    except asyncio.CancelledError:
                        if session.left_behind:
                            raise

            async def leave(self, session):
                session.left_behind = True
                raise RuntimeError("no")

        def scenario(runner):
            runner.left_behind = False
            self.plane.await_call("joined")
            self.plane.command("c1", "leave")

        with self.assertLogs("convoke.bot"):
            self.assertEqual(self.live(scenario, bot=Deaf)[1], ExitCode.LEFT)
        self.assertEqual(self.plane.last("exited").body["reason"], "stopped")

    def test_a_bot_that_fails_to_tell_its_progress_is_alive(self):
        class Untold(ExampleBot):
            def progress(self):
                raise RuntimeError

        class Unsendable(ExampleBot):
            def progress(self):
                return Progress(cast(Any, Decimal("1.5")))

        class Told(ExampleBot):
            def progress(self):
                return Progress(1.5, 2, datetime(2026, 1, 2, tzinfo=timezone.utc))

        def scenario(_):
            self.plane.await_call("heartbeat")
            self.plane.await_call("heartbeat")
            self.plane.command("c1", "leave")

        for bot in (Untold, Unsendable):
            with self.assertLogs("convoke.bot"):
                self.assertEqual(self.live(scenario, bot=bot)[1], ExitCode.LEFT)
            self.assertNotIn("progress", self.plane.last("heartbeat").body)
        self.live(scenario, bot=Told)
        self.assertEqual(
            self.plane.last("heartbeat").body["progress"],
            {
                "audio_seconds": 1.5,
                "participants": 2,
                "last_speech_at": "2026-01-02T00:00:00+00:00",
            },
        )

    def test_what_is_odd_about_one_person_does_not_stop_the_reports_about_the_others(self):
        odd_name = "A\tda\ud83d"
        at = datetime(2026, 1, 2, tzinfo=timezone.utc)

        class Odd(ExampleBot):
            async def join(self, session):
                pass

            async def stay(self, session):
                ada = Attendee("s\n1", odd_name, "u" * 300, at)
                bob = Attendee("s2", "Bob", "\0", at)
                session.joined(ada)
                session.joined(bob)
                session.left(ada.session_id, at)
                session.left("s\ud83d3", at)
                session.everybody([ada, bob])
                session.transcript(
                    Segment(0, 1, "\ud83d" + "x" * 5000, odd_name),
                    Segment(0, 1, "\0\ud83d", "Bob"),
                    Segment(0, 1, "Good morning", "\n"),
                    Segment(0, 1, "Hello", "Bob"),
                    Segment(-0.5, math.nan, "Hm", language="", level_db=-math.inf),
                    Segment(1, 1e9, "Hm", language="e\n" + "n" * 40, level_db=0.1),
                )
                session.chatted(ChatMessage("c1", "\0"), ChatMessage("c2", "Hello"))
                return "meeting_ended"

        self.assertEqual(self.live(lambda _: None, bot=Odd)[1], ExitCode.LEFT)
        joined_at = {"joined_at": "2026-01-02T00:00:00+00:00"}
        ada = {"session_id": "s 1", "user_id": "u" * 255, "user_name": "A da", **joined_at}
        bob = {"session_id": "s2", "user_name": "Bob", **joined_at}
        bodies = [call.body for call in self.plane.calls if call.name == "participants"]
        events = [one for body in bodies for one in body["events"]]
        for one in events:
            del one["id"], one["type"], one["at"]
        self.assertEqual(events, [ada, bob, ada, {"session_id": "s3"}])
        self.assertEqual(bodies[-1]["everybody"]["participants"], [ada, bob])
        bodies = [call.body for call in self.plane.calls if call.name == "transcript"]
        reported = [one for body in bodies for one in body["segments"]]
        said = [(one.get("speaker"), one["text"]) for one in reported[:-2]]
        self.assertEqual(said, [("A da", "x" * 4096), (None, "Good morning"), ("Bob", "Hello")])
        long = "e " + "n" * 33
        self.assertEqual(
            reported[-2:],
            [
                {"start": 0, "end": 0, "text": "Hm", "level_db": -127},
                {"start": 1, "end": 1e7, "text": "Hm", "language": long, "level_db": 0},
            ],
        )
        bodies = [call.body for call in self.plane.calls if call.name == "chat"]
        self.assertEqual([one["text"] for body in bodies for one in body["messages"]], ["Hello"])

    def test_it_leaves_when_it_is_alone(self):
        class Alone(ExampleBot):
            async def stay(self, session):
                session.own_id = "me"
                session.everybody([Attendee("me"), Attendee("s1", "Ada")])
                alone = asyncio.ensure_future(session.alone())
                await asyncio.sleep(0)
                session.left("s1")
                return await alone

        leave = {"no_one_joined_timeout": 600, "everyone_left_timeout": 0.05}
        self.live(lambda _: None, bot=Alone, automatic_leave=leave)
        self.assertEqual(self.plane.last("exited").body["reason"], "everyone_left")
        events = [
            one
            for call in self.plane.calls
            if call.name == "participants"
            for one in call.body["events"]
        ]
        self.assertEqual(
            [(one["id"], one["type"]) for one in events], [("c-42:1", "joined"), ("c-42:2", "left")]
        )

    def test_a_wrong_configuration_is_named_without_its_value(self):
        for text, message in (
            ("{", "BOT_CONFIG is not JSON"),
            (config(self.plane, meeting_id="secret"), "BOT_CONFIG needs the number meeting_id"),
            (config(self.plane, token=""), "BOT_CONFIG needs the text token"),
        ):
            with self.assertRaises(ValueError) as raised:
                BotConfig.parse(text)
            self.assertEqual(str(raised.exception), message)
        self.assertNotIn("the-token", repr(BotConfig.parse(config(self.plane))))
        unset = BotConfig.parse(config(self.plane, automatic_leave=7, heartbeat_interval=-1))
        self.assertEqual((unset.everyone_left_timeout, unset.heartbeat_interval), (60.0, 30.0))


class ProcessTest(unittest.TestCase):
    """SIGTERM at each step of a bot's process."""

    PROGRAM = """
import asyncio, sys
from convoke.bot import Bot, run
step = sys.argv[1]
class Slow(Bot):
    async def join(self, session):
        print("join", flush=True)
        if step == "join": await asyncio.sleep(600)
    async def stay(self, session):
        print("stay", flush=True)
        if step == "block":
            import time
            while True: time.sleep(1)
        if step == "thread":
            import time
            await asyncio.to_thread(time.sleep, 600)
        while step == "deaf":
            try: await asyncio.sleep(600)
            except asyncio.CancelledError: pass
        await asyncio.sleep(600)
    async def leave(self, session):
        print("leave", flush=True)
        if step == "leave": await asyncio.sleep(600)
run(Slow())
"""

    def start(self, plane, step):
        environment = {"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(sys.path),
                       "BOT_CONFIG": config(plane)}  # fmt: skip
        program = subprocess.Popen(
            [sys.executable, "-c", self.PROGRAM, step],
            env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        self.addCleanup(program.stdout.close)
        self.addCleanup(program.wait)
        self.addCleanup(program.kill)
        return program

    def test_sigterm_at_each_step(self):
        for step, line in (
            ("join", "join"),
            ("stay", "stay"),
            ("leave", "stay"),
            ("thread", "stay"),
            ("deaf", "stay"),
        ):
            with self.subTest(step):
                plane = Plane()
                self.addCleanup(plane.close)
                program = self.start(plane, step)
                while program.stdout.readline().strip() != line:
                    pass
                program.send_signal(signal.SIGTERM)
                self.assertEqual(program.wait(SOON), 0)
                self.assertEqual(plane.last("exited").body["reason"], "terminated")
                self.assertIn("leave\n", program.stdout.read())

    def test_sigterm_while_the_server_is_away(self):
        plane = Plane()
        self.addCleanup(plane.close)
        plane.failures = 1_000_000
        program = self.start(plane, "stay")
        plane.await_call("started")
        program.send_signal(signal.SIGTERM)
        self.assertEqual(program.wait(SOON), 0)
        self.assertEqual(program.stdout.read(), "leave\n")

    def test_a_bot_that_blocks_its_loop_is_ended_by_the_signal(self):
        plane = Plane()
        self.addCleanup(plane.close)
        program = self.start(plane, "block")
        while program.stdout.readline().strip() != "stay":
            pass
        program.send_signal(signal.SIGTERM)
        self.assertEqual(program.wait(SOON), 128 + signal.SIGTERM)

    def test_without_a_configuration(self):
        program = subprocess.run(
            [sys.executable, "-c", self.PROGRAM, ""],
            env={"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True, text=True,
        )  # fmt: skip
        self.assertEqual((program.returncode, program.stderr), (2, "bot: BOT_CONFIG is missing\n"))


class RulesTest(unittest.TestCase):
    def test_no_one_came(self):
        rules = LeaveRules(no_one_joined=120, everyone_left=60, now=0)
        self.assertEqual((rules.reason(119.9), rules.until(100)), (None, 20))
        self.assertEqual(rules.reason(120), "no_one_joined")

    def test_everyone_left(self):
        rules = LeaveRules(no_one_joined=120, everyone_left=60, now=0)
        rules.others(1, 110)
        self.assertIsNone(rules.reason(1000))
        rules.others(0, 1000)
        rules.others(0, 1030)
        self.assertIsNone(rules.reason(1059))
        self.assertEqual(rules.reason(1060), "everyone_left")
        rules.others(2, 1059)
        self.assertIsNone(rules.reason(1060))

    def test_one_who_is_reported_again_keeps_the_first_time_unless_another_one_is_given(self):
        def times():
            return [one["joined_at"] for one in roster.full_list()["participants"]]

        at = datetime(2026, 1, 2, tzinfo=timezone.utc)
        given = "2026-01-02T00:00:00+00:00"
        roster = Roster("c")
        first = roster.joined(Attendee("a"))["at"]
        self.assertEqual((times(), times()), ([first], [first]))
        self.assertEqual(roster.joined(Attendee("a"))["at"], first)
        roster.everybody([Attendee("a", "Ada"), Attendee("b", joined_at=at)])
        self.assertEqual(times(), [first, given])
        roster.everybody([Attendee("a", joined_at=at), Attendee("b")])
        self.assertEqual(times(), [given, given])
        self.assertEqual(roster.left("a", None)["joined_at"], given)
        self.assertNotEqual(roster.joined(Attendee("a"))["at"], given)

    def test_events_are_numbered_and_one_who_left_keeps_the_facts(self):
        roster = Roster("c")
        roster.everybody([Attendee("a", "Ada")])
        left = roster.left("a", datetime(2026, 1, 1, tzinfo=timezone.utc))
        self.assertEqual((left["id"], left["user_name"], left["type"]), ("c:1", "Ada", "left"))
        self.assertEqual(roster.left("x", None)["id"], "c:2")
        self.assertEqual(roster.full_list()["participants"], [])


class ReferenceBotTest(unittest.IsolatedAsyncioTestCase):
    async def test_it_tells_times_of_its_session_which_begins_when_its_start_is_taken(self):
        said: list[Segment] = []
        session = cast(
            Any,
            SimpleNamespace(
                config=BotConfig.parse(config(SimpleNamespace(url="http://c"))),
                transcript=said.append,
            ),
        )
        bot = ReferenceBot()
        bot._began -= timedelta(hours=1)  # for so long no server took its start
        room = SimpleNamespace(session_id="s1", waiting=False)
        with mock.patch.object(Room, "join", mock.AsyncMock(return_value=room)):
            await bot.join(session)
        now = datetime.now(timezone.utc).isoformat()
        bot._caption(session, RoomEvent("caption", {"text": "Good morning", "at": now}))
        self.assertLess(said[0].start, 60)
