package io.convoke.server.launch.process;

import io.convoke.server.launch.Launcher;
import io.convoke.server.launch.ScriptedBot;
import java.io.IOException;
import java.util.Optional;
import org.junit.jupiter.api.Tag;

/** Processes of this machine, each with a user of its own. */
@NeedsRoot
@Tag("nightly")
final class ProcessUsersContractTest extends ProcessContractTest {
  @Override
  protected Launcher open() throws IOException {
    return new ProcessLauncher(
        folder,
        BotCommandLine.shell(ScriptedBot.SCRIPT),
        Optional.of(new BotUsers(64_200, 64_299)));
  }
}
