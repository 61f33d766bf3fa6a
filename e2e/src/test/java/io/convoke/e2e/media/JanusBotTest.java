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
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
    return script(
        "exec stdbuf -oL pocketsphinx_continuous -logfn /dev/null -dict %s -jsgf %s -infile /dev/stdin"
            .formatted(listener.lexicon(), listener.grammar()));
  }

  private Path script(String command) throws IOException {
    Path script = folder.resolve("transcribe.sh");
    Files.writeString(script, "#!/bin/sh\n" + command + "\n");
    return Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private Optional<ProcessHandle> bot() {
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

  private static JsonNode meeting(ApiUser user, long meeting) {
    try {
      return user.get("/meetings/" + meeting).body();
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static String status(ApiUser user, long meeting) {
    return meeting(user, meeting).path("status").asString("");
  }

  private static String room(ApiUser user) throws Exception {
    return user.post("/rooms", "{\"name\": \"standup\"}")
        .body()
        .path("links")
        .path("guest")
        .asString();
  }

  /** Sends a bot by a link and waits until it is in the room. */
  private static long bot(ApiUser user, String link, String automaticLeave) throws Exception {
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

  /** Waits for the end of a bot; returns why it ended. */
  private static String end(ApiUser user, long meeting) {
    JourneyTestServer.await(
        "the bot's end",
        SOON,
        () -> List.of("completed", "failed").contains(status(user, meeting)));
    assertThat(status(user, meeting)).isEqualTo("completed");
    return meeting(user, meeting).path("data").path("outcome").path("reason").asString("");
  }

  @Test
  void eachOnesWordsAreUnderTheNameAndItEndsWhenItIsTold() throws Exception {
    Map<String, String> settings = Map.of("CONVOKE_BOT_COMMAND", command(transcriber()));
    try (JanusMachine machine = new JanusMachine(folder, settings);
        SpokenRoom speakers = new SpokenRoom(machine.server().server().url())) {
      ApiUser olivia = machine.olivia();
      String link = room(olivia);
      SAID.keySet().forEach(name -> speakers.join(link, name, false));
      long meeting = bot(olivia, link, "{}");
      // The connections to those who speak follow the join.
      speakers.quiet(Duration.ofSeconds(3));
      ProcessHandle process = bot().orElseThrow();
      Duration before = cpu(process);
      long begun = System.nanoTime();

      SAID.forEach((name, lines) -> lines.forEach(line -> speakers.say(name, line)));
      JourneyTestServer.await(
          "words of both",
          SOON,
          () ->
              heard(olivia, meeting).stream().map(HeardLine::speaker).distinct().count()
                  == SAID.size());
      double share =
          (double) cpu(process).minus(before).toNanos() / Math.max(1, System.nanoTime() - begun);
      List<HeardLine> lines = heard(olivia, meeting);
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
      assertThat(rate).as("%s", lines).isLessThan(0.4);
      assertThat(megabytes(process)).isLessThanOrEqualTo(MEGABYTES_MAX);

      long told = System.nanoTime();
      assertThat(process.destroy()).isTrue();
      JourneyTestServer.awaitEnd(process, Duration.ofSeconds(10));
      assertThat(Duration.ofNanos(System.nanoTime() - told)).isLessThan(Duration.ofSeconds(5));
      assertThat(end(olivia, meeting)).isEqualTo("terminated");
    } finally {
      bot().ifPresent(ProcessHandle::destroyForcibly);
    }
  }

  @Test
  void itLeavesByTheRulesForSilenceForItsLifetimeAndForBeingAlone() throws Exception {
    Map<String, String> settings =
        Map.of(
            "CONVOKE_BOT_COMMAND",
            command(script("cat >/dev/null")),
            "CONVOKE_BOTS_HEARTBEAT_INTERVAL",
            "1s",
            "CONVOKE_BOTS_SWEEP_INTERVAL",
            "2s");
    try (JanusMachine machine = new JanusMachine(folder, settings);
        SpokenRoom speakers = new SpokenRoom(machine.server().server().url())) {
      ApiUser olivia = machine.olivia();
      String link = room(olivia);
      speakers.join(link, "Ada", false);

      long silent = bot(olivia, link, "{\"silence_timeout\": 12}");
      long began = System.nanoTime();
      while (System.nanoTime() - began < Duration.ofSeconds(24).toNanos()) {
        speakers.say("Ada", SAID.get("Ada").getFirst());
      }
      assertThat(status(olivia, silent)).as("while Ada speaks").isEqualTo("active");
      assertThat(end(olivia, silent)).isEqualTo("silence");

      long old = bot(olivia, link, "{\"max_lifetime\": 15, \"silence_timeout\": 600}");
      assertThat(end(olivia, old)).isEqualTo("max_lifetime");

      long alone = bot(olivia, link, "{\"everyone_left_timeout\": 2}");
      speakers.leave("Ada");
      assertThat(end(olivia, alone)).isEqualTo("everyone_left");
    } finally {
      bot().ifPresent(ProcessHandle::destroyForcibly);
    }
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
