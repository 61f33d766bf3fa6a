package io.convoke.server.workflows;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.crypto.SecretBox;
import io.convoke.engine.durable.Durable;
import io.convoke.engine.durable.WorkflowFailedException;
import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.journal.EventFilter;
import io.convoke.engine.journal.Journal;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.server.MigratedDatabase;
import io.convoke.server.Migrations;
import io.convoke.server.http.Caller;
import io.convoke.server.http.ContractClient;
import io.convoke.server.http.DocumentParts;
import io.convoke.server.http.HealthChecks;
import io.convoke.server.http.HttpConfig;
import io.convoke.server.http.RequestPolicies;
import io.convoke.server.http.auth.Authenticator;
import io.convoke.server.http.auth.BrowserSessions;
import io.convoke.server.http.idempotency.IdempotencyStore;
import io.convoke.server.http.listener.HttpServer;
import io.convoke.server.meetings.MeetingStore;
import io.convoke.server.meetings.PostMeetingOrder;
import io.convoke.server.rooms.RoomClaims;
import io.convoke.server.trace.Traceparent;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.context.Scope;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The post-meeting workflow, started with the meeting's end; listed over HTTP to its owner. */
class WorkflowsFeatureTest {
  private static final Duration LONG = Duration.ofSeconds(20);

  private final DatabaseUrl url = DatabaseUrl.parse(MigratedDatabase.url());
  private final Database database = Database.open(url, 4, "test", Migrations.SCHEMAS);
  private final Set<Long> ended = ConcurrentHashMap.newKeySet();
  private final Set<Long> stuck = ConcurrentHashMap.newKeySet();
  private final CountDownLatch stuckOnce = new CountDownLatch(1);
  private final long ann;
  private final long bob;
  private final Journal journal;
  private final PrometheusMeterRegistry meters =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final WorkflowsFeature workflowsFeature;
  private final HttpServer server;
  private final ContractClient admin;

  WorkflowsFeatureTest() {
    journal = new Journal(database);
    ann = number("insert into users (email) values ('ann@example.org') returning id as n");
    bob = number("insert into users (email) values ('bob@example.org') returning id as n");
    long before = meeting(ann);
    database.run(
        tx ->
            tx.run(
                List.of(tx.sql("insert into post_meeting (meeting_id) values (?)").with(before))));
    workflowsFeature =
        new WorkflowsFeature(
            url,
            url,
            database,
            new MeetingStore(
                database, journal, new RoomClaims(database, RoomClaims.RoomClaimMode.FIRST)),
            this::remove,
            ended::add,
            List.of(),
            new WorkflowsFeature.WorkflowConfig(
                true,
                LongPollConfig.defaults().on(),
                4,
                4,
                Duration.ofDays(30),
                Duration.ofMillis(20)),
            meters,
            OpenTelemetry.noop());
    server =
        HttpServer.start(
            HttpConfig.at("127.0.0.1", 0),
            workflowsFeature.endpoints(),
            DocumentParts.NONE,
            new Authenticator(
                Optional.of("the-admin-key"),
                Optional.empty(),
                key -> Optional.of(new Caller.UserCaller(Long.parseLong(key))),
                List.of()),
            new BrowserSessions(SecretBox.of(SecretBox.newKey()), InstantSource.system()),
            new IdempotencyStore(database, SecretBox.of(SecretBox.newKey())),
            RequestPolicies.NONE,
            new HealthChecks(),
            meters,
            OpenTelemetry.noop());
    admin = ContractClient.of(server.url()).with("X-Admin-API-Key", "the-admin-key");
  }

  @AfterEach
  void close() {
    server.close();
    workflowsFeature.close();
    journal.close();
    database.close();
  }

  @Test
  void whatFollowsAMeetingHappensOnceHoweverOftenItIsOrdered() throws Exception {
    long meeting = meeting(ann);
    say(meeting);
    order(meeting);
    order(meeting);
    JsonNode result = engine().await("post-meeting-" + meeting, JsonNode.class, LONG);
    assertThat(result.path("bot").asString()).isEqualTo("gone");
    assertThat(result.path("segments").asLong()).isEqualTo(1);
    assertThat(ended).contains(meeting);
    assertThat(
            journal.read(EventFilter.subject("meeting:" + meeting), 0, 10).stream()
                .map(journalEvent -> journalEvent.type()))
        .containsExactly("transcript.closed");
    assertThat(engine().provider().admin().executions("post-meeting-" + meeting)).hasSize(1);
  }

  @Test
  void aWorkflowContinuesTheTraceOfTheRequestThatEndedTheMeeting() throws Exception {
    long meeting = meeting(ann);
    String trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    try (Scope _ = Traceparent.context("00-" + trace + "-00f067aa0ba902b7-01").makeCurrent()) {
      order(meeting);
    }
    JsonNode _ = engine().await("post-meeting-" + meeting, JsonNode.class, LONG);
    JsonNode story = admin.get("/workflows/post-meeting-" + meeting).expect(200).json();
    assertThat(story.path("history").path(0).path("data").path("trace").asString())
        .isEqualTo("00-" + trace + "-00f067aa0ba902b7-01");
  }

  @Test
  void whatEndedBeforeThereWasAnEngineIsTakenOver() throws Exception {
    long before = number("select min(meeting_id) as n from post_meeting");
    JsonNode _ = engine().await("post-meeting-" + before, JsonNode.class, LONG);
    assertThat(number("select count(*) as n from post_meeting where taken_at is null")).isZero();
    assertThat(PostMeetingOrder.takeOver(database)).isZero();
  }

  @Test
  void usersSeeTheirOwnAndAdminsAll() throws Exception {
    long hers = meeting(ann);
    long his = meeting(bob);
    order(hers);
    order(his);
    JsonNode _ = engine().await("post-meeting-" + hers, JsonNode.class, LONG);
    JsonNode _ = engine().await("post-meeting-" + his, JsonNode.class, LONG);
    ContractClient user = as(bob);

    assertThat(user.get("/workflows").expect(200).json().path("items").findValuesAsString("id"))
        .containsExactly("post-meeting-" + his);
    assertThat(
            admin
                .get("/workflows?status=completed&name=post-meeting&limit=1")
                .expect(200)
                .json()
                .path("next_cursor")
                .isString())
        .isTrue();
    JsonNode story = user.get("/workflows/post-meeting-" + his).expect(200).json();
    assertThat(story.path("workflow").path("status").asString()).isEqualTo("completed");
    assertThat(story.path("workflow").path("progress").asString()).isEqualTo("done");
    assertThat(story.path("history").findValuesAsString("type"))
        .startsWith("Started")
        .endsWith("WorkflowCompleted");
    user.get("/workflows/post-meeting-" + hers).expect(404);
    user.post("/workflows/post-meeting-" + hers + "/cancel", Map.of()).expect(404);
    JsonNode refused =
        user.post("/workflows/post-meeting-" + his + "/cancel", Map.of())
            .expect(409, "workflow_completed")
            .json();
    assertThat(refused.path("workflow_status").asString()).isEqualTo("completed");
    user.post("/workflows/post-meeting-" + his + "/retry", Map.of())
        .expect(409, "workflow_completed");
    user.get("/workflows?cursor=garbage").expect(400);
    user.get("/workflows?status=asleep").expect(400);
  }

  @Test
  void pagesMeetEveryWorkflowOnce() throws Exception {
    for (int i = 0; i < 5; i++) {
      long meeting = meeting(bob);
      order(meeting);
      JsonNode _ = engine().await("post-meeting-" + meeting, JsonNode.class, LONG);
    }
    ContractClient user = as(bob);
    JsonNode first = user.get("/workflows?limit=3").expect(200).json();
    JsonNode second =
        user.get("/workflows?limit=3&cursor=" + first.path("next_cursor").asString())
            .expect(200)
            .json();
    assertThat(first.path("items").findValuesAsString("id")).hasSize(3);
    assertThat(second.path("items").findValuesAsString("id"))
        .hasSize(2)
        .doesNotContainAnyElementsOf(first.path("items").findValuesAsString("id"));
    assertThat(second.path("next_cursor").isNull()).isTrue();
  }

  @Test
  void aCancelledWorkflowFailsAndCanBeRestarted() throws Exception {
    long meeting = meeting(ann);
    stuck.add(meeting);
    order(meeting);
    assertThat(stuckOnce.await(20, java.util.concurrent.TimeUnit.SECONDS)).isTrue();
    String id = "post-meeting-" + meeting;
    ContractClient user = as(ann);
    JsonNode pending = user.get("/workflows/" + id).expect(200).json().at("/pending/0");
    assertThat(pending.path("attempt").asInt()).isPositive();
    assertThat(pending.path("order").asLong()).isPositive();
    user.post("/workflows/" + id + "/events/anything", Map.of("a", 1)).expect(202);
    user.post("/workflows/" + id + "/cancel", Map.of("reason", "not now")).expect(202);
    org.assertj.core.api.Assertions.assertThatThrownBy(
            () -> engine().await(id, JsonNode.class, LONG))
        .isInstanceOf(WorkflowFailedException.class);
    user.post("/workflows/" + id + "/events/anything", Map.of()).expect(409, "workflow_failed");

    stuck.clear();
    user.post("/workflows/" + id + "/retry", Map.of()).expect(202);
    assertThat(engine().await(id, JsonNode.class, LONG).path("bot").asString()).isEqualTo("gone");
    assertThat(user.get("/workflows/" + id).expect(200).json().path("executions")).hasSize(2);
    assertThat(meters.scrape()).contains("convoke_workflows_running", "convoke_workflows_claims");
  }

  /** Its last execution continued as new, and no node has begun the next one. */
  @Test
  void aWorkflowBetweenTwoExecutionsRuns() throws Exception {
    database.run(
        tx ->
            tx.run(
                List.of(
                    tx.sql(
                        """
                        insert into instances (instance_id, orchestration_name)
                        values ('lane-1', 'lane')
                        """),
                    tx.sql(
                        """
                        insert into executions
                          (instance_id, execution_id, status, output, completed_at)
                        values ('lane-1', 1, 'ContinuedAsNew', '{}', now())
                        """))));
    JsonNode workflow =
        admin.get("/workflows?status=running&name=lane").expect(200).json().at("/items/0");
    assertThat(workflow.path("id").asString()).isEqualTo("lane-1");
    assertThat(workflow.path("status").asString()).isEqualTo("running");
    assertThat(workflow.path("completed_at").isNull()).isTrue();
    admin.post("/workflows/lane-1/cancel", Map.of()).expect(202);
  }

  private String remove(long meeting) {
    if (stuck.contains(meeting)) {
      stuckOnce.countDown();
      throw new IllegalStateException("the launcher is away");
    }
    return "gone";
  }

  private Durable engine() {
    return workflowsFeature.engine();
  }

  private ContractClient as(long user) {
    return ContractClient.of(server.url()).with("X-API-Key", Long.toString(user));
  }

  private void order(long meeting) {
    database.run(tx -> PostMeetingOrder.order(tx, meeting));
  }

  private long meeting(long user) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    insert into meetings (user_id, platform, platform_specific_id, status, connection_id)
                    values (?, 'daily', gen_random_uuid()::text, 'completed', gen_random_uuid()::text)
                    returning id
                    """)
                .with(user)
                .one(resultRow -> resultRow.longAt("id")));
  }

  private void say(long meeting) {
    int _ =
        database.read(
            tx ->
                tx.sql(
                        """
                        insert into transcriptions (meeting_id, start_time, end_time, text)
                        values (?, 0, 1, 'Hello')
                        """)
                    .with(meeting)
                    .update());
  }

  private long number(String sql) {
    return database.read(tx -> tx.sql(sql).one(resultRow -> resultRow.longAt("n")));
  }
}
