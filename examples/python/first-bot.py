"""A bot for rooms of the simulator: it greets, and reports what it hears.

CONVOKE_BOT_COMMAND='python3 first-bot.py'
"""

from convoke.bot import Bot, Segment, run
from convoke.simulator import Room


class Greeter(Bot):
    async def join(self, session):
        config = session.config
        self.room = await Room.join(config.meeting_url, config.bot_name, "greeter")
        session.own_id = self.room.session_id
        if self.room.waiting:
            await session.awaiting_admission()
            await self.room.admitted(config.waiting_room_timeout)

    async def stay(self, session):
        await self.room.say("Hello, I take notes.")
        return await session.until_alone_or(self.listen(session))

    async def listen(self, session):
        said = 0
        async for event in self.room.events():
            if event.name == "snapshot":
                session.everybody(event.people())
            elif event.name == "participant-joined":
                session.joined(event.person())
            elif event.name == "participant-left":
                session.left(event.text("session_id"))
            elif event.name == "caption":
                session.transcript(
                    Segment(said, said + 1, event.text("text"), event.text("user_name"))
                )
                said += 1
            elif event.name in ("meeting-ended", "session-gone"):
                break
        return "meeting_ended"

    async def leave(self, session):
        if hasattr(self, "room"):
            await self.room.leave()


run(Greeter())
