package io.convoke.e2e.media;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.e2e.journey.ApiUser;
import io.convoke.e2e.journey.JourneyTestServer;
import io.convoke.e2e.media.SpokenLines.HeardLine;
import io.convoke.fakes.transcribe.PocketsphinxTranscriber;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * People speak in rooms that a real Janus records, and each one's words are in the transcript under
 * that name, also when Janus is killed while they speak.
 */
@Tag("nightly")
class RecordedRoomTest {
  private static final Duration LONG = Duration.ofMinutes(6);
  private static final Map<String, List<String>> TWO = new LinkedHashMap<>();
  private static final Map<String, List<String>> FOUR = new LinkedHashMap<>();

  static {
    TWO.put("Ada", List.of("We sell the boat on Monday.", "The budget is nearly spent."));
    TWO.put("Ben", List.of("My brother drives a yellow truck.", "It never rains in that desert."));
    FOUR.put(
        "Cleo", List.of("Please call the office tomorrow.", "Her contract was signed already."));
    FOUR.put("Dan", List.of("Our flight leaves around seven.", "This kitchen smells like coffee."));
    FOUR.put(
        "Eve", List.of("Every window needs new glass.", "Some children play football outside."));
    FOUR.put("Finn", List.of("Winter comes early this year.", "Nine horses crossed the river."));
  }

  private static final Map<String, List<String>> EIGHT = new LinkedHashMap<>();
  private static final Map<String, List<String>> BOTH =
      Map.of(
          "Ada",
          List.of(
              "We sell the boat on Monday.",
              "The budget is nearly spent.",
              "Please call her office tomorrow."),
          "Ben",
          List.of(
              "My brother drives a yellow truck.",
              "It never rains in that desert.",
              "Nine horses crossed this river."));

  static {
    EIGHT.put("Gina", List.of("The doctor washed his hands."));
    EIGHT.put("Hugo", List.of("Our teacher opened a book."));
    EIGHT.put("Iris", List.of("They painted that wall blue."));
    EIGHT.put("Jack", List.of("Music played all night long."));
    EIGHT.put("Kate", List.of("An apple fell from its tree."));
    EIGHT.put("Liam", List.of("Snow covered every mountain."));
    EIGHT.put("Mona", List.of("Please bring me some water."));
    EIGHT.put("Nils", List.of("Her train arrived on time."));
  }

  @TempDir private Path folder;

  @BeforeAll
  static void require() {
    JanusMachine.require();
  }

  private static List<String> all(Map<String, List<String>> said) {
    return said.values().stream().flatMap(List::stream).toList();
  }

  private static String room(ApiUser user, String name) throws Exception {
    ApiUser.Reply made =
        user.post("/rooms", "{\"name\": \"%s\", \"record\": true}".formatted(name));
    assertThat(made.status()).as(made.body().toString()).isEqualTo(201);
    return made.body().path("links").path("guest").asString();
  }

  private static long track(ApiUser user, String room) throws Exception {
    return user.post(
            "/meetings", "{\"platform\": \"janus\", \"native_meeting_id\": \"%s\"}".formatted(room))
        .body()
        .path("id")
        .asLong();
  }

  private static List<JsonNode> recordings(ApiUser user, long meeting) {
    try {
      return user.get("/recordings?meeting_id=" + meeting)
          .body()
          .path("items")
          .valueStream()
          .toList();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static boolean done(ApiUser user, long meeting) {
    List<JsonNode> all = recordings(user, meeting);
    assertThat(all).noneMatch(one -> one.path("status").asString().equals("failed"));
    return !all.isEmpty()
        && all.stream().allMatch(one -> one.path("status").asString().equals("done"));
  }

  private static void compare(String what, Map<String, List<String>> said, JsonNode transcript) {
    List<HeardLine> heard = SpokenLines.of(transcript);
    List<HeardLine> wrong = SpokenLines.underAWrongName(said, heard);
    double rate = SpokenLines.errorRate(said, heard);
    System.out.printf(
        Locale.ROOT,
        "%s: %d lines, %d under a wrong name, word error rate %.3f%n",
        what,
        heard.size(),
        wrong.size(),
        rate);
    assertThat(wrong).as("%s", heard).isEmpty();
    assertThat(heard.stream().map(HeardLine::speaker).distinct())
        .containsExactlyInAnyOrderElementsOf(said.keySet());
    assertThat(rate).as("%s", heard).isLessThan(0.3);
  }

  @Test
  @Timeout(600)
  void whatTwoAndFourPeopleSayIsUnderTheirNames() throws Exception {
    PocketsphinxTranscriber listener =
        PocketsphinxTranscriber.listeningFor(
            Stream.concat(all(TWO).stream(), all(FOUR).stream()).toList(), folder);
    try (JanusMachine machine =
            new JanusMachine(folder, Map.of("CONVOKE_TRANSCRIBER", listener.setting()));
        SpokenRoom speakers = new SpokenRoom(machine.server().server().url())) {
      ApiUser olivia = machine.olivia();
      String duo = room(olivia, "duo");
      String quartet = room(olivia, "quartet");
      long two = track(olivia, "duo");
      long four = track(olivia, "quartet");
      TWO.keySet().forEach(name -> speakers.join(duo, name, false));
      FOUR.keySet().forEach(name -> speakers.join(quartet, name, false));

      TWO.forEach((name, lines) -> speakers.say(name, lines.getFirst()));
      var _ =
          speakers.sayTogether("Ada", TWO.get("Ada").getLast(), "Ben", TWO.get("Ben").getLast());
      TWO.keySet().forEach(speakers::leave);
      FOUR.forEach((name, lines) -> lines.forEach(line -> speakers.say(name, line)));
      // What came last is in the memory of Janus when it is killed, and the files stay open.
      speakers.quiet(Duration.ofSeconds(3));
      machine.janus().restart();

      JourneyTestServer.await("the recording of two", LONG, () -> done(olivia, two));
      compare("two speakers", TWO, olivia.get("/transcripts/" + two).body());
      JourneyTestServer.await("the recording of four", LONG, () -> done(olivia, four));
      compare("four speakers, Janus killed", FOUR, olivia.get("/transcripts/" + four).body());
      JourneyTestServer.await("an empty folder", LONG, () -> files() == 0);
    }
  }

  @Test
  @Timeout(600)
  void whatEightPeopleSayIsUnderTheirNames() throws Exception {
    PocketsphinxTranscriber listener = PocketsphinxTranscriber.listeningFor(all(EIGHT), folder);
    try (JanusMachine machine =
            new JanusMachine(folder, Map.of("CONVOKE_TRANSCRIBER", listener.setting()));
        SpokenRoom speakers = new SpokenRoom(machine.server().server().url())) {
      ApiUser olivia = machine.olivia();
      String link = room(olivia, "octet");
      long meeting = track(olivia, "octet");
      EIGHT.keySet().forEach(name -> speakers.join(link, name, false));
      EIGHT.forEach((name, lines) -> speakers.say(name, lines.getFirst()));
      speakers.quiet(Duration.ofSeconds(2));
      EIGHT.keySet().forEach(speakers::leave);
      JourneyTestServer.await("the recording of eight", LONG, () -> done(olivia, meeting));
      compare("eight speakers", EIGHT, olivia.get("/transcripts/" + meeting).body());
    }
  }

  @Test
  @Timeout(600)
  void whatTwoPeopleSayAtTheSameTimeIsHeardApart() throws Exception {
    PocketsphinxTranscriber listener = PocketsphinxTranscriber.listeningFor(all(BOTH), folder);
    try (JanusMachine machine =
            new JanusMachine(folder, Map.of("CONVOKE_TRANSCRIBER", listener.setting()));
        SpokenRoom speakers = new SpokenRoom(machine.server().server().url())) {
      ApiUser olivia = machine.olivia();
      String link = room(olivia, "babel");
      long meeting = track(olivia, "babel");
      BOTH.keySet().forEach(name -> speakers.join(link, name, false));
      double overlap = 1;
      for (int i = 0; i < BOTH.get("Ada").size(); i++) {
        overlap =
            Math.min(
                overlap,
                speakers.sayTogether("Ada", BOTH.get("Ada").get(i), "Ben", BOTH.get("Ben").get(i)));
      }
      speakers.quiet(Duration.ofSeconds(2));
      BOTH.keySet().forEach(speakers::leave);
      JourneyTestServer.await("the recording of both", LONG, () -> done(olivia, meeting));
      JsonNode transcript = olivia.get("/transcripts/" + meeting).body();
      compare("two at the same time", BOTH, transcript);
      System.out.printf(
          Locale.ROOT,
          "two at the same time: at least %.0f %% of the speech under the other's, word error rates"
              + " %s%n",
          100 * overlap,
          SpokenLines.errorRates(BOTH, SpokenLines.of(transcript)));
      assertThat(overlap).isGreaterThan(0.5);
    }
  }

  private long files() {
    try (Stream<Path> files = Files.walk(folder.resolve("recorded"))) {
      return files.filter(Files::isRegularFile).count();
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
