package io.convoke.lab.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.lab.sim.fault.Fault;
import io.convoke.lab.sim.fault.FaultKind;
import io.convoke.lab.sim.time.SteppedTime;
import io.convoke.lab.sim.webhook.Delivery;
import io.convoke.lab.sim.webhook.Endpoint;
import io.convoke.lab.sim.webhook.EndpointRequest;
import io.convoke.lab.sim.webhook.Registry;
import io.convoke.lab.sim.webhook.RetryType;
import io.convoke.lab.sim.webhook.SenderSettings;
import io.convoke.lab.sim.webhook.Signature;
import io.convoke.lab.sim.world.JoinResult;
import io.convoke.lab.sim.world.LeaveReason;
import io.convoke.lab.sim.world.RoomRequest;
import io.convoke.lab.sim.world.Session;
import io.convoke.lab.sim.world.Visitor;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/**
 * What arrives at a webhook: bodies, signatures, order, retries, the breaker, and injected faults.
 */
final class WebhookDeliveryTest {

  private static final String KEY = "c2VjcmV0";
  private static final Instant NINE = Instant.parse("2026-03-02T09:00:00.250Z");

  private final SteppedTime time = new SteppedTime(NINE);
  private Inbox inbox;
  private Simulator sim;

  @BeforeEach
  void start() throws IOException {
    inbox = new Inbox();
    sim = Simulator.start(options());
    sim.world().create(RoomRequest.named("standup"));
  }

  private SimulatorOptions options() {
    return SimulatorOptions.defaults()
        .withTime(time)
        .withWebhook(EndpointRequest.to(inbox.url(), KEY));
  }

  @AfterEach
  void stop() {
    sim.close();
    inbox.close();
  }

  @Test
  void everyBodyIsSignedOverItsTimestamp() throws TimeoutException {
    join("Ada");
    Inbox.Mail mail = inbox.await("participant.joined");
    byte[] raw = mail.raw().getBytes(StandardCharsets.UTF_8);

    assertThat(mail.signature()).isEqualTo(Signature.sign(KEY, mail.timestamp(), raw));
    assertThat(mail.timestamp()).isEqualTo(Long.toString(NINE.getEpochSecond()));
  }

  @Test
  void participantEventsHaveDailysKeys() throws TimeoutException {
    Session ada = join("Ada");
    time.advance(Duration.ofSeconds(65));
    sim.world().leave("standup", ada.sessionId(), LeaveReason.LEFT);

    JsonNode joined = inbox.await("participant.joined").body();
    assertThat(RoomsApiTest.keys(joined))
        .containsExactly("version", "type", "id", "payload", "event_ts");
    JsonNode payload = joined.path("payload");
    assertThat(RoomsApiTest.keys(payload))
        .containsExactly(
            "joined_at",
            "session_id",
            "room",
            "user_id",
            "user_name",
            "owner",
            "networkQualityState",
            "will_eject_at",
            "permissions");
    assertThat(RoomsApiTest.keys(payload.path("permissions")))
        .containsExactly("hasPresence", "canSend", "canReceive", "canAdmin");
    assertThat(payload.path("joined_at").doubleValue()).isEqualTo(NINE.getEpochSecond() + 0.25);
    assertThat(payload.path("session_id").stringValue()).isEqualTo(ada.sessionId());
    assertThat(payload.path("room").stringValue()).isEqualTo("standup");

    JsonNode left = inbox.await("participant.left").payload();
    assertThat(left.path("duration").doubleValue()).isEqualTo(65.0);
    assertThat(left.path("joined_at")).isEqualTo(payload.path("joined_at"));
  }

  @Test
  void aMeetingStartsWithTheFirstAndEndsAfterTheAllowance() throws TimeoutException {
    Session ada = join("Ada");
    time.advance(Duration.ofMinutes(2));
    sim.world().leave("standup", ada.sessionId(), LeaveReason.LEFT);
    time.advance(Duration.ofSeconds(20));

    JsonNode ended = inbox.await("meeting.ended").payload();
    assertThat(RoomsApiTest.keys(ended))
        .containsExactly("start_ts", "end_ts", "meeting_id", "room");
    assertThat(ended.path("end_ts").doubleValue() - ended.path("start_ts").doubleValue())
        .isEqualTo(120.0);
    assertThat(inbox.mails().stream().map(Inbox.Mail::type))
        .containsExactly(
            "meeting.started", "participant.joined", "participant.left", "meeting.ended");
  }

  @Test
  void theBreakerOpensAfterThreeFailuresAndAnUpdateClosesIt() throws TimeoutException {
    inbox.answer(500);
    join("One");
    join("Two");
    sim.awaitQuiet(Inbox.PATIENCE);
    Endpoint broken = sim.webhooks().current().orElseThrow();
    assertThat(broken.state()).isEqualTo(Endpoint.State.FAILED);
    assertThat(broken.failedCount()).isEqualTo(3);

    join("Three");
    sim.awaitWebhook(d -> d.fate() == Delivery.Fate.SUPPRESSED, Inbox.PATIENCE);
    assertThat(inbox.mails()).hasSize(3);

    inbox.answer(200);
    try (Client client = new Client(sim)) {
      assertThat(
              client.post("/v1/webhooks/" + broken.uuid(), "{}").body().path("state").stringValue())
          .isEqualTo("ACTIVE");
    }
    Session four = join("Four");
    inbox.await(m -> m.payload().path("session_id").asString("").equals(four.sessionId()));
  }

  @Test
  void aSuccessResetsTheBreakersCount() throws TimeoutException {
    inbox.answer(500);
    join("One");
    sim.awaitQuiet(Inbox.PATIENCE);
    assertThat(sim.webhooks().current().map(Endpoint::failedCount)).contains(2);
    inbox.answer(200);
    join("Two");
    sim.awaitQuiet(Inbox.PATIENCE);
    assertThat(sim.webhooks().current().map(Endpoint::failedCount)).contains(0);
  }

  @Test
  void anExponentialRetryTriesFiveTimesWithGrowingGaps() throws TimeoutException {
    Registry registry = sim.webhooks();
    registry.preset(
        new EndpointRequest(
            Optional.of(inbox.url()),
            Optional.of(KEY),
            Optional.empty(),
            Optional.of(RetryType.EXPONENTIAL),
            Optional.of(Set.of("participant.joined"))));
    inbox.answer(503);
    join("Ada");
    for (int tries = 1; tries < 5; tries++) {
      int made = tries;
      sim.awaitWebhook(d -> d.attempts().size() == made, Inbox.PATIENCE);
      time.advance(Duration.ofMinutes(15));
    }
    Delivery given = sim.awaitWebhook(d -> d.fate() == Delivery.Fate.FAILED, Inbox.PATIENCE);

    assertThat(given.attempts()).hasSize(5);
    assertThat(registry.current().map(Endpoint::state)).contains(Endpoint.State.ACTIVE);
    assertThat(inbox.mails().stream().map(m -> m.body().path("id").stringValue()).distinct())
        .hasSize(1);
  }

  @Test
  void aRetryWaitsItsGapAndNoLonger() throws TimeoutException {
    sim.webhooks()
        .preset(
            new EndpointRequest(
                Optional.of(inbox.url()),
                Optional.of(KEY),
                Optional.empty(),
                Optional.of(RetryType.EXPONENTIAL),
                Optional.of(Set.of("participant.joined"))));
    inbox.answer(503);
    join("Ada");
    sim.awaitWebhook(d -> d.attempts().size() == 1, Inbox.PATIENCE);
    inbox.answer(200);
    time.advance(SenderSettings.DEFAULT.firstGap());
    Delivery done = sim.awaitWebhook(d -> d.fate() == Delivery.Fate.DELIVERED, Inbox.PATIENCE);
    assertThat(Duration.between(done.attempts().getFirst().at(), done.attempts().getLast().at()))
        .isEqualTo(SenderSettings.DEFAULT.firstGap());
  }

  @Test
  void aDroppedEventIsInTheTruthAndNotInTheInbox() throws TimeoutException {
    sim.faults().set(FaultKind.WEBHOOK_DROP, Fault.ALWAYS.on("participant.joined"));
    join("Ada");
    sim.awaitQuiet(Inbox.PATIENCE);
    assertThat(inbox.mails().stream().map(Inbox.Mail::type)).containsExactly("meeting.started");
    assertThat(sim.truth().webhooks().stream().map(Delivery::fate))
        .containsExactly(Delivery.Fate.DELIVERED, Delivery.Fate.DROPPED);
  }

  @Test
  void aRepeatedEventArrivesTwiceWithOneId() throws TimeoutException {
    sim.faults()
        .set(
            FaultKind.WEBHOOK_REPEAT,
            Fault.ALWAYS.on("participant.joined").lasting(Duration.ofSeconds(2)));
    join("Ada");
    inbox.await("participant.joined");
    assertThat(sim.awaitWebhook(d -> d.copies() == 2, Inbox.PATIENCE).settled()).isFalse();
    time.advance(Duration.ofSeconds(2));
    Delivery twice = sim.awaitWebhook(d -> d.copies() == 2 && d.settled(), Inbox.PATIENCE);

    assertThat(twice.attempts()).hasSize(2);
    assertThat(inbox.mails("participant.joined").stream().map(Inbox.Mail::raw).distinct())
        .hasSize(1);
  }

  @Test
  void aReorderedEventLetsTheNextOnePass() throws TimeoutException {
    sim.faults().set(FaultKind.WEBHOOK_REORDER, Fault.ALWAYS.on("participant.joined"));
    Session ada = join("Ada");
    sim.world().leave("standup", ada.sessionId(), LeaveReason.LEFT);
    sim.awaitQuiet(Inbox.PATIENCE);
    assertThat(inbox.mails().stream().map(Inbox.Mail::type))
        .containsExactly("meeting.started", "participant.left", "participant.joined");
  }

  @Test
  void aReorderedEventWithoutASuccessorGoesAfterAWhile() throws TimeoutException {
    sim.faults()
        .set(
            FaultKind.WEBHOOK_REORDER,
            Fault.ALWAYS.on("participant.joined").lasting(Duration.ofSeconds(3)));
    join("Ada");
    time.advance(Duration.ofSeconds(3));
    assertThat(inbox.await("participant.joined").payload().path("user_name").stringValue())
        .isEqualTo("Ada");
  }

  @Test
  void aDelayedEventIsLateAndOthersAreNot() throws TimeoutException {
    sim.faults()
        .set(
            FaultKind.WEBHOOK_DELAY,
            Fault.ALWAYS.on("meeting.started").lasting(Duration.ofSeconds(30)));
    join("Ada");
    inbox.await("participant.joined");
    assertThat(inbox.mails("meeting.started")).isEmpty();
    time.advance(Duration.ofSeconds(30));
    inbox.await("meeting.started");
    assertThat(sim.truth().webhooks().getFirst().delay()).isPositive();
  }

  @Test
  void anEventNobodyWantsIsNotSent() throws TimeoutException {
    sim.webhooks()
        .preset(
            new EndpointRequest(
                Optional.of(inbox.url()),
                Optional.of(KEY),
                Optional.empty(),
                Optional.empty(),
                Optional.of(Set.of("recording.started"))));
    join("Ada");
    sim.awaitQuiet(Inbox.PATIENCE);
    assertThat(inbox.mails()).isEmpty();
    assertThat(sim.truth().webhooks().stream().map(Delivery::fate))
        .containsOnly(Delivery.Fate.UNWANTED);
  }

  @Test
  void anAnswerThatComesTooLateIsAFailure() throws Exception {
    try (java.net.ServerSocket silent =
            new java.net.ServerSocket(0, 5, java.net.InetAddress.getLoopbackAddress());
        Simulator hasty =
            Simulator.start(
                options()
                    .withTime(new SteppedTime(NINE))
                    .withSending(SenderSettings.DEFAULT.withTimeout(Duration.ofMillis(200)))
                    .withWebhook(
                        EndpointRequest.to(
                            java.net.URI.create("http://127.0.0.1:" + silent.getLocalPort() + "/"),
                            KEY)))) {
      hasty.world().create(RoomRequest.named("standup"));
      hasty.world().join("standup", Visitor.named("Ada"));
      Delivery failed = hasty.awaitWebhook(d -> d.fate() == Delivery.Fate.FAILED, Inbox.PATIENCE);
      assertThat(failed.attempts().getFirst().status()).isEmpty();
      assertThat(failed.attempts().getFirst().error()).contains("HttpTimeoutException");
    }
  }

  @Test
  void theTimestampMayCountMilliseconds() throws Exception {
    try (Inbox other = new Inbox();
        Simulator precise =
            Simulator.start(
                options()
                    .withTime(new SteppedTime(NINE))
                    .withSending(SenderSettings.DEFAULT.withMillisecondTimestamps())
                    .withWebhook(EndpointRequest.to(other.url(), KEY)))) {
      precise.world().create(RoomRequest.named("standup"));
      precise.world().join("standup", Visitor.named("Ada"));
      assertThat(other.await("meeting.started").timestamp())
          .isEqualTo(Long.toString(NINE.toEpochMilli()));
    }
  }

  @Test
  void theSameSeedStrikesTheSameEvents() throws Exception {
    List<String> first = droppedIn("seed 5", 5);
    assertThat(droppedIn("again", 5)).isEqualTo(first).isNotEmpty();
    assertThat(droppedIn("seed 6", 6)).isNotEqualTo(first);
  }

  private List<String> droppedIn(String run, long seed) throws TimeoutException {
    SteppedTime own = new SteppedTime(NINE.plusSeconds(run.length()));
    try (Simulator other = Simulator.start(options().withTime(own).withSeed(seed))) {
      other.faults().set(FaultKind.WEBHOOK_DROP, Fault.of(0.3));
      for (int i = 0; i < 30; i++) {
        other.world().ensure(RoomRequest.named("standup"));
        other.world().join("standup", Visitor.named("Person " + i));
      }
      other.awaitQuiet(Inbox.PATIENCE);
      return other.truth().webhooks().stream()
          .filter(d -> d.fate() == Delivery.Fate.DROPPED)
          .map(d -> d.envelope().type() + " " + d.envelope().label())
          .toList();
    }
  }

  private Session join(String name) {
    return ((JoinResult.Joined) sim.world().join("standup", Visitor.named(name))).session();
  }
}
