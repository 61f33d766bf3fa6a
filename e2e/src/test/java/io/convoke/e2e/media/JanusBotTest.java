package io.convoke.e2e.media;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.agent.Bot;
import io.convoke.e2e.build.ExampleBuild;
import io.convoke.e2e.journey.ApiUser;
import io.convoke.e2e.journey.JourneyTestServer;
import io.convoke.e2e.media.SpokenLines.HeardLine;
import io.convoke.engine.dispatch.TaskAttempt;
import io.convoke.engine.durable.Durable;
import io.convoke.fakes.transcribe.PocketsphinxTranscriber;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * The bot of {@code examples/janus-bot}, built by Maven, hears people in a room of a real Janus.
 */
@Tag("nightly")
@Timeout(600)
class JanusBotTest {
  private static final Duration SOON = Duration.ofSeconds(60);

  /** Wrong words for each that was said. */
  private static final double ERRORS_MAX = 0.4;

  /** With two speakers; without run.sh it is 128. */
  private static final long MEGABYTES_MAX = 100;

  private static final Map<String, List<String>> SAID = new LinkedHashMap<>();

  static {
    SAID.put("Ada", List.of("We sell the boat on Monday.", "The budget is nearly spent."));
    SAID.put("Ben", List.of("My brother drives a yellow truck.", "It never rains in that desert."));
  }

  @TempDir private static Path project;
  @TempDir private Path folder;

  @BeforeAll
  static void build() throws Exception {
    JanusMachine.require();
    ExampleBuild.packaged(
        "janus-bot",
        project,
        Map.of("agent", Bot.class, "dispatch", TaskAttempt.class, "durable", Durable.class));
  }

  private String command(Path transcriber) {
    return "JANUS_BOT_TRANSCRIBER=%s JANUS_BOT_JAVA=%s exec sh %s"
        .formatted(
            transcriber,
            Path.of(System.getProperty("java.home"), "bin", "java"),
            project.resolve("run.sh"));
  }

  /** A transcriber of one speaker, which writes a line as soon as it has heard one. */
  private Path transcriber() throws IOException {
    PocketsphinxTranscriber listener =
        PocketsphinxTranscriber.listeningFor(
            SAID.values().stream().flatMap(List::stream).toList(), folder);
    Path script = folder.resolve("transcribe.sh");
    Files.writeString(
        script,
        """
        #!/bin/sh
        exec %s
        """
            .formatted(listener.live()));
    return Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private static Optional<ProcessHandle> bot() {
    return ProcessHandle.allProcesses()
        .filter(
            process ->
                process.info().arguments().stream()
                    .flatMap(Stream::of)
                    .anyMatch(argument -> argument.contains(project.toString())))
        .filter(process -> process.info().command().orElse("").endsWith("/java"))
        .findFirst();
  }

  private static List<HeardLine> heard(ApiUser user, long meeting) {
    try {
      return SpokenLines.of(user.get("/transcripts/" + meeting).body());
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static String status(ApiUser user, long meeting) {
    try {
      return user.get("/meetings/" + meeting).body().path("status").asString("");
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static String link(ApiUser user) throws Exception {
    return user.post("/rooms", "{\"name\": \"standup\"}")
        .body()
        .path("links")
        .path("guest")
        .asString();
  }

  /** Sends the bot to those in the room; returns the meeting when it is active. */
  private static long started(ApiUser user, String link) throws Exception {
    JsonNode bot =
        user.post(
                "/bots/start",
                """
                {"platform": "janus", "native_meeting_id": "standup", "bot_name": "Noter",
                 "meeting_url": "%s"}
                """
                    .formatted(link))
            .body();
    long meeting = bot.path("id").asLong();
    JourneyTestServer.await("the bot", SOON, () -> status(user, meeting).equals("active"));
    return meeting;
  }

  /** Waits until the words of both are in the transcript, and returns the lines. */
  private static List<HeardLine> awaitWords(ApiUser user, long meeting) {
    JourneyTestServer.await(
        "words of both",
        SOON,
        () -> SpokenLines.errorRate(SAID, heard(user, meeting)) < ERRORS_MAX);
    return heard(user, meeting);
  }

  @Test
  void eachOnesWordsAreUnderTheNameAndItEndsWhenItIsTold() throws Exception {
    Map<String, String> settings = Map.of("CONVOKE_BOT_COMMAND", command(transcriber()));
    try (JanusMachine machine = new JanusMachine(folder, settings);
        SpokenRoom speakers = new SpokenRoom(machine.server().server().url())) {
      ApiUser olivia = machine.olivia();
      String link = link(olivia);
      SAID.keySet().forEach(name -> speakers.join(link, name, false));
      long meeting = started(olivia, link);
      BotLog.awaitConnections(folder, SAID.size(), SOON);
      ProcessHandle process = bot().orElseThrow();
      Duration before = cpu(process);
      long begun = System.nanoTime();

      SAID.forEach((name, lines) -> lines.forEach(line -> speakers.say(name, line)));
      List<HeardLine> lines = awaitWords(olivia, meeting);
      double share =
          (double) cpu(process).minus(before).toNanos() / Math.max(1, System.nanoTime() - begun);
      List<HeardLine> wrong = SpokenLines.underAWrongName(SAID, lines);
      double rate = SpokenLines.errorRate(SAID, lines);
      System.out.printf(
          java.util.Locale.ROOT,
          "janus-bot: %d lines, %d under a wrong name, word error rate %.3f, %.1f %% of a core,"
              + " %d MB%n",
          lines.size(),
          wrong.size(),
          rate,
          100 * share,
          megabytes(process));
      assertThat(wrong).as("%s", lines).isEmpty();
      assertThat(rate).as("%s", lines).isLessThan(ERRORS_MAX);
      assertThat(megabytes(process)).isLessThanOrEqualTo(MEGABYTES_MAX);

      long told = System.nanoTime();
      assertThat(process.destroy()).isTrue();
      JourneyTestServer.awaitEnd(process, Duration.ofSeconds(10));
      assertThat(Duration.ofNanos(System.nanoTime() - told)).isLessThan(Duration.ofSeconds(5));
      JourneyTestServer.await(
          "its end", SOON, () -> List.of("completed", "failed").contains(status(olivia, meeting)));
    } finally {
      bot().ifPresent(ProcessHandle::destroyForcibly);
    }
  }

  @Test
  void whatIsRefusedOrLostIsMadeAgain() throws Exception {
    try (RefusingDoor door = new RefusingDoor(3);
        JanusMachine machine =
            new JanusMachine(
                folder,
                Map.of(
                    "CONVOKE_MEETING_HOSTS",
                    door.authority(),
                    "CONVOKE_BOT_COMMAND",
                    command(transcriber())));
        SpokenRoom speakers = new SpokenRoom(machine.server().server().url())) {
      ApiUser olivia = machine.olivia();
      String link = link(olivia);
      SAID.keySet().forEach(name -> speakers.join(link, name, false));
      URI server = URI.create(machine.server().server().url());
      door.leadTo(server);
      long meeting = started(olivia, link.replace(server.getAuthority(), door.authority()));
      BotLog.awaitConnections(folder, SAID.size(), SOON);
      assertThat(door.left()).isZero();
      Set<Long> listeners = listeners();

      assertThat(machine.janus().hangUpSubscribers()).isEqualTo(SAID.size());
      BotLog.awaitConnections(folder, 2 * SAID.size(), SOON);
      assertThat(machine.janus().subscribers()).isEqualTo(SAID.size());
      SAID.forEach((name, lines) -> lines.forEach(line -> speakers.say(name, line)));
      List<HeardLine> lines = awaitWords(olivia, meeting);
      assertThat(SpokenLines.underAWrongName(SAID, lines)).as("%s", lines).isEmpty();
      assertThat(listeners()).hasSize(SAID.size()).isEqualTo(listeners);

      listeners.forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
      JourneyTestServer.await(
          "other transcribers",
          SOON,
          () -> listeners().size() == SAID.size() && Collections.disjoint(listeners(), listeners));
      int before = heard(olivia, meeting).size();
      SAID.forEach((name, said) -> said.forEach(line -> speakers.say(name, line)));
      JourneyTestServer.await(
          "words of both again",
          SOON,
          () ->
              heard(olivia, meeting).stream()
                      .skip(before)
                      .map(HeardLine::speaker)
                      .distinct()
                      .count()
                  == SAID.size());
    } finally {
      bot().ifPresent(ProcessHandle::destroyForcibly);
    }
  }

  /** The processes that listen to a speaker each. */
  private static Set<Long> listeners() {
    ProcessHandle bot = bot().orElseThrow();
    return bot.children().map(ProcessHandle::pid).collect(Collectors.toSet());
  }

  private static Duration cpu(ProcessHandle process) {
    return process.info().totalCpuDuration().orElseThrow();
  }

  private static long megabytes(ProcessHandle process) {
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
