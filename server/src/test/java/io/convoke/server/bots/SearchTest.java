package io.convoke.server.bots;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.agent.BotConfig;
import io.convoke.server.MachineLocales;
import io.convoke.server.bots.BotsTestServer.Answered;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** What was said is found by its users (transcripts-5 to transcripts-9). */
class SearchTest {
  private final BotsTestServer testServer = BotsTestServer.open(new FakeLauncher());
  private long ann;
  private BotConfig bot;

  @BeforeEach
  void start() {
    ann = testServer.user(Optional.of(3));
    bot = bot(ann, "standup");
  }

  @AfterEach
  void close() {
    testServer.close();
  }

  @Test
  void segmentsAreFoundByTheirWordsAndStems() {
    send(bot, said(1, "We discussed the <b>quarterly</b> Budgets & plans", "en"));
    send(bot, said(5, "Nothing else", "en"));
    send(bot, said(9, "Die Sitzungen waren lang", "de"));
    JsonNode item = only("budget QUARTERLY");
    assertThat(item.propertyNames())
        .containsExactlyInAnyOrder(
            "meeting_id", "segment_id", "start", "speaker", "text", "highlight");
    assertThat(item.path("meeting_id").asLong()).isEqualTo(bot.meetingId());
    assertThat(item.path("start").asDouble()).isEqualTo(1);
    assertThat(item.path("speaker").asString()).isEqualTo("Ada");
    assertThat(item.path("text").asString())
        .isEqualTo("We discussed the <b>quarterly</b> Budgets & plans");
    assertThat(item.path("highlight").asString())
        .isEqualTo(
            "We discussed the &lt;b&gt;<mark>quarterly</mark>&lt;/b&gt; <mark>Budgets</mark> &amp;"
                + " plans");
    assertThat(transcript().path("segments").path(0).path("id").asLong())
        .isEqualTo(item.path("segment_id").asLong());
    assertThat(only("sitzung").path("highlight").asString()).contains("<mark>Sitzungen</mark>");
    assertThat(only("the").path("highlight").asString()).contains("<mark>the</mark>");
    assertThat(only("quarterly-budget").path("start").asDouble()).isEqualTo(1);
    assertThat(texts("budget else")).isEmpty();
    assertThat(texts("it's ' \\ \" | & ! <-> :* budget")).isEmpty();
  }

  @Test
  void partsOfAddressesAreWords() {
    send(bot, said(1, "See convoke.io or write to ann@mail.example.org.Thanks", "en"));
    for (String q : List.of("convoke", "convoke.io", "example.org", "ann@mail.example.org")) {
      assertThat(only(q).path("start").asDouble()).as(q).isEqualTo(1);
    }
    assertThat(only("thank IO").path("highlight").asString())
        .contains("convoke.<mark>io</mark>", "org.<mark>Thanks</mark>");
  }

  /** Case and punctuation are those of all scripts: LC_CTYPE of the database is not C. */
  @Test
  void lettersBeyondAsciiHaveCasesAndPunctuationSeparatesThem() throws SQLException {
    MachineLocales.assumeLettersBeyondAscii();
    send(bot, said(1, "ÄPFEL—oder Öl? 今天很好。明天开会", "de"));
    for (String q : List.of("äpfel", "öl", "明天开会")) {
      assertThat(only(q).path("start").asDouble()).as(q).isEqualTo(1);
    }
  }

  @Test
  void betterMatchesComeFirst() {
    send(bot, said(1, "A budget, among the many other things that we have to talk about", "en"));
    send(bot, said(2, "Budget, budget, budget", "en"));
    send(bot, said(3, "Budgeting, among the many other things that we have to talk about", "en"));
    assertThat(texts("budget").getFirst()).isEqualTo("Budget, budget, budget");
    assertThat(texts("budget").getLast()).startsWith("Budgeting");
  }

  @Test
  void othersFindNothing() {
    send(bot, said(1, "The secret budget", "en"));
    long zoe = testServer.user(Optional.of(1));
    send(bot(zoe, "elsewhere"), said(1, "Another budget", "en"));
    assertThat(texts(zoe, "budget")).containsExactly("Another budget");
    assertThat(texts(ann, "budget")).containsExactly("The secret budget");
    assertThat(asAdmin("/search?q=budget")).hasSize(2);
    assertThat(asAdmin("/search?q=budget&user_id=" + zoe)).hasSize(1);
    testServer.call("GET", "/search?q=budget", List.of("Accept", "*/*"), Map.of()).expect(401);
  }

  /** The index says whose a segment is, and the meeting has the last word. */
  @Test
  void anEntryOfTheIndexUnderAnotherUserShowsNothing() {
    send(bot, said(1, "The secret budget", "en"));
    long zoe = testServer.user(Optional.of(1));
    testServer.database.run(
        tx -> {
          int moved =
              tx.sql(
                      """
                      update transcript_words w
                      set user_id = ?, keys = convoke.transcript_words_of(t.id, ?, t.text, t.language)
                      from transcriptions t where t.id = w.segment_id
                      """)
                  .with(zoe, zoe)
                  .update();
          assertThat(moved).isEqualTo(1);
        });
    assertThat(texts(zoe, "budget")).isEmpty();
  }

  @Test
  void emptyAndTooLongTextsAreRefused() {
    List<String> wrong = new ArrayList<>(List.of("", " ", "!?"));
    wrong.add("x".repeat(201));
    wrong.add(IntStream.range(0, 21).mapToObj(i -> "w" + i + " ").reduce("", String::concat));
    for (String q : wrong) {
      assertThat(search(ann, q, "").status()).as(q).isEqualTo(400);
    }
    testServer.get(ann, "/search").expect(400);
    search(ann, "budget", "&cursor=nonsense").expect(400);
    search(ann, "budget", "&cursor=MR9h").expect(400);
    search(ann, "budget", "&limit=201").expect(400);
    search(ann, "x".repeat(200), "").expect(200);
  }

  @Test
  void aDraftIsFoundWhenItIsCompletedAndACorrectedTextByItsNewWords() {
    send(bot, with(said(1, "A budget", "en"), "completed", false));
    assertThat(texts("budget")).isEmpty();
    send(bot, said(1, "A widget", "en"));
    assertThat(texts("budget")).isEmpty();
    assertThat(texts("widget")).containsExactly("A widget");
    delete();
    assertThat(texts("widget")).isEmpty();
  }

  /** More than are ranked together, in more than one range of the index. */
  @Test
  void pagesHoldEachMatchOnce() {
    testServer.database.run(
        tx -> {
          long _ =
              tx.sql("select setval(pg_get_serial_sequence('transcriptions', 'id'), 24000) as id")
                  .one(resultRow -> resultRow.longAt("id"));
          int _ =
              tx.sql(
                      """
                      insert into transcriptions
                        (meeting_id, session_uid, start_time, end_time, text, speaker)
                      select ?, 'many', n, n + 1, case when n % 2 = 0 then 'A budget' else 'Hm' end, 'Ada'
                      from generate_series(1, 2000) as n
                      """)
                  .with(bot.meetingId())
                  .update();
        });
    List<Double> starts = new ArrayList<>();
    List<Integer> sizes = new ArrayList<>();
    Optional<String> cursor = Optional.of("");
    while (cursor.isPresent()) {
      String more = cursor.get().isEmpty() ? "" : "&cursor=" + cursor.get();
      JsonNode page = search(ann, "budget", "&limit=150" + more).expect(200).json();
      starts.addAll(
          page.path("items").valueStream().map(it -> it.path("start").asDouble()).toList());
      sizes.add(page.path("items").size());
      if (cursor.get().isEmpty()) {
        send(bot, said(1, "A new budget", "en"));
      }
      cursor = page.path("next_cursor").asStringOpt();
    }
    assertThat(sizes).containsExactly(150, 150, 150, 150, 150, 150, 100);
    assertThat(starts)
        .containsExactlyInAnyOrderElementsOf(
            LongStream.rangeClosed(1, 1000).mapToObj(n -> n * 2.0).toList());
  }

  private BotConfig bot(long user, String room) {
    long meeting = testServer.start(user, room).expect(201).json().path("id").asLong();
    BotConfig config = testServer.configOf(meeting);
    testServer.started(config).expect(200);
    return config;
  }

  private void send(BotConfig from, Map<String, Object> segment) {
    Answered _ =
        testServer.callback(from, "transcript", Map.of("segments", List.of(segment))).expect(200);
  }

  private static Map<String, Object> said(double start, String text, String language) {
    return Map.of(
        "start", start, "end", start + 1, "text", text, "speaker", "Ada", "language", language);
  }

  private static Map<String, Object> with(Map<String, Object> segment, String name, Object value) {
    Map<String, Object> more = new HashMap<>(segment);
    more.put(name, value);
    return more;
  }

  private void delete() {
    testServer.database.run(
        tx -> {
          int _ = tx.sql("delete from transcriptions").update();
        });
  }

  private JsonNode transcript() {
    return testServer.get(ann, "/transcripts/" + bot.meetingId()).expect(200).json();
  }

  private JsonNode only(String q) {
    JsonNode items = search(ann, q, "").expect(200).json().path("items");
    assertThat(items).as(q).hasSize(1);
    return items.path(0);
  }

  private List<String> texts(String q) {
    return texts(ann, q);
  }

  private List<String> texts(long user, String q) {
    return search(user, q, "").expect(200).json().path("items").findValuesAsString("text");
  }

  private Answered search(long user, String q, String more) {
    return testServer.get(user, "/search?q=" + URLEncoder.encode(q, StandardCharsets.UTF_8) + more);
  }

  private JsonNode asAdmin(String path) {
    return testServer
        .call("GET", path, List.of("X-Admin-API-Key", "the-admin-key"), Map.of())
        .expect(200)
        .json()
        .path("items");
  }
}
