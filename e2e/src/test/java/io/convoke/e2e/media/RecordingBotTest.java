package io.convoke.e2e.media;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.e2e.journey.ApiUser;
import io.convoke.e2e.journey.JourneyTestServer;
import io.convoke.e2e.media.SpokenLines.HeardLine;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.fakes.transcribe.PocketsphinxTranscriber;
import java.io.ByteArrayInputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import javax.sound.sampled.AudioInputStream;
import javax.sound.sampled.AudioSystem;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * The bot of {@code examples/janus-bot} records a room of a real Janus, is killed and launched
 * again: both recordings can be played, and each has each one's words.
 */
@Tag("nightly")
class RecordingBotTest {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final Duration LONG = Duration.ofMinutes(5);

  /** With two speakers, whose sound it keeps for ten seconds. */
  private static final long MEGABYTES_MAX = 110;

  private static final Map<String, List<String>> SAID = new LinkedHashMap<>();

  static {
    SAID.put("Ada", List.of("We sell the boat on Monday.", "The budget is nearly spent."));
    SAID.put("Ben", List.of("My brother drives a yellow truck.", "It never rains in that desert."));
  }

  @TempDir private static Path project;
  private static BuiltJanusBot bot;
  @TempDir private Path folder;

  @BeforeAll
  static void build() throws Exception {
    JanusMachine.require();
    bot = new BuiltJanusBot(project);
  }

  private static Map<String, List<String>> said(Function<List<String>, String> line) {
    return SAID.entrySet().stream()
        .collect(
            Collectors.toMap(Map.Entry::getKey, entry -> List.of(line.apply(entry.getValue()))));
  }

  private static JsonNode recording(ApiUser user, long meeting) {
    try {
      return user.get("/meetings/" + meeting + "/recordings").body().path("items").path(0);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static String state(ApiUser user, long meeting) {
    return recording(user, meeting).path("status").asString("none");
  }

  private static long parts(Database database) {
    return database.read(
        tx ->
            tx.sql("select count(*) as n from recording_parts").one(row -> row.longAt("n")));
  }

  /** Seconds of a file that can be played. */
  private static double seconds(byte[] wav) throws Exception {
    try (AudioInputStream sound =
        AudioSystem.getAudioInputStream(new ByteArrayInputStream(wav))) {
      byte[] all = sound.readAllBytes();
      assertThat((long) all.length).isEqualTo(2 * sound.getFrameLength());
      return sound.getFrameLength() / (double) sound.getFormat().getFrameRate();
    }
  }

  private static double compare(
      String what, Map<String, List<String>> said, ApiUser user, long meeting) throws Exception {
    List<HeardLine> heard = SpokenLines.of(user.get("/transcripts/" + meeting).body());
    double rate = SpokenLines.errorRate(said, heard);
    double seconds =
        seconds(
            user.bytes(
                "/recordings/"
                    + recording(user, meeting).path("recording_id").asString("")
                    + "/audio"));
    System.out.printf(
        Locale.ROOT,
        "%s: %.1f s, %d lines, word error rate %.3f%n",
        what,
        seconds,
        heard.size(),
        rate);
    assertThat(SpokenLines.underAWrongName(said, heard)).as("%s", heard).isEmpty();
    assertThat(rate).as("%s", heard).isLessThan(0.3);
    return seconds;
  }

  @Test
  @Timeout(900)
  void whatIsUploadedBeforeAKillAndAfterTheNextLaunchCanBePlayed() throws Exception {
    PocketsphinxTranscriber listener =
        PocketsphinxTranscriber.listeningFor(
            SAID.values().stream().flatMap(List::stream).toList(), folder);
    Map<String, String> settings =
        Map.of(
            "CONVOKE_BOT_COMMAND",
            bot.command(BuiltJanusBot.transcriber(folder, "cat >/dev/null")),
            "CONVOKE_BOT_RECORDING",
            "true",
            "CONVOKE_TRANSCRIBER",
            listener.setting());
    try (JanusMachine machine = new JanusMachine(folder, settings);
        Database database =
            Database.open(
                DatabaseUrl.parse(machine.server().databaseUrl()), 1, "test", List.of("convoke"));
        SpokenRoom speakers = new SpokenRoom(machine.server().server().url())) {
      ApiUser olivia = machine.olivia();
      String link = BuiltJanusBot.room(olivia);
      SAID.keySet().forEach(name -> speakers.join(link, name, false));

      long killed = BuiltJanusBot.send(olivia, link, "{}");
      speakers.quiet(Duration.ofSeconds(3));
      SAID.forEach((name, lines) -> speakers.say(name, lines.getFirst()));
      long before = parts(database);
      // Two parts of the whole meeting after the words: then these are in.
      speakers.quiet(Duration.ofSeconds(21));
      JourneyTestServer.await("its parts", SOON, () -> parts(database) >= before + 2);
      ProcessHandle first = bot.process().orElseThrow();
      System.out.printf("recording bot: %d MB%n", BuiltJanusBot.megabytes(first));
      assertThat(BuiltJanusBot.megabytes(first)).isLessThanOrEqualTo(MEGABYTES_MAX);
      assertThat(first.destroyForcibly()).isTrue();
      assertThat(BuiltJanusBot.end(olivia, killed)).startsWith("failed: ");
      assertThat(state(olivia, killed)).isEqualTo("in_progress");

      long relaunched = BuiltJanusBot.send(olivia, link, "{}");
      speakers.quiet(Duration.ofSeconds(3));
      SAID.forEach((name, lines) -> speakers.say(name, lines.getLast()));
      ProcessHandle second = bot.process().orElseThrow();
      long told = System.nanoTime();
      assertThat(second.destroy()).isTrue();
      JourneyTestServer.awaitEnd(second, Duration.ofSeconds(10));
      assertThat(Duration.ofNanos(System.nanoTime() - told)).isLessThan(Duration.ofSeconds(5));
      assertThat(state(olivia, relaunched)).as("all was uploaded").isNotEqualTo("in_progress");
      assertThat(BuiltJanusBot.end(olivia, relaunched)).isEqualTo("completed: terminated");
      JourneyTestServer.await(
          "the second recording", LONG, () -> state(olivia, relaunched).equals("done"));
      assertThat(compare("after the relaunch", said(List::getLast), olivia, relaunched))
          .isBetween(5.0, 60.0);

      late(database);
      JourneyTestServer.await(
          "the first recording", LONG, () -> state(olivia, killed).equals("done"));
      assertThat(compare("before the kill", said(List::getFirst), olivia, killed))
          .isBetween(20.0, 120.0);
    } finally {
      bot.process().ifPresent(ProcessHandle::destroyForcibly);
    }
  }

  /** As if the time had passed for which parts of the killed bot are waited for. */
  private static void late(Database database) {
    int _ =
        database.read(
            tx ->
                tx.sql(
                        """
                        with over as (
                          update meetings set end_time = end_time - interval '20 minutes'
                          where end_time is not null)
                        update recordings set told_at = told_at - interval '20 minutes'
                        where status = 'in_progress'
                        """)
                    .update());
  }
}
