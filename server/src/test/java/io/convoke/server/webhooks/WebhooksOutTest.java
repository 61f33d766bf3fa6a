package io.convoke.server.webhooks;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.crypto.SecretBox;
import io.convoke.engine.durable.Durable;
import io.convoke.engine.durable.postgres.PostgresProvider;
import io.convoke.engine.durable.provider.ExecutionStatus;
import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.journal.Journal;
import io.convoke.engine.journal.NewJournalEvent;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.engine.testhook.TestSignal;
import io.convoke.server.MigratedDatabase;
import io.convoke.server.Migrations;
import io.convoke.server.http.ContractClient;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.TestServer;
import io.convoke.server.launch.Await;
import io.convoke.server.webhooks.WebhookReceiver.Heard;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Outgoing webhooks from registration to delivery, on a real store and engine. */
class WebhooksOutTest {
  private static final int BACKLOG = 300;
  private static final LongPollConfig WAITING = LongPollConfig.defaults().on();

  private final DatabaseUrl url = DatabaseUrl.parse(MigratedDatabase.url());
  private final Database database = Database.open(url, 6, "webhooks-test", Migrations.SCHEMAS);
  private final SecretBox box = SecretBox.of(SecretBox.newKey());
  private final Journal journal;
  private final WebhooksFeature webhooksFeature;
  private final Durable engine;
  private final TestServer server;
  private final long ann;
  private final long bob;

  WebhooksOutTest() {
    journal = new Journal(database);
    ann = user("ann@example.org");
    bob = user("bob@example.org");
    webhooksFeature = webhooks(true);
    Durable.Builder builder =
        Durable.over(PostgresProvider.open(url, url, "durable", WAITING), WAITING);
    webhooksFeature.register(builder);
    engine = builder.start();
    server = TestServer.of(webhooksFeature.endpoints().toArray(Endpoint[]::new));
    webhooksFeature.start();
  }

  @AfterEach
  void stop() {
    webhooksFeature.close();
    server.close();
    engine.close();
    journal.close();
    database.close();
  }

  private WebhooksFeature webhooks(boolean allowPrivate) {
    return new WebhooksFeature(
        database,
        journal,
        box,
        allowPrivate,
        WebhooksFeature.SENDS_MAX,
        new SimpleMeterRegistry(),
        InstantSource.system());
  }

  private long user(String email) {
    return database.read(
        tx ->
            tx.sql("insert into users (email) values (?) returning id")
                .with(email)
                .one(resultRow -> resultRow.longAt("id")));
  }

  private void happens(long user, String subject, String status) {
    database.run(
        tx ->
            journal.append(
                tx,
                List.of(
                    NewJournalEvent.of(
                        "sync.status_changed",
                        subject,
                        Optional.of(user),
                        Map.of("status", status)))));
  }

  /** Appends events of a user at once, each of another subject. */
  private void manyHappen(long user, int events) {
    database.run(
        tx ->
            journal.append(
                tx,
                IntStream.range(0, events)
                    .mapToObj(
                        i ->
                            NewJournalEvent.of(
                                "sync.status_changed",
                                "meeting:" + i,
                                Optional.of(user),
                                Map.of("status", "success")))
                    .toList()));
  }

  private JsonNode register(ContractClient who, WebhookReceiver webhookReceiver, String... types) {
    return who.post(
            "/webhook-endpoints", Map.of("url", webhookReceiver.url(), "types", List.of(types)))
        .expect(201)
        .json();
  }

  @Test
  void whatHappensIsSignedAndDeliveredToWhoMayKnowIt() {
    try (WebhookReceiver anns = new WebhookReceiver();
        WebhookReceiver operators = new WebhookReceiver()) {
      JsonNode made = register(server.user(ann), anns, "sync.status_changed");
      JsonNode _ = register(server.admin(), operators);
      happens(bob, "meeting:2", "failure");
      happens(ann, "meeting:1", "success");

      Heard heard = anns.next();
      assertThat(heard.status()).isEqualTo("success");
      assertThat(heard.json().path("type").asString()).isEqualTo("sync.status_changed");
      assertThat(heard.json().path("subject").asString()).isEqualTo("meeting:1");
      assertThat(heard.signature())
          .isEqualTo(
              WebhookSignature.of(
                  made.path("secret").asString(),
                  heard.id(),
                  Instant.ofEpochSecond(Long.parseLong(heard.timestamp())),
                  heard.body()));
      assertThat(List.of(operators.next().status(), operators.next().status()))
          .containsExactlyInAnyOrder("failure", "success");
      assertThat(anns.waiting()).as("nothing of Bob's").isZero();
      String stored =
          database.read(
              tx ->
                  tx.sql("select secret from webhook_endpoints order by id limit 1")
                      .one(resultRow -> resultRow.text("secret")));
      assertThat(stored).doesNotContain("whsec_");
    }
  }

  @Tag("nightly")
  @Test
  void aSubjectsMessagesComeInOrderAlsoWhenOneIsRefusedAtFirst() {
    try (WebhookReceiver webhookReceiver = new WebhookReceiver();
        TestSignal.SignalObservation<Long> recorded =
            webhooksFeature.sender().recorded().observe()) {
      AtomicInteger refusals = new AtomicInteger(1);
      webhookReceiver.answers(message -> refusals.getAndDecrement() > 0 ? 500 : 200);
      JsonNode made = register(server.user(ann), webhookReceiver);
      for (String status : List.of("in_progress", "failure", "success")) {
        happens(ann, "meeting:1", status);
      }
      Heard refused = webhookReceiver.next();
      assertThat(refused.status()).isEqualTo("in_progress");
      Heard again = webhookReceiver.next();
      assertThat(again.id()).as("the same message").isEqualTo(refused.id());
      assertThat(webhookReceiver.next().status()).isEqualTo("failure");
      assertThat(webhookReceiver.next().status()).isEqualTo("success");
      JsonNode log = log(recorded, made.path("id").asLong(), 4);
      assertThat(log.path("items").get(2).path("attempts").asInt()).isEqualTo(2);
    }
  }

  @Test
  void aGoneEndpointIsPausedLosesNothingAndGoesOnWhenItIsResumed() {
    try (WebhookReceiver webhookReceiver = new WebhookReceiver()) {
      webhookReceiver.answers(message -> 410);
      JsonNode made = register(server.user(ann), webhookReceiver);
      long id = made.path("id").asLong();
      try (var events =
          journal.tail(journal.settled(), io.convoke.engine.journal.EventFilter.ALL)) {
        happens(ann, "meeting:1", "in_progress");
        await(events, "webhook_endpoint.paused");
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      JsonNode paused = server.user(ann).get("/webhook-endpoints/" + id).expect(200).json();
      assertThat(paused.path("state").asString()).isEqualTo("paused");
      happens(ann, "meeting:1", "success");
      var _ = webhookReceiver.next();

      webhookReceiver.answers(message -> 200);
      server.user(ann).post("/webhook-endpoints/" + id + "/resume").expect(202);
      assertThat(webhookReceiver.next().status()).isEqualTo("in_progress");
      Heard second = webhookReceiver.next();
      while (!second.json().path("type").asString().equals("sync.status_changed")) {
        second = webhookReceiver.next();
      }
      assertThat(second.status()).as("what happened meanwhile").isEqualTo("success");
      server.user(ann).post("/webhook-endpoints/" + id + "/resume").expect(409);
    }
  }

  @Test
  void anEventThatIsReadDuringAPauseIsDeliveredAlsoIfThePauseIsOverBeforeItIsRead()
      throws SQLException {
    try (WebhookReceiver paused = new WebhookReceiver();
        WebhookReceiver other = new WebhookReceiver();
        Connection before = database.dataSource().getConnection();
        Connection after = database.dataSource().getConnection()) {
      long id = register(server.user(ann), paused).path("id").asLong();
      JsonNode _ = register(server.user(ann), other);
      happens(ann, "meeting:1", "in_progress");
      assertThat(paused.next().status()).isEqualTo("in_progress");
      assertThat(other.next().status()).isEqualTo("in_progress");

      holdAnEvent(before);
      happens(ann, "meeting:1", "success");
      holdAnEvent(after);
      new DeliveryStore(database, journal).pause(id, "by a test");
      before.commit();
      assertThat(other.next().status()).as("routed after the paused one").isEqualTo("success");
      server.user(ann).post("/webhook-endpoints/" + id + "/resume").expect(202);
      after.commit();
      assertThat(paused.next().status()).isEqualTo("success");
    }
  }

  /** Begins a transaction with an event, which holds back later ones until it has ended. */
  private static void holdAnEvent(Connection connection) throws SQLException {
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      int _ =
          statement.executeUpdate("insert into events (type, subject) values ('held', 'held:1')");
    }
  }

  @Test
  void endpointsThatWantNothingOfWhatHappensCostFewTransactions() {
    try (WebhookReceiver anns = new WebhookReceiver()) {
      JsonNode _ = register(server.user(ann), anns);
      happens(ann, "meeting:1", "in_progress");
      assertThat(anns.next().status()).isEqualTo("in_progress");
      long settled = journal.settled();
      database.run(
          tx -> {
            int _ =
                tx.sql(
                        """
                        insert into webhook_endpoints (user_id, url, types, secret, routed_seq)
                        select ?, 'http://127.0.0.1/', '{never.happens}', '', ?
                        from generate_series(1, 500)
                        """)
                    .with(bob, settled)
                    .update();
            journal.append(
                tx,
                List.of(
                    NewJournalEvent.of(
                        "webhook_endpoint.created",
                        "webhook_endpoint:0",
                        Optional.of(bob),
                        Map.of())));
          });
      long before = database.turns();
      manyHappen(bob, 2500);
      happens(ann, "meeting:1", "success");
      assertThat(anns.next().status()).isEqualTo("success");
      assertThat(database.turns() - before).isLessThan(100);
      Await.until(
          "the positions are saved",
          () ->
              database.read(
                  tx ->
                      tx.sql(
                              """
                              select bool_and(routed_seq > ?) as saved from webhook_endpoints
                              where user_id = ?
                              """)
                          .with(settled, bob)
                          .one(resultRow -> resultRow.booleanAt("saved"))));
    }
  }

  @Test
  void aLaneWhoseWorkflowWasCancelledIsSentByAnotherOne() {
    CountDownLatch answers = new CountDownLatch(1);
    AtomicInteger unanswered = new AtomicInteger(1);
    try (WebhookReceiver webhookReceiver = new WebhookReceiver();
        LaneWaker waker = new LaneWaker(new LaneStore(database))) {
      webhookReceiver.answers(
          message -> unanswered.getAndDecrement() > 0 ? answered(answers) : 204);
      JsonNode _ = register(server.user(ann), webhookReceiver);
      happens(ann, "meeting:1", "in_progress");
      Await.until("the first message is sent", () -> unanswered.get() < 1);
      String holder =
          database.read(
              tx ->
                  tx.sql("select holder from webhook_lanes where holder is not null")
                      .one(resultRow -> resultRow.text("holder")));
      engine.cancel(holder, "by an operator");
      Await.until(
          "the workflow has ended",
          () ->
              engine
                  .instance(holder)
                  .filter(instance -> instance.status() == ExecutionStatus.FAILED)
                  .isPresent());
      waker.start();
      assertThat(webhookReceiver.next().status()).isEqualTo("in_progress");
      happens(ann, "meeting:1", "success");
      assertThat(webhookReceiver.next().status()).isEqualTo("success");
      answers.countDown();
    }
  }

  @Tag("nightly")
  @Test
  void aBacklogOfManySubjectsOccupiesAFewWorkflowsAndIsAllDelivered() throws Exception {
    CountDownLatch answers = new CountDownLatch(1);
    try (WebhookReceiver anns = new WebhookReceiver();
        WebhookReceiver bobs = new WebhookReceiver()) {
      anns.answers(message -> answered(answers));
      JsonNode made = register(server.user(ann), anns);
      JsonNode _ = register(server.user(bob), bobs);
      manyHappen(ann, BACKLOG);
      happens(bob, "meeting:0", "success");
      assertThat(bobs.next().status()).isEqualTo("success");
      assertThat(workflowsOf(made.path("id").asLong())).isLessThanOrEqualTo(8);
      answers.countDown();
      Set<String> arrived = new HashSet<>();
      while (arrived.size() < BACKLOG) {
        boolean _ = arrived.add(anns.next().json().path("subject").asString());
      }
      assertThat(bobs.waiting()).isZero();
    }
  }

  private static int answered(CountDownLatch answers) {
    try {
      boolean _ = answers.await(20, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return 204;
  }

  private long workflowsOf(long endpoint) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    select count(*) as n from (
                      select instance_id from instances
                      union select instance_id from orchestrator_queue) as i
                    where instance_id like ?
                    """)
                .with("webhook-" + endpoint + "-%")
                .one(resultRow -> resultRow.longAt("n")));
  }

  @Test
  void aStreamOfTheReleaseBeforeIsSentByTheFirstLane() {
    try (WebhookReceiver webhookReceiver = new WebhookReceiver()) {
      long id = register(server.user(ann), webhookReceiver).path("id").asLong();
      database.run(
          tx ->
              tx.run(
                  List.of(
                      tx.sql(
                              """
                              insert into webhook_deliveries
                                (endpoint_id, subject, message_id, type, body)
                              values (?, 'meeting:9', 'msg_old', 't', '{"data":{"status":"old"}}')
                              """)
                          .with(id),
                      tx.sql(
                              """
                              insert into webhook_streams (endpoint_id, subject, running)
                              values (?, 'meeting:9', true)
                              """)
                          .with(id),
                      Durable.starting(
                          tx,
                          "webhook-stream",
                          "webhook-old",
                          new LaneWorkflow.Stream(id, "meeting:9")))));
      assertThat(webhookReceiver.next().id()).isEqualTo("msg_old");
    }
  }

  private static void await(io.convoke.engine.journal.JournalSubscription events, String type)
      throws InterruptedException {
    for (int i = 0; i < 20; i++) {
      if (events.next(Duration.ofSeconds(5)).stream()
          .anyMatch(journalEvent -> journalEvent.type().equals(type))) {
        return;
      }
    }
    throw new AssertionError("no " + type);
  }

  @Test
  void theLogShowsWhatWentAndSendsItAgain() {
    try (WebhookReceiver webhookReceiver = new WebhookReceiver();
        TestSignal.SignalObservation<Long> recorded =
            webhooksFeature.sender().recorded().observe()) {
      long id = register(server.user(ann), webhookReceiver).path("id").asLong();
      happens(ann, "meeting:1", "success");
      Heard first = webhookReceiver.next();
      JsonNode log = log(recorded, id, 1);
      JsonNode delivery = log.path("items").get(0);
      assertThat(delivery.path("message_id").asString()).isEqualTo(first.id());
      assertThat(delivery.path("last_status").asInt()).isEqualTo(204);
      server
          .user(ann)
          .post(
              "/webhook-endpoints/"
                  + id
                  + "/deliveries/"
                  + delivery.path("id").asLong()
                  + "/resend")
          .expect(202);
      assertThat(webhookReceiver.next().id()).isEqualTo(first.id());
    }
  }

  @Test
  void aTestGoesTheWayOfAllMessagesUnlessTheEndpointIsPaused() {
    try (WebhookReceiver webhookReceiver = new WebhookReceiver();
        TestSignal.SignalObservation<Long> recorded =
            webhooksFeature.sender().recorded().observe()) {
      JsonNode made = register(server.user(ann), webhookReceiver, "sync.status_changed");
      long id = made.path("id").asLong();
      server.user(bob).post("/webhook-endpoints/" + id + "/test").expect(404);
      server.user(ann).post("/webhook-endpoints/" + id + "/test").expect(202);
      Heard heard = webhookReceiver.next();
      assertThat(heard.json().path("type").asString()).isEqualTo("webhook_endpoint.test");
      assertThat(Instant.parse(heard.json().path("timestamp").asString()))
          .isBetween(Instant.now().minusSeconds(60), Instant.now().plusSeconds(60));
      assertThat(heard.signature())
          .isEqualTo(
              WebhookSignature.of(
                  made.path("secret").asString(),
                  heard.id(),
                  Instant.ofEpochSecond(Long.parseLong(heard.timestamp())),
                  heard.body()));
      assertThat(log(recorded, id, 1).at("/items/0/message_id").asString()).isEqualTo(heard.id());

      int _ = database.read(tx -> tx.sql("update webhook_endpoints set state = 'paused'").update());
      server
          .user(ann)
          .post("/webhook-endpoints/" + id + "/test")
          .expect(409, "webhook_endpoint_paused");
    }
  }

  /** The row is written shortly after the response. */
  private JsonNode log(TestSignal.SignalObservation<Long> recorded, long id, int attempts) {
    for (int i = 0; i < attempts; i++) {
      long _ = recorded.await(Duration.ofSeconds(20));
    }
    return server
        .user(ann)
        .get("/webhook-endpoints/" + id + "/deliveries?state=delivered")
        .expect(200)
        .json();
  }

  /** An earlier release accepted ports that cannot be. */
  @Test
  void aDeliveryToAUrlThatCannotBeUsedFailsAndIsInTheLog() {
    fails("url", "http://127.0.0.1:70000/", "the URL cannot be used");
  }

  /** As after a key was stolen and replaced. */
  @Test
  void aDeliveryWhoseSecretNoKeyOpensFailsAndIsInTheLog() {
    String sealed = new EndpointSecretSealer(SecretBox.of(SecretBox.newKey())).seal("whsec_MTIz");
    fails("secret", sealed, "the secret cannot be read: register the endpoint again");
  }

  /** Delivers to an endpoint with another value in a column; the first attempt fails. */
  private void fails(String column, String value, String error) {
    try (WebhookReceiver webhookReceiver = new WebhookReceiver()) {
      long id = register(server.user(ann), webhookReceiver).path("id").asLong();
      database.run(
          tx -> {
            int _ =
                tx.sql("update webhook_endpoints set " + column + " = ? where id = ?")
                    .with(value, id)
                    .update();
          });
      happens(ann, "meeting:1", "success");
      String path = "/webhook-endpoints/" + id + "/deliveries";
      Await.until(
          "the attempt is in the log",
          () -> server.user(ann).get(path).expect(200).body().contains(error));
      assertThat(server.user(ann).get(path).expect(200).json().at("/items/0/attempts").asInt())
          .isEqualTo(1);
    }
  }

  @Test
  void deliveriesOfMoreThanAWeekAgoAreDeletedHoweverMany() {
    try (WebhookReceiver webhookReceiver = new WebhookReceiver()) {
      long id = register(server.user(ann), webhookReceiver).path("id").asLong();
      database.run(
          tx -> {
            int _ =
                tx.sql(
                        """
                        insert into webhook_deliveries
                          (endpoint_id, subject, message_id, type, body, state, delivered_at)
                        select ?, 'meeting:1', 'old-' || n, 'x', '{}', 'delivered',
                               now() - interval '8 days'
                        from generate_series(1, 2500) n
                        """)
                    .with(id)
                    .update();
          });
      assertThat(new DeliveryStore(database, journal).prune()).isGreaterThanOrEqualTo(2500);
      assertThat(new DeliveryStore(database, journal).prune()).isZero();
    }
  }

  @Test
  void whoMayDoWhatAndWhereItMayGo() {
    ContractClient user = server.user(ann);
    try (WebhookReceiver webhookReceiver = new WebhookReceiver()) {
      long id = register(user, webhookReceiver).path("id").asLong();
      server.anonymous().get("/webhook-endpoints").expect(401);
      server.internal().get("/webhook-endpoints").expect(403);
      server.user(bob).get("/webhook-endpoints/" + id).expect(404);
      server.user(bob).delete("/webhook-endpoints/" + id).expect(404);
      assertThat(server.user(bob).get("/webhook-endpoints").expect(200).json().path("items"))
          .isEmpty();
      assertThat(user.get("/webhook-endpoints").expect(200).body()).doesNotContain("whsec_");
      user.post("/webhook-endpoints", Map.of("url", "ftp://example.org")).expect(400);
      user.post("/webhook-endpoints", Map.of("url", "http://u:p@127.0.0.1/")).expect(400);
      user.post("/webhook-endpoints", Map.of("url", "http://127.0.0.1:70000/")).expect(400);
      server
          .admin()
          .post("/webhook-endpoints?user_id=999999", Map.of("url", webhookReceiver.url()))
          .expect(404);
      user.post(
              "/webhook-endpoints",
              Map.of("url", webhookReceiver.url(), "types", List.of("Bad Type")))
          .expect(400);
      user.delete("/webhook-endpoints/" + id).expect(204);
      user.get("/webhook-endpoints/" + id).expect(404);
    }
    try (TestServer strict = TestServer.of(webhooks(false).endpoints().toArray(Endpoint[]::new))) {
      for (String address :
          List.of(
              "http://127.0.0.1/",
              "http://[::1]/",
              "http://localhost/",
              "http://169.254.169.254/latest")) {
        strict.user(ann).post("/webhook-endpoints", Map.of("url", address)).expect(400);
      }
    }
  }
}
