package io.convoke.cli;

import io.convoke.client.ConvokeClient;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

/** {@code convoke whoami}. */
@Command(
    name = "whoami",
    description = "Show the server and the user of the key.",
    mixinStandardHelpOptions = true)
final class WhoAmICommand implements Callable<Integer> {
  private final Terminal terminal;

  @Option(names = "--json", description = "As JSON.")
  private boolean json;

  WhoAmICommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    StoredLogin login = terminal.login();
    try (ConvokeClient client = terminal.client()) {
      JsonNode who = client.get("/session", Map.of());
      if (json) {
        terminal.json(who);
      } else {
        terminal.out().printf("%s at %s%n", text(who), login.url());
      }
    }
    return ExitCodes.DONE;
  }

  static String text(JsonNode who) {
    String user = Terminal.member("user_id").apply(who);
    return who.path("role").asString("") + (user.isEmpty() ? "" : " " + user);
  }
}
