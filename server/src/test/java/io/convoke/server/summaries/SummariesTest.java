package io.convoke.server.summaries;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.durable.Durable;
import io.convoke.engine.durable.RetryPolicy;
import io.convoke.engine.durable.postgres.PostgresProvider;
import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.journal.Journal;
import io.convoke.engine.json.Json;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.fakes.chat.FakeChat;
import io.convoke.fakes.chat.FakeChat.ChatFault;
import io.convoke.server.MigratedDatabase;
import io.convoke.server.Migrations;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.TestServer;
import io.convoke.server.launch.Await;
import io.convoke.server.meetings.MeetingStore;
import io.convoke.server.rooms.RoomClaims;
import io.convoke.server.rooms.RoomClaims.RoomClaimMode;
import io.convoke.server.summaries.SummaryPrompt.CitedSummary;
import io.convoke.server.summaries.SummaryPrompt.ParsedAnswer;
import io.convoke.server.summaries.SummaryPrompt.SummaryStatement;
import io.convoke.server.summaries.SummaryStore.SummaryRun;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** A transcript is summarized by a durable workflow, and the summary cites its segments. */
class SummariesTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final String ANSWER =
      """
      {"summary": [{"text": "A budget is needed.", "lines": [1, 9]}, {"text": "By Friday.", "lines": [2]}]}
      """;

  private final Deque<AutoCloseable> parts = new ArrayDeque<>();
  private final DatabaseUrl url = DatabaseUrl.parse(MigratedDatabase.url());
  private final Database database = keep(Database.open(url, 6, "test", Migrations.SCHEMAS));
  private final Journal journal = keep(new Journal(database));
  private final CountDownLatch slow = new CountDownLatch(1);
  private final FakeChat chat = keep(new FakeChat("sk-1", text -> answer(text, slow)));
  private final List<Long> notes = new CopyOnWriteArrayList<>();
  private final AtomicInteger busy = new AtomicInteger();
  private final SummariesFeature feature =
      feature(
          SummarizerFactory.of(
              "openai:" + chat.url() + "?model=gpt-4o&chars=2000", Optional.of("sk-1")));
  private final SummaryStore store = new SummaryStore(database, journal);
  private final Durable engine = engine();
  private final TestServer server = serving(feature);
  private final long ann = user("ann");
  private final long bob = user("bob");

  @AfterEach
  void close() throws Exception {
    while (!parts.isEmpty()) {
      parts.pop().close();
    }
  }

  @Test
  void aCompleteTranscriptIsSummarizedWithTheSegmentsThatItCites() throws Exception {
    long meeting = meeting(ann);
    long first = say(meeting, "recording:r1", 1, "Ada", "We need a widget.", true);
    long second = say(meeting, "recording:r1", 65, "Bob", "By Friday.", true);
    long _ = say(meeting, "a-bot", 0, "Ada", "The bot heard it too.", true);
    long _ = say(meeting, "recording:r1", 70, "Bob", "A dra", false);
    run("update transcriptions set shown_text = 'We need a budget.' where id = " + first);
    assertThat(summary(ann, meeting).path("status").asString()).isEqualTo("none");
    database.run(tx -> feature.transcribed(tx, meeting));
    assertThat(await(meeting, 1)).isEqualTo("done");

    JsonNode summary = summary(ann, meeting);
    assertThat(summary.path("status").asString()).isEqualTo("done");
    assertThat(summary.path("text").asString())
        .isEqualTo("A budget is needed. [1]\n\nBy Friday. [2]");
    assertThat(summary.path("citations").findValuesAsString("segment_id"))
        .containsExactly(Long.toString(first), Long.toString(second));
    assertThat(summary.path("citations").path(1).path("start").asDouble()).isEqualTo(65);
    assertThat(summary.path("rejected").asInt()).isEqualTo(1);
    assertThat(summary.path("summarizer").asString()).isEqualTo("gpt-4o");
    assertThat(chat.requests()).hasSize(1);
    assertThat(chat.requests().getFirst().path("messages").path(1).path("content").asString())
        .isEqualTo("[1] 0:00:01 Ada: We need a budget.\n[2] 0:01:05 Bob: By Friday.\n");
    assertThat(events(meeting)).containsExactly("waiting", "running", "done");
    assertThat(notes).containsExactly(meeting);
    assertThat(database.<Optional<String>>read(tx -> SummaryStore.plainText(tx, meeting)))
        .contains("A budget is needed.\n\nBy Friday.");
    assertThat(chat.complaints()).isEmpty();
    assertThat(
            number("select count(*) as n from events where data::text like '%budget%'")
                + number("select count(*) as n from workflow_owners where user_id = " + bob))
        .isZero();
    assertThat(number("select count(*) as n from workflow_owners where user_id = " + ann))
        .isEqualTo(1);
  }

  @Test
  void aFaultIsRetriedAndItsReasonIsShownUntilThen() throws Exception {
    long meeting = meeting(ann);
    long _ = say(meeting, "a-bot", 1, "Ada", "We need a budget.", true);
    chat.fail(new ChatFault.StatusFault(500, Duration.ZERO));
    chat.fail(new ChatFault.StatusFault(429, Duration.ofSeconds(1)));
    chat.fail(new ChatFault.BodyFault("{\"choices\": [{\"message\": {\"content\": \"Well.\"}}]}"));
    busy.set(2);
    feature.ended(meeting);
    assertThat(await(meeting, 1)).isEqualTo("done");
    JsonNode summary = summary(ann, meeting);
    assertThat(summary.path("attempts").asInt()).isEqualTo(3);
    assertThat(summary.path("error").isNull()).isTrue();
    assertThat(notes).hasSize(3);
    assertThat(events(meeting)).containsExactly("waiting", "running", "done");
    assertThat(chat.complaints()).isEmpty();
    feature.ended(meeting);
    assertThat(summary(ann, meeting).path("run").asInt()).isEqualTo(1);
  }

  @Test
  void aSummarizerThatKeepsFailingEndsTheRunAndAnotherOneMayFollow() throws Exception {
    long meeting = meeting(ann);
    long _ = say(meeting, "a-bot", 1, "Ada", "We need a budget.", true);
    for (int i = 0; i < 3; i++) {
      chat.fail(
          new ChatFault.BodyFault(
              "{\"choices\": [{\"message\": {\"content\": \"{\\\"summary\\\": [{\\\"text\\\":"
                  + " \\\"x\\\", \\\"lines\\\": [99]}]}\"}}]}"));
    }
    feature.ended(meeting);
    assertThat(await(meeting, 1)).isEqualTo("failed");
    JsonNode failed = summary(ann, meeting);
    assertThat(failed.path("status").asString()).isEqualTo("failed");
    assertThat(failed.path("error").asString()).contains("no statement that cites a line");
    assertThat(failed.path("text").isNull()).isTrue();
    assertThat(notes).isEmpty();

    JsonNode again = post(ann, meeting, 202);
    assertThat(again.path("status").asString()).isEqualTo("waiting");
    assertThat(again.path("run").asInt()).isEqualTo(2);
    assertThat(await(meeting, 2)).isEqualTo("done");
    chat.fail(new ChatFault.RefusalFault("No."));
    JsonNode _ = post(ann, meeting, 202);
    assertThat(await(meeting, 3)).isEqualTo("failed");
    JsonNode refused = summary(ann, meeting);
    assertThat(refused.path("error").asString()).contains("the model refuses: No.");
    assertThat(refused.path("text").asString()).startsWith("A budget is needed.");
    assertThat(events(meeting))
        .containsExactly(
            "waiting", "running", "failed", "waiting", "running", "done", "waiting", "running",
            "failed");
  }

  @Test
  void aRunThatIsCancelledFails() throws Exception {
    long meeting = meeting(ann);
    long _ = say(meeting, "a-bot", 1, "Ada", "Speak slowly.", true);
    feature.ended(meeting);
    awaitRunning(meeting);
    engine.cancel(new SummaryRun(meeting, 1).instance(), "by an operator");
    assertThat(await(meeting, 1)).isEqualTo("failed");
    slow.countDown();
    JsonNode failed = summary(ann, meeting);
    assertThat(failed.path("status").asString()).isEqualTo("failed");
    assertThat(failed.path("error").asString()).isEqualTo("cancelled: by an operator");
  }

  /** The server of an attempt dies, or has no answer, after its commit. */
  @Test
  void aRunThatIsDoneSendsItsNotesWhateverItsAttemptHeardOfThat() throws Exception {
    CitedSummary text = new CitedSummary("By Friday.", List.of());
    long first = meeting(ann);
    long _ = say(first, "a-bot", 1, "Ada", "Speak slowly.", true);
    feature.ended(first);
    awaitRunning(first);
    assertThat(store.done(new SummaryRun(first, 1), text, 0, "m")).isTrue();
    slow.countDown();
    assertThat(await(first, 1)).isEqualTo("done");

    long second = meeting(ann);
    long _ = say(second, "a-bot", 1, "Ada", "By Friday.", true);
    database.run(
        tx -> {
          feature.transcribed(tx, second);
          int _ =
              tx.sql("update meeting_summaries set status = 'done' where meeting_id = ?")
                  .with(second)
                  .update();
        });
    assertThat(await(second, 1)).isEqualTo("done");
    assertThat(notes).containsExactly(first, second);
    assertThat(chat.requests()).hasSize(1);
    assertThat(summary(ann, first).path("text").asString()).isEqualTo("By Friday.");
  }

  @Test
  void aRunThatIsCancelledAfterItsCommitIsDone() throws Exception {
    long meeting = meeting(ann);
    long _ = say(meeting, "a-bot", 1, "Ada", "Speak slowly.", true);
    feature.ended(meeting);
    awaitRunning(meeting);
    CitedSummary text = new CitedSummary("By Friday.", List.of());
    assertThat(store.done(new SummaryRun(meeting, 1), text, 0, "m")).isTrue();
    engine.cancel(new SummaryRun(meeting, 1).instance(), "by an operator");
    assertThat(await(meeting, 1)).isEqualTo("done");
    slow.countDown();
    assertThat(notes).containsExactly(meeting);
  }

  /** Each part of a long transcript is one request, and its lines keep their numbers. */
  @Test
  void aLongTranscriptIsSentInParts() throws Exception {
    long meeting = meeting(ann);
    sayMuch(meeting);
    database.run(tx -> feature.transcribed(tx, meeting));
    assertThat(await(meeting, 1)).isEqualTo("done");
    JsonNode summary = summary(ann, meeting);
    int requests = chat.requests().size();
    assertThat(requests).isGreaterThan(2);
    assertThat(summary.path("citations")).hasSize(requests);
    assertThat(summary.path("citations").path(0).path("start").asDouble()).isEqualTo(1);
    assertThat(summary.path("citations").path(1).path("start").asDouble()).isGreaterThan(10);
  }

  /** What a model said of a part is paid for once in a run. */
  @Test
  void aRetryAsksForThePartsThatFailedAlone() throws Exception {
    long meeting = meeting(ann);
    sayMuch(meeting);
    chat.fail(answered("{\"summary\": [{\"text\": \"Part.\", \"lines\": [1, 99]}]}"));
    chat.fail(new ChatFault.StatusFault(500, Duration.ZERO));
    database.run(tx -> feature.transcribed(tx, meeting));
    assertThat(await(meeting, 1)).isEqualTo("done");
    JsonNode summary = summary(ann, meeting);
    assertThat(summary.path("attempts").asInt()).isEqualTo(2);
    int parts = summary.path("citations").size();
    assertThat(parts).isGreaterThan(2);
    assertThat(summary.path("citations").path(0).path("start").asDouble()).isEqualTo(1);
    assertThat(summary.path("rejected").asInt()).isEqualTo(1);
    assertThat(chat.requests()).hasSize(parts + 1);
    assertThat(kept()).isZero();

    JsonNode _ = post(ann, meeting, 202);
    assertThat(await(meeting, 2)).isEqualTo("done");
    assertThat(chat.requests()).as("another run asks again").hasSize(2 * parts + 1);
  }

  @Test
  void aModelThatHasNothingToTellIsAskedOnce() throws Exception {
    long meeting = meeting(ann);
    long _ = say(meeting, "a-bot", 1, "Ada", "Hello? Hello?", true);
    chat.fail(answered("{\"summary\": []}"));
    feature.ended(meeting);
    assertThat(await(meeting, 1)).isEqualTo("empty");
    JsonNode summary = summary(ann, meeting);
    assertThat(summary.path("status").asString()).isEqualTo("empty");
    assertThat(summary.path("attempts").asInt()).isEqualTo(1);
    assertThat(summary.path("error").isNull()).isTrue();
    assertThat(chat.requests()).hasSize(1);
    assertThat(notes).isEmpty();
    assertThat(kept()).isZero();
    assertThat(events(meeting)).containsExactly("waiting", "running", "empty");

    JsonNode _ = post(ann, meeting, 202);
    assertThat(await(meeting, 2)).isEqualTo("done");
    chat.fail(answered("{\"summary\": []}"));
    JsonNode _ = post(ann, meeting, 202);
    assertThat(await(meeting, 3)).isEqualTo("empty");
    assertThat(summary(ann, meeting).path("text").asString()).isEqualTo("A budget is needed. [1]");
    assertThat(notes).as("run 2 alone").containsExactly(meeting);
  }

  @Test
  void aMeetingWithoutWordsHasNoSummary() throws Exception {
    long meeting = meeting(ann);
    feature.ended(meeting);
    assertThat(summary(ann, meeting).path("status").asString()).isEqualTo("none");
    JsonNode _ = post(ann, meeting, 202);
    assertThat(await(meeting, 1)).isEqualTo("empty");
    assertThat(chat.requests()).isEmpty();
  }

  /** A run that another one has replaced, or whose words were deleted. */
  @Test
  void aRunThatIsOverWritesNothing() {
    long meeting = meeting(ann);
    run(
        "insert into meeting_summaries (meeting_id, run, status, text) values (%d, 2, 'running', 'Old.')"
            .formatted(meeting));
    SummaryRun late = new SummaryRun(meeting, 1);
    CitedSummary text = new CitedSummary("Late.", List.of());
    assertThat(store.begin(late)).isFalse();
    assertThat(store.done(late, text, 0, "m")).isFalse();
    assertThat(store.failed(late, "late")).isFalse();
    assertThat(store.empty(late)).isFalse();
    assertThat(store.end(late)).isEqualTo("over");
    ParsedAnswer said = new ParsedAnswer(List.of(new SummaryStatement("Late.", List.of(1, 2))), 3);
    SummaryRun last = new SummaryRun(meeting, 2);
    assertThat(store.keep(late, "key", said)).isFalse();
    assertThat(store.keep(last, "key", said)).isTrue();
    assertThat(store.part(last, "key")).contains(said);
    assertThat(store.part(last, "other")).isEmpty();
    assertThat(store.part(late, "key")).isEmpty();
    assertThat(kept()).isEqualTo(1);
    database.run(tx -> SummaryStore.forget(tx, journal, meeting, "user:1"));
    database.run(tx -> SummaryStore.forget(tx, journal, meeting, "user:1"));
    assertThat(store.done(last, text, 0, "m")).isFalse();
    assertThat(kept()).isZero();
    JsonNode summary = summary(ann, meeting);
    assertThat(summary.path("status").asString()).isEqualTo("deleted");
    assertThat(summary.path("text").isNull()).isTrue();
    assertThat(events(meeting)).as("once").containsExactly("deleted");
  }

  @Test
  void othersFindNoSummaryAndWithoutASummarizerNoneIsWritten() {
    long meeting = meeting(ann);
    long _ = say(meeting, "a-bot", 1, "Ada", "We need a budget.", true);
    var _ = server.user(bob).get("/meetings/" + meeting + "/summary").expect(404);
    JsonNode _ = post(bob, meeting, 404);
    SummariesFeature none = feature(Optional.empty());
    none.ended(meeting);
    database.run(tx -> none.transcribed(tx, meeting));
    assertThat(
            serving(none)
                .user(ann)
                .post("/meetings/" + meeting + "/summary")
                .expect(409)
                .json()
                .path("code")
                .asString())
        .isEqualTo("no_summarizer");
    assertThat(number("select count(*) as n from meeting_summaries")).isZero();
  }

  private void awaitRunning(long meeting) {
    Await.until(
        "the model is asked",
        () -> summary(ann, meeting).path("status").asString().equals("running"));
  }

  /** How many runs keep what a model said of parts. */
  private long kept() {
    return number("select count(*) as n from meeting_summaries where parts <> '{}'");
  }

  /** What the model says to one request. */
  private static ChatFault answered(String content) {
    return new ChatFault.BodyFault(
        Json.write(Map.of("choices", List.of(Map.of("message", Map.of("content", content))))));
  }

  private SummariesFeature feature(Optional<Summarizer> summarizer) {
    return new SummariesFeature(
        database,
        journal,
        summarizer,
        (tx, meeting) -> {
          notes.add(meeting);
          return busy.getAndUpdate(left -> Math.max(0, left - 1)) == 0;
        },
        new RetryPolicy(3, Duration.ofMillis(20), 1, Duration.ofMillis(20)));
  }

  private TestServer serving(SummariesFeature of) {
    MeetingStore meetings =
        new MeetingStore(database, journal, new RoomClaims(database, RoomClaimMode.FIRST));
    return keep(TestServer.of(of.endpoints(meetings).toArray(Endpoint[]::new)));
  }

  /** Of long transcripts, a statement that cites the first line; to "slowly" when it may. */
  private static String answer(String text, CountDownLatch slow) {
    if (text.contains("slowly")) {
      try {
        boolean _ = slow.await(LONG.toSeconds(), TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    return text.contains("word word")
        ? "{\"summary\": [{\"text\": \"Part.\", \"lines\": [%s]}]}"
            .formatted(text.substring(1, text.indexOf(']')))
        : ANSWER;
  }

  private Durable engine() {
    LongPollConfig waiting = LongPollConfig.defaults().on();
    Durable.Builder builder = Durable.over(PostgresProvider.open(url, "durable", waiting), waiting);
    feature.register(builder);
    return keep(builder.start());
  }

  private String await(long meeting, int run) throws Exception {
    return engine.await(new SummaryRun(meeting, run).instance(), String.class, LONG);
  }

  private JsonNode summary(long user, long meeting) {
    return server.user(user).get("/meetings/" + meeting + "/summary").expect(200).json();
  }

  private JsonNode post(long user, long meeting, int status) {
    return server.user(user).post("/meetings/" + meeting + "/summary").expect(status).json();
  }

  private List<String> events(long meeting) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    select data ->> 'to' as status from events
                    where type = 'summary.status_changed' and subject = ? order by seq
                    """)
                .with("meeting:" + meeting)
                .list(resultRow -> resultRow.text("status")));
  }

  private long user(String name) {
    return number(
        "insert into users (email) values ('%s@example.org') returning id as n".formatted(name));
  }

  private long meeting(long user) {
    return number(
        """
        insert into meetings (user_id, platform, platform_specific_id, status, tracked, start_time, end_time)
        values (%d, 'daily', 'call-' || gen_random_uuid(), 'completed', false, now(), now())
        returning id as n
        """
            .formatted(user));
  }

  private long say(
      long meeting, String uid, int at, String speaker, String text, boolean completed) {
    return number(
        """
        insert into transcriptions (meeting_id, session_uid, start_time, end_time, speaker, text, completed)
        values (%d, '%s', %d, %d, '%s', '%s', %s) returning id as n
        """
            .formatted(meeting, uid, at, at + 1, speaker, text, completed));
  }

  /** More than a request holds. */
  private void sayMuch(long meeting) {
    run(
        """
        insert into transcriptions (meeting_id, session_uid, start_time, end_time, text, speaker, completed)
        select %d, 'a-bot', n, n + 1, repeat('word ', 20), 'Ada', true from generate_series(1, 40) n
        """
            .formatted(meeting));
  }

  private void run(String sql) {
    database.run(tx -> tx.run(List.of(tx.sql(sql))));
  }

  private long number(String sql) {
    return database.read(tx -> tx.sql(sql).one(resultRow -> resultRow.longAt("n")));
  }

  private <T extends AutoCloseable> T keep(T part) {
    parts.push(part);
    return part;
  }
}
