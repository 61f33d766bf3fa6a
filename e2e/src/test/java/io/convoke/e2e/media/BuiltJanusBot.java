package io.convoke.e2e.media;

import io.convoke.agent.Bot;
import io.convoke.e2e.build.ExampleBuild;
import io.convoke.e2e.journey.ApiUser;
import io.convoke.e2e.journey.JourneyTestServer;
import io.convoke.engine.dispatch.TaskAttempt;
import io.convoke.engine.durable.Durable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/** The bot of {@code examples/janus-bot}, built by Maven, in meetings of a server. */
final class BuiltJanusBot {
  private static final Duration SOON = Duration.ofSeconds(60);

  private final Path project;

  /** Builds it in an empty folder. */
  BuiltJanusBot(Path project) throws Exception {
    this.project = project;
    ExampleBuild.packaged(
        "janus-bot",
        project,
        Map.of("agent", Bot.class, "dispatch", TaskAttempt.class, "durable", Durable.class));
  }

  /** What a server is to start. */
  String command(Path transcriber) {
    return "JANUS_BOT_TRANSCRIBER=%s JANUS_BOT_JAVA=%s exec sh %s"
        .formatted(
            transcriber,
            Path.of(System.getProperty("java.home"), "bin", "java"),
            project.resolve("run.sh"));
  }

  /** Writes a transcriber of one speaker. */
  static Path transcriber(Path folder, String command) throws IOException {
    Path script = folder.resolve("transcribe.sh");
    Files.writeString(script, "#!/bin/sh\n" + command + "\n");
    return Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  /** Its process, while one runs. */
  Optional<ProcessHandle> process() {
    return ProcessHandle.allProcesses()
        .filter(
            process ->
                process.info().arguments().stream()
                    .flatMap(Stream::of)
                    .anyMatch(argument -> argument.contains(project.toString())))
        .filter(process -> process.info().command().orElse("").endsWith("/java"))
        .findFirst();
  }

  static JsonNode meeting(ApiUser user, long meeting) {
    try {
      return user.get("/meetings/" + meeting).body();
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  static String status(ApiUser user, long meeting) {
    return meeting(user, meeting).path("status").asString("");
  }

  /** Makes a room; returns the link of its guests. */
  static String room(ApiUser user) throws Exception {
    return user.post("/rooms", "{\"name\": \"standup\"}")
        .body()
        .path("links")
        .path("guest")
        .asString();
  }

  /** Sends a bot by a link and waits until it is in the room; returns its meeting. */
  static long send(ApiUser user, String link, String automaticLeave) throws Exception {
    long meeting =
        user.post(
                "/bots/start",
                """
                {"platform": "janus", "native_meeting_id": "standup", "bot_name": "Noter",
                 "meeting_url": "%s", "automatic_leave": %s}
                """
                    .formatted(link, automaticLeave))
            .body()
            .path("id")
            .asLong();
    JourneyTestServer.await("the bot", SOON, () -> status(user, meeting).equals("active"));
    return meeting;
  }

  /** Waits for the end of a bot; returns its status and the reason. */
  static String end(ApiUser user, long meeting) {
    JourneyTestServer.await(
        "the bot's end", SOON, () -> List.of("completed", "failed").contains(status(user, meeting)));
    JsonNode ended = meeting(user, meeting);
    return ended.path("status").asString("")
        + ": "
        + ended.path("data").path("outcome").path("reason").asString("");
  }

  static Duration cpu(ProcessHandle process) {
    return process.info().totalCpuDuration().orElseThrow();
  }

  static long megabytes(ProcessHandle process) {
    try (Stream<String> lines = Files.lines(Path.of("/proc/" + process.pid() + "/status"))) {
      return lines
              .filter(line -> line.startsWith("VmRSS:"))
              .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
              .sum()
          / 1024;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
