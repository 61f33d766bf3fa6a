"""A bot for tests, and a life for it."""

import asyncio
import json
import unittest

from convoke.bot import Attendee, Bot, BotConfig, BotRunner, Patience, Segment

from .fakes import SOON, Plane

QUICK = Patience(0.005, 0.02, SOON)


class ExampleBot(Bot):
    def __init__(self):
        self.over = asyncio.Event()
        self.calls = []

    async def join(self, session):
        self.calls.append("join")
        session.joined(Attendee("s1", "Ada"))
        session.transcript(Segment(0, 1.5, "Good morning", "Ada", session.config.language))

    async def stay(self, session):
        self.calls.append("stay")
        await self.over.wait()
        return "meeting_ended"

    async def leave(self, session):
        self.calls.append("leave")

    async def reconfigure(self, session, change):
        self.calls.append("reconfigure")
        if change.setting("task") == "end":
            self.over.set()
        return ["task"]


def config(plane, **more):
    fields = {
        "meeting_id": 42,
        "connection_id": "c-42",
        "attempt": 1,
        "platform": "daily",
        "native_meeting_id": "standup",
        "meeting_url": "http://example",
        "token": "the-token",
        "language": "en",
        "callback_url": plane.url,
        "heartbeat_interval": 0.1,
        **more,
    }
    return json.dumps(fields)


class LiveBotTest(unittest.TestCase):
    """Each test has a control plane."""

    def setUp(self):
        self.plane = Plane()
        self.addCleanup(self.plane.close)

    def live(self, scenario, bot=None, patience=QUICK, **more):
        """Runs a bot and, beside it, a scenario that blocks in a thread; returns bot and code."""

        async def both():
            example = bot() if bot else ExampleBot()
            runner = BotRunner(BotConfig.parse(config(self.plane, **more)), example, patience)
            told = asyncio.create_task(asyncio.to_thread(scenario, runner))
            code = await asyncio.wait_for(runner.run(), SOON)
            await told
            return example, code

        return asyncio.run(both())
