package io.convoke.server.meetingsync;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.durable.Durable;
import io.convoke.engine.durable.RetryPolicy;
import io.convoke.engine.durable.postgres.PostgresProvider;
import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.journal.Journal;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.engine.sql.Tx;
import io.convoke.fakes.crm.FakeCrm;
import io.convoke.fakes.orchestrator.RequestFaults.RequestFault;
import io.convoke.server.MigratedDatabase;
import io.convoke.server.Migrations;
import io.convoke.server.config.ServerConfig;
import io.convoke.server.crm.CrmConnector;
import io.convoke.server.crm.CrmConnectorFactory;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.TestServer;
import io.convoke.server.launch.Await;
import io.convoke.server.platform.RateLimiter;
import io.convoke.server.sync.SyncConfig;
import io.convoke.server.sync.SyncFeature;
import io.convoke.server.sync.SyncStatus;
import io.convoke.server.sync.SyncUpdate;
import io.convoke.server.sync.SyncUpdateResult;
import io.convoke.simulator.stores.LocalStores;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Meetings without a recording reach the CRM: with a bot's words, or with attendance alone. */
class MeetingSyncTest {
  private static final String TOKEN = "the-token";
  private static final Duration LONG = Duration.ofSeconds(30);

  private final Deque<AutoCloseable> parts = new ArrayDeque<>();
  private final DatabaseUrl url = DatabaseUrl.parse(MigratedDatabase.url());
  private final Database database = keep(Database.open(url, 6, "test", Migrations.SCHEMAS));
  private final Journal journal = keep(new Journal(database));
  private final FakeCrm crm = keep(new FakeCrm(TOKEN));
  private final Set<Long> recorded = ConcurrentHashMap.newKeySet();
  private final SyncFeature sync =
      keep(
          new SyncFeature(
              database,
              journal,
              keep(Redis.open(LocalStores.forTests().redis().url())),
              () -> true,
              SyncConfig.of(ServerConfig.of(Map.of())),
              new SimpleMeterRegistry(),
              InstantSource.system()));
  private final MeetingSyncFeature feature =
      feature(
          Optional.of(
              keep(
                  CrmConnectorFactory.hubSpot(
                      crm.hubSpotUrl(),
                      Optional.of(TOKEN),
                      Optional.empty(),
                      RateLimiter.unlimited()))));
  private final Durable engine = engine();
  private final TestServer server = keep(TestServer.of(sync.endpoints().toArray(Endpoint[]::new)));
  private final long ann =
      number("insert into users (email) values ('ann@example.org') returning id as n");

  MeetingSyncTest() {
    sync.onRetry(
        (tx, was) -> {
          long meeting = Long.parseLong(was.meetingId());
          return feature.retry(tx, meeting, recorded.contains(meeting), was.lastSyncedBy());
        });
  }

  @AfterEach
  void close() throws Exception {
    while (!parts.isEmpty()) {
      parts.pop().close();
    }
  }

  @Test
  void theWordsOfABotReachTheCrmOnceWithItsMeetingsAttendance() throws Exception {
    String ada = crm.hubSpot().records().contact("ada@example.org");
    long meeting = meeting("google_meet");
    attended(meeting, "ada@example.org", "Ada");
    session(meeting, "first", 0);
    session(meeting, "again", 60);
    say(meeting, "again", 2, "Bob", "And now?");
    say(meeting, "first", 5, "Ada", "Good morning.");
    say(meeting, "recording:other", 0, "Eve", "Not of a bot.");
    run(
        """
        update transcriptions set shown_text = 'And what now?', shown_speaker = 'Bob Ray'
        where speaker = 'Bob'
        """);
    run(
        """
        insert into meeting_summaries (meeting_id, status, text)
        values (%d, 'done', 'They greet each other. [1]')
        """
            .formatted(meeting));
    end(meeting);
    end(meeting);
    assertThat(await("meeting-sync-" + meeting)).isEqualTo("done");
    FakeCrm.CrmNote note = Optional.ofNullable(crm.notes().get("meeting-" + meeting)).orElseThrow();
    assertThat(note.versions()).isEqualTo(1);
    assertThat(note.body().path("hs_meeting_body").asString(""))
        .containsSubsequence(
            "<p>They greet each other.</p>",
            "Ada:</strong> Good morning.",
            "Bob Ray:</strong> And what now?")
        .doesNotContain("Eve", "And now?", "[1]");
    assertThat(crm.hubSpot().records().timelines(note.id())).containsExactly("contacts:" + ada);
    JsonNode status = status(meeting);
    assertThat(status.path("status").asString("")).isEqualTo("success");
    assertThat(status.path("attempts").asInt()).isEqualTo(1);
    assertThat(status.path("steps").findValuesAsString("step"))
        .containsExactly("prepare", "transform", "push");
    assertThat(
            number(
                "select count(*) as n from workflow_owners where instance_id = 'meeting-sync-%d' and user_id = %d"
                    .formatted(meeting, ann)))
        .isEqualTo(1);
    assertThat(crm.complaints()).isEmpty();
  }

  /** A summary that is written after the note was sent. */
  @Test
  void aNoteIsSentAgainOnceItWasSent() throws Exception {
    long meeting = meeting("zoom");
    attended(meeting, "u-1", "Ada");
    assertThat(again(meeting)).isTrue();
    end(meeting);
    assertThat(await("meeting-sync-" + meeting)).isEqualTo("done");
    assertThat(again(meeting)).isTrue();
    assertThat(await("meeting-sync-" + meeting + "-2")).isEqualTo("done");
    assertThat(status(meeting).path("status").asString("")).isEqualTo("success");
    run("update meeting_syncs set status = 'running'");
    assertThat(again(meeting)).isFalse();
    assertThat(number("select run as n from meeting_syncs")).isEqualTo(2);
  }

  /** A CRM that knows a key answers as at first, and keeps what it has. */
  @Test
  void aNoteThatIsChangedBackIsSentUnderAKeyOfItsOwn() throws Exception {
    CrmConnector generic = keep(CrmConnectorFactory.generic(crm.notesUrl(), Optional.of(TOKEN)));
    NoteSender sender =
        new NoteSender(
            database,
            new MeetingSyncStore(database, sync),
            (tx, other) -> false,
            Optional.of(generic));
    long meeting = meeting("zoom");
    attended(meeting, "u-1", "Ada");
    run("insert into meeting_syncs (meeting_id) values (%d)".formatted(meeting));
    assertThat(sender.send(new MeetingSyncRun(meeting, 1, 0))).isEqualTo("done");
    run(
        """
        insert into meeting_summaries (meeting_id, status, text) values (%d, 'done', 'They meet.')
        """
            .formatted(meeting));
    run("update meeting_syncs set run = 2, status = 'waiting', step = null");
    assertThat(sender.send(new MeetingSyncRun(meeting, 2, 0))).isEqualTo("done");
    run("delete from meeting_summaries");
    run("update meeting_syncs set run = 3, status = 'waiting', step = null");
    assertThat(sender.send(new MeetingSyncRun(meeting, 3, 0))).isEqualTo("done");
    List<FakeCrm.GenericCrmPost> posts = crm.posts();
    assertThat(posts).hasSize(3);
    assertThat(posts.get(2).body()).isEqualTo(posts.get(0).body());
    FakeCrm.CrmNote note = Optional.ofNullable(crm.notes().get("meeting:" + meeting)).orElseThrow();
    assertThat(note.body().path("summary").isNull()).isTrue();
    assertThat(crm.complaints()).isEmpty();
  }

  private boolean again(long meeting) {
    return database.transaction(tx -> feature.sendAgain(tx, meeting));
  }

  @Test
  void aTrackedMeetingWaitsForARecordingAndAnotherOneDoesNot() throws Exception {
    MeetingSyncFeature waiting = waiting();
    long tracked = meeting("daily");
    long other = meeting("zoom");
    waiting.ended(tracked);
    waiting.ended(other);
    assertThat(await("meeting-sync-" + other)).isEqualTo("empty");
    assertThat(
            database.<String>read(
                tx ->
                    tx.sql("select status from meeting_syncs where meeting_id = ?")
                        .with(tracked)
                        .one(resultRow -> resultRow.text("status"))))
        .isEqualTo("waiting");
  }

  @Test
  void aRunThatIsCancelledWhileItWaitsFailsAndCanBeRetried() throws Exception {
    long meeting = meeting("daily");
    attended(meeting, "u-1", "Ada");
    waiting().ended(meeting);
    engine.cancel("meeting-sync-" + meeting, "by an operator");
    assertThat(await("meeting-sync-" + meeting)).isEqualTo("failed");
    JsonNode failed = status(meeting);
    assertThat(failed.path("status").asString("")).isEqualTo("failure");
    assertThat(failed.path("error_message").asString("")).isEqualTo("cancelled: by an operator");
    retry(meeting);
    assertThat(await("meeting-sync-" + meeting + "-2")).isEqualTo("done");
    assertThat(status(meeting).path("status").asString("")).isEqualTo("success");
  }

  @Test
  void aRunThatIsCancelledAfterARecordingHasSyncedTheMeetingIsLeftToIt() throws Exception {
    long meeting = meeting("daily");
    attended(meeting, "u-1", "Ada");
    waiting().ended(meeting);
    recorded.add(meeting);
    reported(meeting, SyncStatus.SUCCESS, Optional.empty(), "recording:r");
    engine.cancel("meeting-sync-" + meeting, "by an operator");
    assertThat(await("meeting-sync-" + meeting)).isEqualTo("recorded");
    assertThat(status(meeting).path("status").asString("")).isEqualTo("success");
  }

  /** Starts runs that wait for an hour; the engine runs them as those of {@link #feature}. */
  private MeetingSyncFeature waiting() {
    return new MeetingSyncFeature(
        database,
        sync,
        (tx, meeting) -> false,
        Optional.of(CrmConnectorFactory.generic(crm.hubSpotUrl(), Optional.empty())),
        Duration.ofHours(1),
        RetryPolicy.NONE);
  }

  /** Before the run is marked, such a summary is taken for one that its note will have. */
  @Test
  void aSummaryThatIsDoneBeforeARunIsMarkedIsInItsNote() throws Exception {
    NoteSender sender =
        new NoteSender(
            database,
            new MeetingSyncStore(database, sync),
            (tx, other) -> false,
            Optional.of(keep(CrmConnectorFactory.generic(crm.notesUrl(), Optional.of(TOKEN)))));
    long meeting = meeting("zoom");
    attended(meeting, "u-1", "Ada");
    run("insert into meeting_syncs (meeting_id) values (%d)".formatted(meeting));
    CompletableFuture<String> end =
        database.transaction(
            tx -> {
              int _ = tx.sql("update meeting_syncs set updated_at = now()").update();
              CompletableFuture<String> sent =
                  CompletableFuture.supplyAsync(() -> sent(sender, meeting));
              Await.until("the run", () -> keepsAnotherWaiting(tx));
              run(
                  """
                  insert into meeting_summaries (meeting_id, status, text)
                  values (%d, 'done', 'They meet.')
                  """
                      .formatted(meeting));
              assertThat(again(meeting)).as("it is not on its way").isTrue();
              return sent;
            });
    assertThat(end.get(LONG.toSeconds(), TimeUnit.SECONDS)).isEqualTo("done");
    FakeCrm.CrmNote note = Optional.ofNullable(crm.notes().get("meeting:" + meeting)).orElseThrow();
    assertThat(note.body().path("summary").asString("")).isEqualTo("They meet.");
  }

  private static String sent(NoteSender sender, long meeting) {
    try {
      return sender.send(new MeetingSyncRun(meeting, 1, 0));
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static boolean keepsAnotherWaiting(Tx tx) {
    return tx.sql(
            """
            select exists (
              select from pg_locks
              where not granted and pg_backend_pid() = any (pg_blocking_pids(pid))) as it
            """)
        .one(row -> row.booleanAt("it"));
  }

  /** A run that a retry has replaced, whose node comes back late. */
  @Test
  void aRunThatIsOverWritesNothing() throws Exception {
    long meeting = meeting("zoom");
    attended(meeting, "u-1", "Ada");
    end(meeting);
    assertThat(await("meeting-sync-" + meeting)).isEqualTo("done");
    MeetingSyncStore store = new MeetingSyncStore(database, sync);
    run("update meeting_syncs set run = 2, status = 'running', step = 'prepare'");
    MeetingSyncRun late = new MeetingSyncRun(meeting, 1, 0);
    assertThat(store.reached(late, "transform")).isFalse();
    assertThat(store.done(late, "late")).isEqualTo("over");
    assertThat(store.failed(late, "late")).isEqualTo("over");
    assertThat(status(meeting).path("status").asString("")).isEqualTo("success");
    assertThat(number("select count(*) as n from meeting_syncs where step = 'prepare'"))
        .isEqualTo(1);
    run("update meeting_syncs set run = 1, status = 'done'");
    assertThat(database.<Boolean>transaction(tx -> MeetingSyncStore.retry(tx, meeting, true, true)))
        .isFalse();
    assertThat(number("select run as n from meeting_syncs")).isEqualTo(1);
  }

  @Test
  void attendanceAloneIsANoteAndAMeetingWithNeitherIsNone() throws Exception {
    long attended = meeting("daily");
    attended(attended, "u-1", "Ada");
    long empty = meeting("zoom");
    end(attended);
    end(empty);
    assertThat(await("meeting-sync-" + attended)).isEqualTo("done");
    assertThat(await("meeting-sync-" + empty)).isEqualTo("empty");
    assertThat(crm.notes()).containsOnlyKeys("meeting-" + attended);
    assertThat(status(attended).path("status").asString("")).isEqualTo("success");
    assertThat(status(empty).path("status").asString("")).isEqualTo("not_started");
  }

  @Test
  void aMeetingWithARecordingIsLeftToIt() throws Exception {
    long meeting = meeting("daily");
    attended(meeting, "u-1", "Ada");
    recorded.add(meeting);
    end(meeting);
    assertThat(await("meeting-sync-" + meeting)).isEqualTo("recorded");
    assertThat(crm.notes()).isEmpty();
    assertThat(status(meeting).path("status").asString("")).isEqualTo("not_started");
  }

  @Test
  void aRefusalShowsInTheCrmsWordsAndARetrySendsTheNoteAgain() throws Exception {
    long meeting = meeting("teams");
    attended(meeting, "u-1", "Ada");
    crm.hubSpot().refuseNote(207, "VALIDATION_ERROR", "hs_meeting_title is not a title");
    crm.faults().next("POST", new RequestFault.RefuseRequest(502));
    end(meeting);
    assertThat(await("meeting-sync-" + meeting)).isEqualTo("failed");
    JsonNode failed = status(meeting);
    assertThat(failed.path("status").asString("")).isEqualTo("failure");
    assertThat(failed.path("last_step").asString("")).isEqualTo("push");
    assertThat(failed.path("error_message").asString("")).contains("hs_meeting_title is not");

    JsonNode again = server.user(ann).post("/sync-status/" + meeting + "/retry").expect(202).json();
    assertThat(again.path("status").asString("")).isEqualTo("in_progress");
    assertThat(again.path("stalled").asBoolean()).isFalse();
    assertThat(await("meeting-sync-" + meeting + "-2")).isEqualTo("done");
    assertThat(status(meeting).path("status").asString("")).isEqualTo("success");
    assertThat(crm.notes()).containsOnlyKeys("meeting-" + meeting);
  }

  /** A recording that a server of the release before deleted, or one that came after the note. */
  @Test
  void aRetryWhoseFailedRecordingIsGoneSendsTheNoteOfTheMeeting() throws Exception {
    long meeting = meeting("daily");
    attended(meeting, "u-1", "Ada");
    recorded.add(meeting);
    end(meeting);
    assertThat(await("meeting-sync-" + meeting)).isEqualTo("recorded");
    failed(meeting, "recording:r");
    retry(meeting);
    assertThat(number("select run as n from meeting_syncs")).as("it is there").isEqualTo(1);
    recorded.remove(meeting);
    for (int run = 2; run <= 3; run++) {
      failed(meeting, "recording:r");
      retry(meeting);
      assertThat(await("meeting-sync-" + meeting + "-" + run)).isEqualTo("done");
      assertThat(status(meeting).path("status").asString("")).isEqualTo("success");
    }
    failed(meeting, "JobB");
    retry(meeting);
    assertThat(number("select run as n from meeting_syncs")).as("it was another's").isEqualTo(3);
    assertThat(status(meeting).path("status").asString("")).isEqualTo("in_progress");
    assertThat(crm.notes()).containsOnlyKeys("meeting-" + meeting);
  }

  @Test
  void aRetryThatFindsNothingToSendFailsAndCanBeRetried() throws Exception {
    long meeting = meeting("teams");
    attended(meeting, "u-1", "Ada");
    crm.hubSpot().refuseNote(207, "VALIDATION_ERROR", "hs_meeting_title is not a title");
    end(meeting);
    assertThat(await("meeting-sync-" + meeting)).isEqualTo("failed");
    run("delete from participant_sessions");
    for (int run = 2; run <= 3; run++) {
      retry(meeting);
      assertThat(await("meeting-sync-" + meeting + "-" + run)).isEqualTo("empty");
      JsonNode failed = status(meeting);
      assertThat(failed.path("status").asString("")).isEqualTo("failure");
      assertThat(failed.path("error_message").asString("")).isEqualTo("there is nothing to send");
    }
    attended(meeting, "u-1", "Ada");
    retry(meeting);
    assertThat(await("meeting-sync-" + meeting + "-4")).isEqualTo("done");
    assertThat(status(meeting).path("status").asString("")).isEqualTo("success");
  }

  private void failed(long meeting, String by) {
    reported(meeting, SyncStatus.FAILURE, Optional.of("the recording was deleted"), by);
  }

  private void reported(long meeting, SyncStatus end, Optional<String> why, String by) {
    SyncUpdateResult _ =
        sync.apply(
            Long.toString(meeting),
            new SyncUpdate.StepReported(
                MeetingSyncStore.STEPS,
                "push",
                end,
                why,
                by,
                new SyncUpdate.PipelinesReported(end, why)));
  }

  private void retry(long meeting) {
    server.user(ann).post("/sync-status/" + meeting + "/retry").expect(202);
  }

  @Test
  void aCrmThatStaysAwayFailsTheSyncAtTheStepThatItStoppedAt() throws Exception {
    long meeting = meeting("zoom");
    attended(meeting, "u-1", "Ada");
    for (int i = 0; i < 10; i++) {
      crm.faults().next("POST", new RequestFault.RefuseRequest(503));
    }
    end(meeting);
    assertThat(await("meeting-sync-" + meeting)).isEqualTo("failed");
    JsonNode failed = status(meeting);
    assertThat(failed.path("status").asString("")).isEqualTo("failure");
    assertThat(failed.path("last_step").asString("")).isEqualTo("push");
    assertThat(failed.path("error_message").asString("")).contains("503");
  }

  @Test
  void withoutACrmNothingBegins() throws Exception {
    long meeting = meeting("zoom");
    attended(meeting, "u-1", "Ada");
    MeetingSyncFeature none = feature(Optional.empty());
    none.ended(meeting);
    assertThat(number("select count(*) as n from meeting_syncs")).isZero();
    assertThat(
            database.<Boolean>read(tx -> none.retry(tx, meeting, false, Optional.of("meeting:1"))))
        .isFalse();
    assertThat(status(meeting).path("status").asString("")).isEqualTo("not_started");
  }

  private MeetingSyncFeature feature(Optional<CrmConnector> target) {
    return new MeetingSyncFeature(
        database,
        sync,
        (tx, meeting) -> recorded.contains(meeting),
        target,
        Duration.ZERO,
        new RetryPolicy(3, Duration.ofMillis(20), 1, Duration.ofMillis(20)));
  }

  private Durable engine() {
    LongPollConfig waiting = LongPollConfig.defaults().on();
    Durable.Builder builder = Durable.over(PostgresProvider.open(url, "durable", waiting), waiting);
    feature.register(builder);
    return keep(builder.start());
  }

  private String await(String instance) throws Exception {
    return engine.await(instance, String.class, LONG);
  }

  private void end(long meeting) {
    feature.ended(meeting);
  }

  private JsonNode status(long meeting) {
    return server.user(ann).get("/sync-status?meeting_id=" + meeting).expect(200).json();
  }

  private long meeting(String platform) {
    return number(
        """
        insert into meetings (user_id, platform, platform_specific_id, status, tracked, start_time, end_time)
        values (%d, '%s', 'call-' || gen_random_uuid(), 'completed', %s,
          now() - interval '1 hour', now()) returning id as n
        """
            .formatted(ann, platform, platform.equals("daily")));
  }

  private void attended(long meeting, String userId, String name) {
    run(
        """
        insert into participant_sessions (meeting_id, session_id, user_id, user_name, joined_at, join_source, last_seen_at)
        values (%d, gen_random_uuid()::text, '%s', '%s', now() - interval '50 min', 'webhook', now())
        """
            .formatted(meeting, userId, name));
  }

  private void session(long meeting, String uid, int minute) {
    run(
        """
        insert into meeting_sessions (meeting_id, session_uid, session_start_time, attempt)
        select id, '%s', start_time + interval '%d min', 1 from meetings where id = %d
        """
            .formatted(uid, minute, meeting));
  }

  private void say(long meeting, String uid, int at, String speaker, String text) {
    run(
        """
        insert into transcriptions (meeting_id, session_uid, start_time, end_time, speaker, text, completed)
        values (%d, '%s', %d, %d, '%s', '%s', true)
        """
            .formatted(meeting, uid, at, at + 1, speaker, text));
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
