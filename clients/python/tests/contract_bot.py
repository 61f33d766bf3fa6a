"""A bot for the contract of launchers, which acts as its name says."""

import asyncio
import logging

from convoke.bot import Bot, BotFailure, ExitCode, Session, run


class ContractBot(Bot):
    async def join(self, session: Session) -> None:
        if session.config.bot_name == "BROKEN":
            print("no door here", flush=True)
            raise BotFailure(ExitCode.NO_MEETING, "no_door")
        print("up", flush=True)

    async def stay(self, session: Session) -> str:
        return await asyncio.Event().wait() and ""

    async def leave(self, session: Session) -> None:
        if session.config.bot_name == "DEAF":
            await asyncio.Event().wait()


logging.disable()
run(ContractBot())
