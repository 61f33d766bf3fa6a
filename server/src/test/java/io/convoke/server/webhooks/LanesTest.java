package io.convoke.server.webhooks;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.crypto.SecretBox;
import io.convoke.engine.durable.postgres.PostgresProvider;
import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.journal.EventFilter;
import io.convoke.engine.journal.Journal;
import io.convoke.engine.journal.JournalEvent;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.engine.sql.Tx;
import io.convoke.server.MigratedDatabase;
import io.convoke.server.Migrations;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.Problem;
import io.convoke.server.http.TestServer;
import io.convoke.server.launch.Await;
import io.convoke.server.meetings.MeetingTranscriptStore;
import io.convoke.server.meetings.MeetingTranscriptStore.StoredSegment;
import io.convoke.server.webhooks.LaneStore.LaneStep;
import io.convoke.server.webhooks.LaneWorkflow.Lane;
import io.convoke.server.webhooks.LaneWorkflow.Sent;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.InetAddress;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Lanes with a backlog: resumed, removed, of a disabled user, without lookups; no engine runs. */
class LanesTest {
  private static final String HOLDER = "a-workflow";
  private static final String RECORDING = "recording:r1";

  private final DatabaseUrl url = DatabaseUrl.parse(MigratedDatabase.url());
  private final Database database = Database.open(url, 6, "lanes-test", Migrations.SCHEMAS);

  /** Makes the engine's tables. */
  private final PostgresProvider tables =
      PostgresProvider.open(url, "durable", LongPollConfig.defaults());

  private final Journal journal = new Journal(database);
  private final MeetingTranscriptStore transcripts = new MeetingTranscriptStore(journal);
  private final LaneStore lanes = new LaneStore(database);
  private final AtomicBoolean refused = new AtomicBoolean();
  private final WebhooksFeature feature =
      new WebhooksFeature(
          database,
          journal,
          SecretBox.of(SecretBox.newKey()),
          new SsrfGuard(true, (user, host) -> resolve()),
          new SsrfGuard(true, (user, host) -> resolve()),
          WebhooksFeature.SENDS_MAX,
          new SimpleMeterRegistry(),
          InstantSource.system());
  private final TestServer server = TestServer.of(feature.endpoints().toArray(Endpoint[]::new));
  private final long ann =
      number("insert into users (email) values ('ann@x.org') returning id as n");
  private final long endpoint =
      number(
          """
          insert into webhook_endpoints (user_id, url, secret, routed_seq)
          values (%d, 'http://127.0.0.1:1/', '', 0) returning id as n
          """
              .formatted(ann));
  private final Lane lane = new Lane(endpoint, 0);

  @AfterEach
  void close() {
    feature.close();
    server.close();
    journal.close();
    tables.close();
    database.close();
  }

  private List<InetAddress> resolve() throws SsrfGuard.LookupRefused {
    if (refused.get()) {
      throw new SsrfGuard.LookupRefused();
    }
    return List.of(InetAddress.getLoopbackAddress());
  }

  @Test
  void aResumedEndpointChangesNoRowThatWasNeverTried() {
    long tried = waits("meeting:1", 9);
    long other = waits("meeting:2", 0);
    String place = text("select ctid::text as t from webhook_deliveries where id = " + other);
    run("update webhook_endpoints set state = 'paused'");
    server.user(ann).post("/webhook-endpoints/" + endpoint + "/resume").expect(202);
    assertThat(text("select ctid::text as t from webhook_deliveries where id = " + other))
        .isEqualTo(place);
    assertThat(number("select attempts as n from webhook_deliveries where id = " + tried)).isZero();
    assertThat(number("select count(*) as n from webhook_streams where due_at <= now()"))
        .isEqualTo(2);
  }

  @Test
  void anEndpointIsRemovedAtOnceAndWhatWaitsForItAfterwards() {
    run(
        """
        insert into webhook_deliveries (endpoint_id, subject, message_id, type, body)
        select %d, 'meeting:' || n, 'm-' || n, 'x', '{}' from generate_series(1, 2500) n
        """
            .formatted(endpoint));
    long locked = waits("meeting:1", 0);
    long others =
        number(
            """
            insert into webhook_deliveries (endpoint_id, subject, message_id, type, body)
            values (0, 'meeting:1', 'm', 'x', '{}') returning id as n
            """);
    feature.start();
    database.run(
        tx -> {
          long _ = locked(tx, locked);
          server.user(ann).delete("/webhook-endpoints/" + endpoint).expect(204);
        });
    server.user(ann).get("/webhook-endpoints/" + endpoint).expect(404);
    Await.until("nothing is left", () -> left() == 0);
    assertThat(number("select id as n from webhook_deliveries")).isEqualTo(others);
  }

  /**
   * Streams of an old release, which had no lanes. Neither node finds a full batch, which would
   * have it look for more.
   */
  @Test
  void streamsWithoutALaneThatTwoNodesDeleteAtTheSameTimeLeaveNothing() throws Exception {
    run(
        """
        insert into webhook_streams (endpoint_id, subject, running)
        select %d, 'meeting:' || n, true from generate_series(1, 2500) n
        """
            .formatted(endpoint));
    server.user(ann).delete("/webhook-endpoints/" + endpoint).expect(204);
    DeliveryStore deliveries = new DeliveryStore(database, journal);
    CompletableFuture<Integer> pruned =
        database.transaction(
            tx -> {
              int _ = tx.sql("delete from webhook_streams where subject = 'meeting:1'").update();
              CompletableFuture<Integer> other =
                  CompletableFuture.supplyAsync(deliveries::prune, Thread::startVirtualThread);
              Await.until("the other node", () -> waiting() + (other.isDone() ? 1 : 0) > 0);
              return other;
            });
    int _ = pruned.get(20, TimeUnit.SECONDS);
    int _ = deliveries.prune();
    assertThat(left()).isZero();
  }

  @Test
  void nothingIsQueuedForAnEndpointThatIsBeingRemoved() {
    long sent = waits("meeting:1", 1);
    run("update webhook_deliveries set state = 'delivered', delivered_at = now()");
    DeliveryStore deliveries = new DeliveryStore(database, journal);
    List<CompletableFuture<Void>> queued =
        database.transaction(
            tx -> {
              int _ = tx.sql("delete from webhook_endpoints").update();
              List<CompletableFuture<Void>> both =
                  List.of(
                      CompletableFuture.runAsync(
                          () -> deliveries.resend(endpoint, sent), Thread::startVirtualThread),
                      CompletableFuture.runAsync(
                          () -> deliveries.test(endpoint), Thread::startVirtualThread));
              Await.until(
                  "both",
                  () -> waiting() + both.stream().filter(CompletableFuture::isDone).count() >= 2);
              return both;
            });
    for (CompletableFuture<Void> one : queued) {
      assertThat(one)
          .failsWithin(20, TimeUnit.SECONDS)
          .withThrowableOfType(ExecutionException.class)
          .withCauseInstanceOf(Problem.class);
    }
  }

  /** Nodes read events from their memory, also after words were deleted from the journal. */
  @Test
  void wordsThatWereDeletedAfterTheirEventWasReadAreNotQueued() {
    long meeting = meeting();
    List<JournalEvent> read = said(meeting);
    assertThat(read).hasSize(1);
    forget(meeting);
    int routed = database.transaction(tx -> routed(tx, read));
    assertThat(routed).isEqualTo(1);
    assertThat(text("select body as t from webhook_deliveries")).contains("\"segments\":[]");
  }

  @Test
  void aDeletionDuringTheRoutingOfWordsFindsTheirDelivery() {
    long meeting = meeting();
    List<JournalEvent> read = said(meeting);
    CompletableFuture<Void> deletion =
        database.transaction(
            tx -> {
              int _ = routed(tx, read);
              CompletableFuture<Void> other =
                  CompletableFuture.runAsync(() -> forget(meeting), Thread::startVirtualThread);
              Await.until("the deletion", () -> waiting() + (other.isDone() ? 1 : 0) > 0);
              return other;
            });
    assertThat(deletion).succeedsWithin(20, TimeUnit.SECONDS);
    assertThat(text("select body as t from webhook_deliveries"))
        .contains("transcript.segments")
        .doesNotContain("Yes");
  }

  @Test
  void aDeletionWhileWordsAreSentAgainFindsTheCopy() {
    DeliveryStore deliveries = new DeliveryStore(database, journal);
    long meeting = meeting();
    List<JournalEvent> read = said(meeting);
    int _ = database.transaction(tx -> routed(tx, read));
    run("update webhook_deliveries set state = 'delivered', delivered_at = now()");
    long sent = number("select id as n from webhook_deliveries");
    List<CompletableFuture<Void>> both =
        database.transaction(
            tx -> {
              // The copy is made, and waits here for its lane.
              int _ = tx.sql("update webhook_lanes set wakes_at = null").update();
              CompletableFuture<Void> copy =
                  CompletableFuture.runAsync(
                      () -> deliveries.resend(endpoint, sent), Thread::startVirtualThread);
              Await.until("the copy", () -> waiting() > 0 || copy.isDone());
              CompletableFuture<Void> deletion =
                  CompletableFuture.runAsync(() -> forget(meeting), Thread::startVirtualThread);
              Await.until("the deletion", () -> waiting() > 1 || deletion.isDone());
              return List.of(copy, deletion);
            });
    for (CompletableFuture<Void> one : both) {
      assertThat(one).succeedsWithin(20, TimeUnit.SECONDS);
    }
    assertThat(number("select count(*) as n from webhook_deliveries")).isEqualTo(2);
    assertThat(number("select count(*) as n from webhook_deliveries where body like '%Yes%'"))
        .isZero();
  }

  private int routed(Tx tx, List<JournalEvent> events) {
    return DeliveryStore.route(tx, endpoint, events, events.getLast().seq()).orElseThrow();
  }

  private long meeting() {
    return number(
        """
        insert into meetings (user_id, platform, platform_specific_id, status)
        values (%d, 'daily', 'stand-up', 'completed') returning id as n
        """
            .formatted(ann));
  }

  /** The events so far, after one with words of a recording. */
  private List<JournalEvent> said(long meeting) {
    StoredSegment yes = new StoredSegment(1, 2, "Yes", Optional.empty(), Optional.empty(), true);
    database.run(tx -> transcripts.add(tx, meeting, RECORDING, List.of(yes)));
    return journal.read(EventFilter.ALL, 0, 10);
  }

  private void forget(long meeting) {
    database.run(tx -> transcripts.forget(tx, meeting, RECORDING));
  }

  /** How many transactions wait for another one. */
  private long waiting() {
    return number(
        """
        select count(*) as n from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'
        """);
  }

  private static long locked(Tx tx, long delivery) {
    return tx.sql("select id from webhook_deliveries where id = ? for update")
        .with(delivery)
        .one(resultRow -> resultRow.longAt("id"));
  }

  private long left() {
    return number(
        """
        select (select count(*) from webhook_deliveries where endpoint_id = %1$d)
          + (select count(*) from webhook_streams where endpoint_id = %1$d)
          + (select count(*) from webhook_lanes where endpoint_id = %1$d) as n
        """
            .formatted(endpoint));
  }

  @Test
  void nothingIsSentForADisabledUserUntilItIsEnabled() {
    long waiting = waits("meeting:1", 0);
    run("update users set disabled_at = now()");
    assertThat(lanes.next(lane, HOLDER)).isEqualTo(new LaneStep.NothingDue(Optional.empty()));
    lanes.startForgotten();
    assertThat(lanes.wakeDue(false).next()).isEmpty();
    assertThat(number("select count(*) as n from webhook_lanes where holder is null")).isEqualTo(1);

    database.run(this::enable);
    assertThat(lanes.wakeDue(false).next()).isEmpty();
    assertThat(lanes.next(lane, text("select holder as t from webhook_lanes where lane = 0")))
        .isInstanceOfSatisfying(
            LaneStep.DeliveryDue.class, next -> assertThat(next.due().id()).isEqualTo(waiting));
  }

  private void enable(Tx tx) {
    int _ = tx.sql("update users set disabled_at = null").update();
    feature.enabled(tx, ann);
  }

  /** A user may be disabled for longer than the 72 hours of the retries. */
  @Test
  void aFailureAfterItsUserWasEnabledPausesNoEndpoint() {
    long _ = waits("meeting:1", 9);
    run("update webhook_deliveries set first_tried_at = now() - interval '80 hours'");
    run("update users set disabled_at = now()");
    database.run(this::enable);
    Sent _ = feature.sender().send(lane, HOLDER);
    assertThat(number("select attempts as n from webhook_deliveries")).isEqualTo(1);
    assertThat(text("select state as t from webhook_endpoints")).isEqualTo("active");
  }

  /** Its holder could find the user disabled after the lanes were made due. */
  @Test
  void aLaneThatIsAddedWhileItsUserIsBeingEnabledIsSent() throws Exception {
    run("update users set disabled_at = now()");
    run(
        """
        insert into webhook_deliveries (endpoint_id, subject, message_id, type, body)
        values (%d, 'meeting:1', 'm', 'x', '{}')
        """
            .formatted(endpoint));
    CompletableFuture<LaneStep> found =
        database.transaction(
            tx -> {
              enable(tx);
              CompletableFuture<LaneStep> added =
                  CompletableFuture.supplyAsync(
                      () -> added("meeting:1"), Thread::startVirtualThread);
              Await.until("the router", () -> waiting() + (added.isDone() ? 1 : 0) > 0);
              return added;
            });
    assertThat(found.get(20, TimeUnit.SECONDS)).isInstanceOf(LaneStep.DeliveryDue.class);
  }

  private LaneStep added(String subject) {
    database.run(tx -> LaneStore.add(tx, endpoint, List.of(subject)));
    return lanes.next(
        new Lane(endpoint, LaneStore.of(subject)),
        text("select holder as t from webhook_lanes where holder is not null"));
  }

  /** By SQL, or on a node of an earlier release. */
  @Test
  void aUserWhomNothingToldToBeEnabledIsFoundByTheScan() {
    long _ = waits("meeting:1", 0);
    run("update users set disabled_at = now()");
    assertThat(lanes.next(lane, HOLDER)).isEqualTo(new LaneStep.NothingDue(Optional.empty()));
    run("update users set disabled_at = null");
    lanes.startForgotten();
    assertThat(lanes.next(lane, text("select holder as t from webhook_lanes")))
        .isInstanceOf(LaneStep.DeliveryDue.class);
  }

  /** Not later, when the retry would have been due, and not for the last time. */
  @Test
  void aRetryWhoseUserWasEnabledBySqlIsSentByTheScanAndPausesNoEndpoint() {
    long _ = waits("meeting:1", 9);
    run("update webhook_deliveries set first_tried_at = now() - interval '80 hours'");
    run("update users set disabled_at = now()");
    assertThat(lanes.next(lane, HOLDER)).isEqualTo(new LaneStep.NothingDue(Optional.empty()));
    run("update users set disabled_at = null");
    lanes.startForgotten();
    Sent _ = feature.sender().send(lane, text("select holder as t from webhook_lanes"));
    assertThat(number("select attempts as n from webhook_deliveries")).isEqualTo(1);
    assertThat(text("select state as t from webhook_endpoints")).isEqualTo("active");
  }

  @Test
  void aDeliveryWhoseHostCannotBeLookedUpNowIsSentLaterAndCountsNoAttempt() {
    long _ = waits("meeting:1", 0);
    refused.set(true);
    Sent sent = feature.sender().send(lane, HOLDER);
    assertThat(sent.more()).isTrue();
    assertThat(sent.waitMillis()).isPresent();
    assertThat(number("select attempts as n from webhook_deliveries")).isZero();
    assertThat(number("select count(*) as n from webhook_deliveries where last_error is null"))
        .isEqualTo(1);
  }

  @Test
  void aRegistrationWhoseHostCannotBeLookedUpNowMayBeRepeated() {
    refused.set(true);
    Map<String, String> body = Map.of("url", "https://hooks.example.org/");
    server.user(ann).post("/webhook-endpoints", body).expect(429, "too_many_lookups");
    refused.set(false);
    server.user(ann).post("/webhook-endpoints", body).expect(201);
  }

  /** Adds a delivery to the lane, which has a holder; one that was tried is retried in an hour. */
  private long waits(String subject, int attempts) {
    run(
        """
        insert into webhook_lanes (endpoint_id, lane, holder) values (%d, 0, '%s')
        on conflict do nothing
        """
            .formatted(endpoint, HOLDER));
    run(
        """
        insert into webhook_streams (endpoint_id, subject, running, lane, due_at)
        values (%d, '%s', true, 0, now() + case when %d > 0 then interval '1 hour' else '0' end)
        """
            .formatted(endpoint, subject, attempts));
    return number(
        """
        insert into webhook_deliveries (endpoint_id, subject, message_id, type, body, attempts)
        values (%d, '%s', 'm', 'x', '{}', %d) returning id as n
        """
            .formatted(endpoint, subject, attempts));
  }

  private void run(String sql) {
    database.run(tx -> tx.run(List.of(tx.sql(sql))));
  }

  private long number(String sql) {
    return database.read(tx -> tx.sql(sql).one(resultRow -> resultRow.longAt("n")));
  }

  private String text(String sql) {
    return database.read(tx -> tx.sql(sql).one(resultRow -> resultRow.text("t")));
  }
}
