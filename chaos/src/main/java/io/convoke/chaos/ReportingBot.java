package io.convoke.chaos;

import io.convoke.fakes.client.ApiClient;
import io.convoke.fakes.client.ApiReply;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A bot in a room: its program only waits, and its callbacks come from here. */
public final class ReportingBot {
  private static final String PROGRAM = "bot.sh";
  private static final Duration LOOK_EVERY = Duration.ofMillis(100);
  private static final Duration CALLED = Duration.ofSeconds(60);
  private static final int GONE = 410;

  private final Path folder;
  private final URI server;
  private volatile long meeting;

  public ReportingBot(Path folder, URI server) throws IOException {
    this.folder = Files.createDirectories(folder);
    this.server = server;
    try (InputStream program = ReportingBot.class.getResourceAsStream(PROGRAM)) {
      var _ =
          Files.copy(
              Objects.requireNonNull(program),
              folder.resolve(PROGRAM),
              StandardCopyOption.REPLACE_EXISTING);
    }
  }

  /** Command with which servers run it. */
  public static String command(Path folder) {
    return "exec sh %s %s".formatted(folder.resolve(PROGRAM), folder);
  }

  /** Has a user's bot sent into a room and admitted. */
  public void join(ApiClient user, Map<String, ?> request) {
    long deadline = System.nanoTime() + CALLED.toNanos();
    await(
        () -> {
          ApiReply reply = user.post("/bots/start", request);
          // The bot may be there already, if an answer was lost.
          meeting = reply.body().path(reply.ok() ? "id" : "meeting_id").asLong(0);
          return meeting > 0;
        },
        deadline);
    await(() -> config().isPresent(), deadline);
    call("started", Map.of("meeting_id", meeting));
    call("joined", Map.of());
  }

  /** Its meeting. */
  public long meeting() {
    return meeting;
  }

  /** The id of its session. */
  public String connectionId() {
    return config().orElseThrow().path("connection_id").asString();
  }

  /** Its key. */
  public String token() {
    return config().orElseThrow().path("token").asString();
  }

  /** It ends. */
  public void exit(int code) {
    call("exited", Map.of("exit_code", code));
  }

  /** Makes a callback until it is answered. */
  public void call(String name, Map<String, ?> more) {
    ApiClient bot = ApiClient.internal(server, token());
    Map<String, Object> body = new HashMap<>(more);
    body.put("connection_id", connectionId());
    untilAnswered(() -> bot.post("/callback/" + name, body).status());
  }

  /** Repeats a call, by its status, until it is accepted or refused for good. */
  public static void untilAnswered(IntSupplier call) {
    await(
        () -> {
          int status = call.getAsInt();
          return status == 200 || status == GONE;
        },
        System.nanoTime() + CALLED.toNanos());
  }

  private Optional<JsonNode> config() {
    return launched().stream()
        .map(ReportingBot::read)
        .filter(config -> config.path("meeting_id").asLong() == meeting)
        .findFirst();
  }

  private static JsonNode read(Path file) {
    try {
      return JsonMapper.shared().readTree(Files.readString(file));
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
