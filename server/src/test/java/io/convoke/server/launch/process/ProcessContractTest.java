package io.convoke.server.launch.process;

import io.convoke.server.launch.Launcher;
import io.convoke.server.launch.LauncherContract;
import io.convoke.server.launch.ScriptedBot;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** Processes of this machine. */
class ProcessContractTest extends LauncherContract {
  @TempDir Path folder;

  @Override
  protected Launcher open() throws IOException {
    return new ProcessLauncher(folder, BotCommandLine.shell(ScriptedBot.SCRIPT));
  }

  @Override
  protected boolean canBeAway() {
    return false;
  }

  /** Only the parent receives an exit code. */
  @Override
  protected boolean remembersForOthers() {
    return false;
  }

  @Override
  protected boolean seesCodesOfOthers() {
    return false;
  }

  @Override
  protected void takeAway() {
    throw new UnsupportedOperationException("we run on it");
  }

  @Override
  protected void bringBack() {
    throw new UnsupportedOperationException("we run on it");
  }

  @Override
  protected String strangeHandle(String ofAnother) {
    return ProcessRef.parse(ofAnother)
        .map(bot -> new ProcessRef(bot.host(), bot.pid(), bot.startMillis() - 60_000, "bot-0"))
        .orElseThrow()
        .toString();
  }
}
