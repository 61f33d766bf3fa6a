package io.convoke.chaos.presence;

import io.convoke.fakes.client.ApiClient;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A bot in a room that fails while faults are injected: its program only waits, and its callbacks
 * come from here. It is no participant.
 */
final class FailingBot {
  private static final String PROGRAM = "bot.sh";
  private static final Duration LOOK_EVERY = Duration.ofMillis(100);
  private static final Duration CALLED = Duration.ofSeconds(60);
  private static final int GONE = 410;

  private final Path folder;
  private final URI server;

  FailingBot(Path folder, URI server) throws IOException {
    this.folder = Files.createDirectories(folder);
    this.server = server;
    try (InputStream program = FailingBot.class.getResourceAsStream(PROGRAM)) {
      var _ = Files.copy(Objects.requireNonNull(program), folder.resolve(PROGRAM));
    }
  }

  /** Command with which servers run it. */
  static String command(Path folder) {
    return "exec sh %s %s".formatted(folder.resolve(PROGRAM), folder);
  }

  /** Has a user's bot sent into a room and admitted. */
  void join(ApiClient user, String room, URI address) {
    long deadline = System.nanoTime() + CALLED.toNanos();
    await(
        () ->
            user.post(
                    "/bots/start",
                    Map.of(
                        "platform",
                        "daily",
                        "native_meeting_id",
                        room,
                        "meeting_url",
                        address.toString()))
                .ok(),
        deadline);
    await(() -> !launched().isEmpty(), deadline);
    call("started", Map.of("meeting_id", meeting()));
    call("joined", Map.of());
  }

  /** Its meeting. */
  long meeting() {
    return config().path("meeting_id").asLong();
  }

  /** It ends with an error, while people are in the room. */
  void fail() {
    call("exited", Map.of("exit_code", 1));
  }

  private void call(String name, Map<String, ?> more) {
    JsonNode config = config();
    ApiClient bot = ApiClient.internal(server, config.path("token").asString());
    Map<String, Object> body = new HashMap<>(more);
    body.put("connection_id", config.path("connection_id").asString());
    await(
        () -> {
          int status = bot.post("/callback/" + name, body).status();
          return status == 200 || status == GONE;
        },
        System.nanoTime() + CALLED.toNanos());
  }

  private JsonNode config() {
    try {
      return JsonMapper.shared().readTree(Files.readString(launched().getFirst()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private List<Path> launched() {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.toString().endsWith(".json")).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void await(BooleanSupplier done, long deadline) {
    while (!done.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        throw new IllegalStateException("the bot of the run was not answered");
      }
      LockSupport.parkNanos(LOOK_EVERY.toNanos());
    }
  }
}
