package io.convoke.server.bots;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.agent.BotConfig;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Transcript segments are stored with their events and read page by page (bots-19 to bots-21). */
class TranscriptEventsTest {
  private final BotsTestServer testServer = BotsTestServer.open(new FakeLauncher());
  private long user;
  private long meeting;
  private BotConfig bot;

  @BeforeEach
  void start() {
    user = testServer.user(Optional.of(3));
    meeting = testServer.start(user, "standup").expect(201).json().path("id").asLong();
    bot = testServer.configOf(meeting);
    testServer.started(bot).expect(200);
  }

  @AfterEach
  void close() {
    testServer.close();
  }

  @Test
  void aBatchIsOneEventWithItsSegmentsAsTheTranscriptShowsThem() {
    send(List.of(said(1, "Good morning", "Ada"), said(3.5, "Shall we?", "Bob")));
    JsonNode event = events().getFirst();
    assertThat(events()).hasSize(1);
    assertThat(event.path("subject").asString()).isEqualTo("meeting:" + meeting);
    JsonNode data = event.path("data");
    assertThat(data.path("meeting_id").asLong()).isEqualTo(meeting);
    assertThat(data.path("session_uid").asString()).isEqualTo(bot.connectionId());
    assertThat(data.path("replaces").asBoolean()).isFalse();
    JsonNode shown = transcript("").path("segments");
    assertThat(shown).hasSize(2);
    assertThat(data.path("segments")).isEqualTo(shown);
    assertThat(shown.path(0).path("completed").asBoolean()).isTrue();

    Instant first = Instant.parse(shown.path(0).path("said_at").asString());
    Instant second = Instant.parse(shown.path(1).path("said_at").asString());
    assertThat(Duration.between(first, second)).hasMillis(2500);
    assertThat(Duration.between(first, Instant.now()).abs()).isLessThan(Duration.ofMinutes(2));
  }

  @Test
  void aSegmentIsAsLoudAsItsBotTells() {
    Map<String, Object> quiet = new HashMap<>(draft(1, "Good"));
    quiet.put("level_db", -40);
    send(List.of(quiet));
    Map<String, Object> louder = new HashMap<>(said(1, "Good morning", "Ada"));
    louder.put("level_db", -12.8);
    send(List.of(louder, said(3, "Hm", "Bob")));
    JsonNode shown = transcript("").path("segments");
    // The driver reads in binary form after five times, where a float of four bytes is another
    // number.
    for (int i = 0; i < 60; i++) {
      shown = transcript("").path("segments");
      assertThat(shown.path(0).path("level_db").asDouble()).isEqualTo(-12.8);
    }
    assertThat(shown.path(1).path("level_db").isNull()).isTrue();
    assertThat(events().getLast().path("data").path("segments")).isEqualTo(shown);
    louder.put("level_db", 3);
    testServer.callback(bot, "transcript", Map.of("segments", List.of(louder))).expect(400);
  }

  @Test
  void onlyTheOwnerAndTheOperatorSeeTheEvent() {
    send(List.of(said(1, "Good morning", "Ada")));
    long other = testServer.user(Optional.of(1));
    String path = "/events?type=transcript.segments";
    assertThat(testServer.get(user, path).json().path("items")).hasSize(1);
    assertThat(testServer.get(other, path).json().path("items")).isEmpty();
    JsonNode all =
        testServer
            .call("GET", path, List.of("X-Admin-API-Key", "the-admin-key"), Map.of())
            .expect(200)
            .json();
    assertThat(all.path("items")).hasSize(1);
  }

  @Test
  void aRepeatedBatchMakesNoEventAndAMixedOneOnlyForItsNewSegments() {
    send(List.of(said(1, "Good morning", "Ada"), said(3, "Hm", null)));
    send(List.of(said(1, "Good morning", "Ada"), said(3, "Hm", null)));
    send(List.of(said(1, "Good morrow", "Ada")));
    assertThat(told()).containsExactly("Good morning Hm");
    send(List.of(said(3, "Hm", null), said(5, "Well", "Ada")));
    assertThat(told()).containsExactly("Good morning Hm", "Well");
    assertThat(texts(transcript(""))).containsExactly("Good morning", "Hm", "Well");
  }

  @Test
  void aDraftIsReplacedUntilItIsCompleted() {
    send(List.of(draft(1, "Good")));
    send(List.of(draft(1, "Good mor")));
    send(List.of(draft(1, "Good mor")));
    assertThat(transcript("").path("segments").path(0).path("completed").asBoolean()).isFalse();
    send(List.of(said(1, "Good morning", "Ada")));
    send(List.of(draft(1, "Good mo")));
    assertThat(told()).containsExactly("Good", "Good mor", "Good morning");
    assertThat(texts(transcript(""))).containsExactly("Good morning");
    assertThat(transcript("").path("segments").path(0).path("completed").asBoolean()).isTrue();
  }

  @Test
  void aBatchMayHoldADraftAndItsCompletion() {
    send(List.of(draft(1, "Good"), said(1, "Good morning", "Ada"), draft(1, "Go")));
    assertThat(told()).containsExactly("Good morning");
  }

  @Test
  void aLargeBatchMakesSeveralEventsOfABoundedSize() {
    String sentence = "word ".repeat(40).strip();
    send(IntStream.range(0, 500).mapToObj(i -> said(i, i + " " + sentence, "Ada")).toList());
    List<JsonNode> events = events();
    assertThat(events).hasSizeGreaterThan(1);
    assertThat(events)
        .allSatisfy(
            event ->
                assertThat(event.path("data").path("segments").toString().length())
                    .isLessThan(66_000));
    List<JsonNode> segments =
        events.stream()
            .flatMap(event -> event.path("data").path("segments").valueStream())
            .toList();
    assertThat(segments).isEqualTo(transcript("").path("segments").valueStream().toList());
    assertThat(segments).hasSize(500);
  }

  /** A unique index does not cover segments without a speaker. */
  @Test
  void concurrentBatchesAreStoredAndJournaledOnce() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    try (ExecutorService pool = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> sent = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        sent.add(
            pool.submit(
                () -> {
                  go.await();
                  send(List.of(said(1, "Hm", null)));
                  return 0;
                }));
      }
      go.countDown();
      for (Future<?> each : sent) {
        var _ = each.get();
      }
    }
    assertThat(told()).containsExactly("Hm");
    assertThat(texts(transcript(""))).containsExactly("Hm");
  }

  @Test
  void theTimelineDoesNotRepeatWhatWasSaid() {
    send(List.of(said(1, "Good morning", "Ada")));
    JsonNode items = testServer.get(user, "/meetings/" + meeting + "/timeline").expect(200).json();
    assertThat(items.path("items").findValuesAsString("type"))
        .isNotEmpty()
        .doesNotContain("transcript.segments");
  }

  @Test
  void pagesHoldTheWholeTranscriptOnceAndTheDefaultIsOneAnswer() {
    for (int batch = 0; batch < 3; batch++) {
      int from = batch * 400;
      send(
          IntStream.range(from, from + 400)
              .mapToObj(i -> said(i * 0.5, "line " + i, i % 2 == 0 ? "Ada" : null))
              .toList());
    }
    JsonNode whole = transcript("");
    assertThat(whole.path("segments")).hasSize(1200);
    assertThat(whole.path("next_cursor").isNull()).isTrue();
    List<String> paged = new ArrayList<>();
    String query = "?limit=500";
    List<Integer> sizes = new ArrayList<>();
    while (!query.isEmpty()) {
      JsonNode page = transcript(query);
      paged.addAll(texts(page));
      sizes.add(page.path("segments").size());
      query =
          page.path("next_cursor").isNull()
              ? ""
              : "?limit=500&cursor=" + page.path("next_cursor").asString();
    }
    assertThat(sizes).containsExactly(500, 500, 200);
    assertThat(paged).isEqualTo(texts(whole));
    testServer.get(user, "/transcripts/" + meeting + "?limit=0").expect(400);
    testServer.get(user, "/transcripts/" + meeting + "?cursor=nonsense").expect(400);
    testServer.get(user, "/transcripts/" + meeting + "?cursor=MR9h").expect(400);
  }

  private void send(List<Map<String, Object>> segments) {
    BotsTestServer.Answered _ =
        testServer.callback(bot, "transcript", Map.of("segments", segments)).expect(200);
  }

  private static Map<String, Object> said(double start, String text, @Nullable String speaker) {
    Map<String, Object> segment = new HashMap<>();
    segment.put("start", start);
    segment.put("end", start + 0.9);
    segment.put("text", text);
    if (speaker != null) {
      segment.put("speaker", speaker);
    }
    return segment;
  }

  private static Map<String, Object> draft(double start, String text) {
    Map<String, Object> segment = said(start, text, "Ada");
    segment.put("completed", false);
    return segment;
  }

  private List<JsonNode> events() {
    return testServer
        .get(user, "/events?type=transcript.segments&subject=meeting:" + meeting)
        .expect(200)
        .json()
        .path("items")
        .valueStream()
        .toList();
  }

  private List<String> told() {
    return events().stream().map(event -> String.join(" ", texts(event.path("data")))).toList();
  }

  private JsonNode transcript(String query) {
    return testServer.get(user, "/transcripts/" + meeting + query).expect(200).json();
  }

  private static List<String> texts(JsonNode holder) {
    return holder.path("segments").findValuesAsString("text");
  }
}
