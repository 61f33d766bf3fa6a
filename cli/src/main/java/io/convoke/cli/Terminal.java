package io.convoke.cli;

import io.convoke.client.ConvokeClient;
import java.io.BufferedReader;
import java.io.Console;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * What a command reads and writes, and the server that it asks.
 *
 * @param environment {@code CONVOKE_URL} and {@code CONVOKE_API_KEY} go before what is stored
 * @param console where a person types a key; empty if the input is no terminal
 */
record Terminal(
    Map<String, String> environment,
    InputStream in,
    PrintStream out,
    PrintStream err,
    Optional<Console> console) {
  private static final JsonMapper JSON =
      JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();
  private static final JsonMapper LINES = JsonMapper.builder().build();

  static Terminal ofProcess() {
    Optional<Console> console = Optional.ofNullable(System.console()).filter(Console::isTerminal);
    // Files and pipes get UTF-8 whatever the locale; a terminal has an encoding of its own. Java
    // knows one only where input and output both are terminals: with other input it gets UTF-8 too.
    PrintStream out =
        console.isPresent()
            ? System.out
            : new PrintStream(System.out, false, StandardCharsets.UTF_8);
    return new Terminal(System.getenv(), System.in, out, System.err, console);
  }

  /**
   * The server and key to use.
   *
   * @throws CommandFailure without any
   */
  StoredLogin login() {
    Optional<String> url = set("CONVOKE_URL");
    Optional<String> key = set("CONVOKE_API_KEY");
    try {
      Optional<StoredLogin> stored =
          url.isPresent() && key.isPresent()
              ? Optional.empty()
              : StoredLogin.read(StoredLogin.file(environment));
      URI server =
          url.map(Terminal::address)
              .or(() -> stored.map(StoredLogin::url))
              .orElseThrow(Terminal::notLoggedIn);
      if (url.isPresent()
          && key.isEmpty()
          && stored.filter(it -> it.url().equals(server)).isEmpty()) {
        // The stored key is for another server, which alone may see it.
        throw new CommandFailure(
            ExitCodes.NO_LOGIN, "CONVOKE_URL is set without CONVOKE_API_KEY for that server");
      }
      return new StoredLogin(
          server, key.or(() -> stored.map(StoredLogin::key)).orElseThrow(Terminal::notLoggedIn));
    } catch (IOException e) {
      throw new CommandFailure(ExitCodes.NO_LOGIN, String.valueOf(e.getMessage()));
    }
  }

  /** A client of that server. */
  ConvokeClient client() {
    return client(login(), ExitCodes.NO_LOGIN);
  }

  /**
   * A client with this login.
   *
   * @throws CommandFailure with the exit code if the key cannot be sent
   */
  static ConvokeClient client(StoredLogin login, int exitCode) {
    try {
      return ConvokeClient.builder(login.url()).apiKey(login.key()).build();
    } catch (IllegalArgumentException e) {
      throw new CommandFailure(exitCode, String.valueOf(e.getMessage()));
    }
  }

  /**
   * The address of a server.
   *
   * @throws CommandFailure if it is none
   */
  static URI address(String text) {
    try {
      URI uri = URI.create(text.replaceFirst("/+$", ""));
      if (uri.getHost() != null
          && ("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()))
          && uri.getUserInfo() == null) {
        return uri;
      }
    } catch (IllegalArgumentException _) {
      // Said below.
    }
    throw new CommandFailure(
        ExitCodes.USAGE, "an address is needed, such as https://convoke.example.org");
  }

  /**
   * Checks how many items are wanted.
   *
   * @throws CommandFailure if it is no number of items
   */
  static void checkCount(int items) {
    if (items < 0) {
      throw new CommandFailure(ExitCodes.USAGE, "-n takes a number from 0 on");
    }
  }

  private static CommandFailure notLoggedIn() {
    return new CommandFailure(
        ExitCodes.NO_LOGIN,
        "not logged in: %s login URL, or set CONVOKE_URL and CONVOKE_API_KEY"
            .formatted(ConvokeCommand.NAME));
  }

  private Optional<String> set(String name) {
    return Optional.ofNullable(environment.get(name))
        .map(String::strip)
        .filter(it -> !it.isEmpty());
  }

  /** A value for programs. */
  void json(Object value) {
    out.println(JSON.writeValueAsString(value));
  }

  /** A value for programs, on one line. */
  void jsonLine(JsonNode value) {
    out.println(LINES.writeValueAsString(value));
    out.flush();
  }

  static JsonMapper mapper() {
    return LINES;
  }

  /** Lines for people: a table of these columns. */
  void table(Stream<JsonNode> items, Map<String, Function<JsonNode, String>> columns) {
    TextTable table = new TextTable(columns.keySet().toArray(String[]::new));
    items.forEach(
        item -> table.add(columns.values().stream().map(column -> column.apply(item)).toList()));
    out.print(table.text());
    out.flush();
  }

  /** A member as text; empty if it is null or absent. */
  static Function<JsonNode, String> member(String name) {
    return item -> {
      JsonNode value = item.path(name);
      return value.isMissingNode() || value.isNull() ? "" : value.asString("");
    };
  }

  /**
   * The key that a person types, or that comes by the standard input; never an argument, which
   * every process of the machine could read.
   */
  String secret(String prompt) {
    if (console.isPresent()) {
      char[] typed = console.get().readPassword("%s: ", prompt);
      return typed == null ? "" : new String(typed).strip();
    }
    try {
      String line =
          new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8)).readLine();
      return line == null ? "" : line.strip();
    } catch (IOException e) {
      throw new CommandFailure(ExitCodes.USAGE, "no key on the standard input");
    }
  }

  /** All of the standard input. */
  String input() {
    try {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new CommandFailure(ExitCodes.USAGE, "the standard input cannot be read");
    }
  }
}
