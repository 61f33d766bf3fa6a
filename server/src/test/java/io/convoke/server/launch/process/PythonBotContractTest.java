package io.convoke.server.launch.process;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;

/** A bot of the SDK for Python. */
final class PythonBotContractTest extends SdkBotContract {
  private static final Path CLIENT = home().resolve("clients/python");

  @BeforeAll
  static void find() throws InterruptedException {
    need(CLIENT, "python3", "-c", "import sys; assert sys.version_info >= (3, 11)");
  }

  @Override
  String command() {
    return "env PYTHONPATH=%s python3 -B %s"
        .formatted(CLIENT.resolve("src"), CLIENT.resolve("tests/contract_bot.py"));
  }
}
