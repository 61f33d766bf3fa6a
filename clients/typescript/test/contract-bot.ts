/** A bot for the contract of launchers, which acts as its name says. */
import { BotFailure, ExitCode, run, type Bot, type Session } from "../src/bot.js";

const never = new Promise<never>(() => {});

class ContractBot implements Bot {
  async join({ config }: Session): Promise<void> {
    if (config.bot_name === "BROKEN") {
      console.log("no door here");
      throw new BotFailure(ExitCode.NO_MEETING, "no_door");
    }
    console.log("up");
  }

  stay(): Promise<string> {
    return never;
  }

  async leave({ config }: Session): Promise<void> {
    if (config.bot_name === "DEAF") {
      await never;
    }
  }
}

console.error = () => {};
await run(new ContractBot());
