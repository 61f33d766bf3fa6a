package io.convoke.e2e.media;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.e2e.journey.ApiUser;
import io.convoke.e2e.journey.JourneyTestServer;
import io.convoke.e2e.media.SpokenLines.HeardLine;
import io.convoke.fakes.transcribe.PocketsphinxTranscriber;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

/**
 * The bot of {@code examples/janus-bot}, built by Maven, hears people in a room of a real Janus.
 */
@Tag("nightly")
@Tag("heavy")
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
  private static BuiltJanusBot bot;
  @TempDir private Path folder;

  @BeforeAll
  @Timeout(600)
  static void build() throws Exception {
    JanusMachine.require();
    bot = new BuiltJanusBot(project);
  }

  /** A transcriber of one speaker, which writes a line as soon as it has heard one. */
  private Path transcriber() throws IOException {
    PocketsphinxTranscriber listener =
        PocketsphinxTranscriber.listeningFor(
            SAID.values().stream().flatMap(List::stream).toList(), folder);
    return BuiltJanusBot.transcriber(folder, "exec " + listener.live());
  }

  private static List<HeardLine> heard(ApiUser user, long meeting) {
    try {
      return SpokenLines.of(user.get("/transcripts/" + meeting).body());
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Waits until the words of both are in the transcript, and returns the lines. */
  private static List<HeardLine> awaitWords(ApiUser user, long meeting) {
    JourneyTestServer.await(
        "words of both",
        SOON,
        () -> SpokenLines.errorRate(SAID, heard(user, meeting)) < ERRORS_MAX);
    return heard(user, meeting);
  }

  /** How loud each segment was; silence for one without a level. */
  private static List<Double> levels(ApiUser user, long meeting) throws Exception {
    return user.get("/transcripts/" + meeting)
        .body()
        .path("segments")
        .valueStream()
        .map(segment -> segment.path("level_db").asDouble(-127))
        .toList();
  }

  @Test
  void eachOnesWordsAreUnderTheNameAndItEndsWhenItIsTold() throws Exception {
    Map<String, String> settings = Map.of("CONVOKE_BOT_COMMAND", bot.command(transcriber()));
    try (JanusMachine machine = new JanusMachine(folder, settings);
        SpokenRoom speakers = new SpokenRoom(machine.server().server().url())) {
      ApiUser olivia = machine.olivia();
      String link = BuiltJanusBot.room(olivia);
      SAID.keySet().forEach(name -> speakers.join(link, name, false));
      long meeting = BuiltJanusBot.send(olivia, link, "{}");
      BotLog.awaitConnections(folder, SAID.size(), SOON);
      ProcessHandle process = bot.process().orElseThrow();
      Duration before = BuiltJanusBot.cpu(process);
      long begun = System.nanoTime();

      SAID.forEach((name, lines) -> lines.forEach(line -> speakers.say(name, line)));
      List<HeardLine> lines = awaitWords(olivia, meeting);
      double share =
          (double) BuiltJanusBot.cpu(process).minus(before).toNanos()
              / Math.max(1, System.nanoTime() - begun);
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
          BuiltJanusBot.megabytes(process));
      assertThat(wrong).as("%s", lines).isEmpty();
      assertThat(rate).as("%s", lines).isLessThan(ERRORS_MAX);
      assertThat(levels(olivia, meeting)).isNotEmpty().allMatch(level -> level > -45 && level < -3);
      assertThat(BuiltJanusBot.megabytes(process)).isLessThanOrEqualTo(MEGABYTES_MAX);

      long told = System.nanoTime();
      assertThat(process.destroy()).isTrue();
      JourneyTestServer.awaitEnd(process, Duration.ofSeconds(10));
      assertThat(Duration.ofNanos(System.nanoTime() - told)).isLessThan(Duration.ofSeconds(5));
      assertThat(BuiltJanusBot.end(olivia, meeting)).isEqualTo("completed: terminated");
    } finally {
      bot.process().ifPresent(ProcessHandle::destroyForcibly);
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
                    bot.command(transcriber())));
        SpokenRoom speakers = new SpokenRoom(machine.server().server().url())) {
      ApiUser olivia = machine.olivia();
      String link = BuiltJanusBot.room(olivia);
      SAID.keySet().forEach(name -> speakers.join(link, name, false));
      URI server = URI.create(machine.server().server().url());
      door.leadTo(server);
      long meeting =
          BuiltJanusBot.send(olivia, link.replace(server.getAuthority(), door.authority()), "{}");
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
      bot.process().ifPresent(ProcessHandle::destroyForcibly);
    }
  }

  @Test
  void itWritesAgainAfterItsOwnConnectionWasLost() throws Exception {
    Map<String, String> settings = withoutWords();
    try (JanusMachine machine = new JanusMachine(folder, settings)) {
      ApiUser olivia = machine.olivia();
      String link = BuiltJanusBot.room(olivia);
      long meeting = BuiltJanusBot.send(olivia, link, "{\"no_one_joined_timeout\": 600}");
      write(olivia, meeting);
      assertThat(machine.janus().hangUpPublishers("Noter")).isOne();
      JourneyTestServer.await(
          "the end of its connection", SOON, () -> machine.janus().publishers("Noter") == 0);
      // Until it notices it writes to no one; from then on it may not refuse to write.
      JourneyTestServer.await(
          "another connection",
          SOON,
          () -> {
            write(olivia, meeting);
            return machine.janus().publishers("Noter") == 1;
          });
    } finally {
      bot.process().ifPresent(ProcessHandle::destroyForcibly);
    }
  }

  /** Has the bot write, and waits until it says that it did. */
  private static void write(ApiUser user, long meeting) {
    JsonNode before = acknowledged(user, meeting);
    try {
      assertThat(user.post("/bots/janus/standup/chat", "{\"text\": \"Hello\"}").status())
          .isEqualTo(202);
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
    JourneyTestServer.await("its answer", SOON, () -> !acknowledged(user, meeting).equals(before));
    JsonNode done = acknowledged(user, meeting);
    assertThat(done.path("applied").size()).as("%s", done).isOne();
  }

  /** The last command of which the bot said what it did; missing before the first. */
  private static JsonNode acknowledged(ApiUser user, long meeting) {
    try {
      return user.get("/meetings/" + meeting + "/timeline?order=newest&limit=50")
          .body()
          .path("items")
          .valueStream()
          .filter(it -> it.path("type").asString("").equals("bot.command_acknowledged"))
          .findFirst()
          .map(it -> it.path("data"))
          .orElse(MissingNode.getInstance());
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** The processes that listen to a speaker each. */
  private static Set<Long> listeners() {
    return bot.process()
        .orElseThrow()
        .children()
        .map(ProcessHandle::pid)
        .collect(Collectors.toSet());
  }

  @Test
  void itLeavesByTheRulesForSilenceForItsLifetimeAndForBeingAlone() throws Exception {
    Map<String, String> settings =
        Map.of(
            "CONVOKE_BOT_COMMAND",
            bot.command(BuiltJanusBot.transcriber(folder, "cat >/dev/null")),
            "CONVOKE_BOTS_HEARTBEAT_INTERVAL",
            "1s",
            "CONVOKE_BOTS_SWEEP_INTERVAL",
            "2s");
    try (JanusMachine machine = new JanusMachine(folder, settings);
        SpokenRoom speakers = new SpokenRoom(machine.server().server().url())) {
      ApiUser olivia = machine.olivia();
      String link = BuiltJanusBot.room(olivia);
      speakers.join(link, "Ada", false);

      long silent = BuiltJanusBot.send(olivia, link, "{\"silence_timeout\": 12}");
      long began = System.nanoTime();
      while (System.nanoTime() - began < Duration.ofSeconds(24).toNanos()) {
        speakers.say("Ada", SAID.get("Ada").getFirst());
      }
      assertThat(BuiltJanusBot.status(olivia, silent)).as("while Ada speaks").isEqualTo("active");
      assertThat(BuiltJanusBot.end(olivia, silent)).isEqualTo("completed: silence");

      long old =
          BuiltJanusBot.send(olivia, link, "{\"max_lifetime\": 15, \"silence_timeout\": 600}");
      assertThat(BuiltJanusBot.end(olivia, old)).isEqualTo("completed: max_lifetime");

      long alone = BuiltJanusBot.send(olivia, link, "{\"everyone_left_timeout\": 2}");
      speakers.leave("Ada");
      assertThat(BuiltJanusBot.end(olivia, alone)).isEqualTo("completed: everyone_left");
    } finally {
      bot.process().ifPresent(ProcessHandle::destroyForcibly);
    }
  }

  @Test
  void aHostRemovesItAndItLeavesARoomThatIsDestroyed() throws Exception {
    Map<String, String> settings = withoutWords();
    try (JanusMachine machine = new JanusMachine(folder, settings);
        SpokenRoom speakers = new SpokenRoom(machine.server().server().url())) {
      ApiUser olivia = machine.olivia();
      JsonNode links = olivia.post("/rooms", "{\"name\": \"standup\"}").body().path("links");
      String guests = links.path("guest").asString();
      String hosts = links.path("host").asString();
      speakers.join(guests, "Ada", false);

      long removed = BuiltJanusBot.send(olivia, guests, "{}");
      ApiUser host =
          new ApiUser(
              machine.server().server().url(),
              Map.of("X-Join-Token", hosts.substring(hosts.indexOf('#') + 1)));
      assertThat(
              host.post("/join/remove", "{\"id\": \"%s\"}".formatted(idOfBot(olivia, removed)))
                  .status())
          .isEqualTo(204);
      assertThat(BuiltJanusBot.end(olivia, removed)).isEqualTo("completed: removed");

      long ended = BuiltJanusBot.send(olivia, guests, "{}");
      machine.janus().destroy("standup", JanusMachine.secret("standup"));
      assertThat(BuiltJanusBot.end(olivia, ended)).isEqualTo("completed: meeting_ended");
    } finally {
      bot.process().ifPresent(ProcessHandle::destroyForcibly);
    }
  }

  /** Its id in the room of Janus. */
  private static String idOfBot(ApiUser user, long meeting) throws Exception {
    return user.get("/meetings/" + meeting + "/participants?active=true")
        .body()
        .path("items")
        .valueStream()
        .filter(one -> one.path("user_name").asString("").equals("Noter"))
        .findFirst()
        .orElseThrow()
        .path("session_id")
        .asString();
  }

  /** Settings of a server whose bots transcribe nothing. */
  private Map<String, String> withoutWords() throws IOException {
    return Map.of(
        "CONVOKE_BOT_COMMAND", bot.command(BuiltJanusBot.transcriber(folder, "cat >/dev/null")));
  }
}
