package io.convoke.cli;

import io.convoke.client.ConvokeClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** {@code convoke login}: asks for a key, tries it, and stores it. */
@Command(
    name = "login",
    description =
        "Store the address of a server and your key, which is read from the terminal or the standard input.",
    mixinStandardHelpOptions = true)
final class LoginCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Parameters(paramLabel = "URL", description = "Such as https://convoke.example.org.")
  private String url = "";

  LoginCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException {
    URI server = Terminal.address(url);
    if (server.getScheme().equals("http") && !isLoopback(server.getHost())) {
      terminal
          .err()
          .println(ConvokeCommand.NAME + ": warning: the key goes over the network in plain http");
    }
    String key = terminal.secret("API key");
    if (key.isEmpty()) {
      throw new CommandFailure(ExitCodes.USAGE, "no key given");
    }
    StoredLogin login = new StoredLogin(server, key);
    JsonNode who;
    try (ConvokeClient client = Terminal.client(login, ExitCodes.USAGE)) {
      who = client.get("/session", Map.of());
    }
    Path file = StoredLogin.file(terminal.environment());
    login.write(file);
    terminal
        .out()
        .printf("Logged in at %s as %s; stored in %s.%n", server, WhoAmICommand.text(who), file);
    return ExitCodes.DONE;
  }

  private static boolean isLoopback(String host) {
    try {
      return InetAddress.getByName(host).isLoopbackAddress();
    } catch (UnknownHostException _) {
      throw new CommandFailure(
          ExitCodes.NO_SERVER, "No answer from " + host + ": there is no host of this name");
    }
  }
}
