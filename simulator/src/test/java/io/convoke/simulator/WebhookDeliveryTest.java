package io.convoke.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.simulator.fault.FaultKind;
import io.convoke.simulator.fault.FaultSetting;
import io.convoke.simulator.state.JoinResult;
import io.convoke.simulator.state.LeaveReason;
import io.convoke.simulator.state.Lobby;
import io.convoke.simulator.state.RoomRequest;
import io.convoke.simulator.state.RoomSession;
import io.convoke.simulator.state.Visitor;
import io.convoke.simulator.time.ManualClock;
import io.convoke.simulator.webhook.WebhookDelivery;
import io.convoke.simulator.webhook.WebhookEndpoint;
import io.convoke.simulator.webhook.WebhookEndpointRequest;
import io.convoke.simulator.webhook.WebhookRegistry;
import io.convoke.simulator.webhook.WebhookRetryType;
import io.convoke.simulator.webhook.WebhookSenderConfig;
import io.convoke.simulator.webhook.WebhookSignature;
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

/** Webhook requests: bodies, signatures, order, retries, the breaker, and injected faults. */
final class WebhookDeliveryTest {

  private static final String KEY = "c2VjcmV0";
  private static final Instant NINE = Instant.parse("2026-03-02T09:00:00.250Z");

  private final ManualClock time = new ManualClock(NINE);
  private WebhookReceiver webhookReceiver;
  private Simulator sim;

  @BeforeEach
  void start() throws IOException {
    webhookReceiver = new WebhookReceiver();
    sim = Simulator.start(options());
    sim.world().create(RoomRequest.named("standup"));
  }

  private SimulatorConfig options() {
    return SimulatorConfig.defaults()
        .withTime(time)
        .withWebhook(WebhookEndpointRequest.to(webhookReceiver.url(), KEY));
  }

  @AfterEach
  void stop() {
    sim.close();
    webhookReceiver.close();
  }

  @Test
  void everyBodyIsSignedOverItsTimestamp() throws TimeoutException {
    join("Ada");
    WebhookReceiver.Mail mail = webhookReceiver.await("participant.joined");
    byte[] raw = mail.raw().getBytes(StandardCharsets.UTF_8);

    assertThat(mail.signature()).isEqualTo(WebhookSignature.sign(KEY, mail.timestamp(), raw));
    assertThat(mail.timestamp()).isEqualTo(Long.toString(NINE.getEpochSecond()));
  }

  @Test
  void participantEventsHaveDailysKeys() throws TimeoutException {
    RoomSession ada = join("Ada");
    time.advance(Duration.ofSeconds(65));
    sim.world().leave("standup", ada.sessionId(), LeaveReason.LEFT);

    JsonNode joined = webhookReceiver.await("participant.joined").body();
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

    JsonNode left = webhookReceiver.await("participant.left").payload();
    assertThat(left.path("duration").doubleValue()).isEqualTo(65.0);
    assertThat(left.path("joined_at")).isEqualTo(payload.path("joined_at"));
  }

  @Test
  void whoIsNotLetInLeavesTheWaitingRoomWithTheTimesOfTheWait() throws TimeoutException {
    Lobby refusing = new Lobby.DenyAfter(Duration.ofSeconds(20));
    sim.world().create(RoomRequest.named("interview").withLobby(refusing));
    sim.world().join("interview", Visitor.named("Ada"));
    time.advance(Duration.ofSeconds(20));

    JsonNode left = webhookReceiver.await("waiting-participant.left").payload();
    assertThat(left.path("joined_at").doubleValue()).isEqualTo(NINE.getEpochSecond() + 0.25);
    assertThat(left.path("duration").doubleValue()).isEqualTo(20.0);
  }

  @Test
  void aMeetingStartsWithTheFirstAndEndsAfterTheAllowance() throws TimeoutException {
    RoomSession ada = join("Ada");
    time.advance(Duration.ofMinutes(2));
    sim.world().leave("standup", ada.sessionId(), LeaveReason.LEFT);
    time.advance(Duration.ofSeconds(20));

    JsonNode ended = webhookReceiver.await("meeting.ended").payload();
    assertThat(RoomsApiTest.keys(ended))
        .containsExactly("start_ts", "end_ts", "meeting_id", "room");
    assertThat(ended.path("end_ts").doubleValue() - ended.path("start_ts").doubleValue())
        .isEqualTo(120.0);
    assertThat(webhookReceiver.mails().stream().map(WebhookReceiver.Mail::type))
        .containsExactly(
            "meeting.started", "participant.joined", "participant.left", "meeting.ended");
  }

  @Test
  void theBreakerOpensAfterThreeFailuresAndAnUpdateClosesIt() throws TimeoutException {
    webhookReceiver.answer(500);
    join("One");
    join("Two");
    sim.awaitQuiet(WebhookReceiver.PATIENCE);
    WebhookEndpoint broken = sim.webhooks().current().orElseThrow();
    assertThat(broken.state()).isEqualTo(WebhookEndpoint.WebhookEndpointState.FAILED);
    assertThat(broken.failedCount()).isEqualTo(3);

    join("Three");
    sim.awaitWebhook(
        d -> d.end() == WebhookDelivery.DeliveryEnd.SUPPRESSED, WebhookReceiver.PATIENCE);
    assertThat(webhookReceiver.mails()).hasSize(3);

    webhookReceiver.answer(200);
    try (SimulatorTestClient simulatorTestClient = new SimulatorTestClient(sim)) {
      assertThat(
              simulatorTestClient
                  .post("/v1/webhooks/" + broken.uuid(), "{}")
                  .body()
                  .path("state")
                  .stringValue())
          .isEqualTo("ACTIVE");
    }
    RoomSession four = join("Four");
    webhookReceiver.await(
        m -> m.payload().path("session_id").asString("").equals(four.sessionId()));
  }

  @Test
  void aSuccessResetsTheBreakersCount() throws TimeoutException {
    webhookReceiver.answer(500);
    join("One");
    sim.awaitQuiet(WebhookReceiver.PATIENCE);
    assertThat(sim.webhooks().current().map(WebhookEndpoint::failedCount)).contains(2);
    webhookReceiver.answer(200);
    join("Two");
    sim.awaitQuiet(WebhookReceiver.PATIENCE);
    assertThat(sim.webhooks().current().map(WebhookEndpoint::failedCount)).contains(0);
  }

  @Test
  void anExponentialRetryTriesFiveTimesWithGrowingGaps() throws TimeoutException {
    WebhookRegistry webhookRegistry = sim.webhooks();
    webhookRegistry.preset(
        new WebhookEndpointRequest(
            Optional.of(webhookReceiver.url()),
            Optional.of(KEY),
            Optional.empty(),
            Optional.of(WebhookRetryType.EXPONENTIAL),
            Optional.of(Set.of("participant.joined"))));
    webhookReceiver.answer(503);
    join("Ada");
    for (int tries = 1; tries < 5; tries++) {
      int made = tries;
      sim.awaitWebhook(d -> d.attempts().size() == made, WebhookReceiver.PATIENCE);
      time.advance(Duration.ofMinutes(15));
    }
    WebhookDelivery given =
        sim.awaitWebhook(
            d -> d.end() == WebhookDelivery.DeliveryEnd.FAILED, WebhookReceiver.PATIENCE);

    assertThat(given.attempts()).hasSize(5);
    assertThat(webhookRegistry.current().map(WebhookEndpoint::state))
        .contains(WebhookEndpoint.WebhookEndpointState.ACTIVE);
    assertThat(
            webhookReceiver.mails().stream().map(m -> m.body().path("id").stringValue()).distinct())
        .hasSize(1);
  }

  @Test
  void aRetryWaitsItsGapAndNoLonger() throws TimeoutException {
    sim.webhooks()
        .preset(
            new WebhookEndpointRequest(
                Optional.of(webhookReceiver.url()),
                Optional.of(KEY),
                Optional.empty(),
                Optional.of(WebhookRetryType.EXPONENTIAL),
                Optional.of(Set.of("participant.joined"))));
    webhookReceiver.answer(503);
    join("Ada");
    sim.awaitWebhook(d -> d.attempts().size() == 1, WebhookReceiver.PATIENCE);
    webhookReceiver.answer(200);
    time.advance(WebhookSenderConfig.DEFAULT.firstGap());
    WebhookDelivery done =
        sim.awaitWebhook(
            d -> d.end() == WebhookDelivery.DeliveryEnd.DELIVERED, WebhookReceiver.PATIENCE);
    assertThat(Duration.between(done.attempts().getFirst().at(), done.attempts().getLast().at()))
        .isEqualTo(WebhookSenderConfig.DEFAULT.firstGap());
  }

  @Test
  void aDroppedEventIsInTheStateButNotDelivered() throws TimeoutException {
    sim.faults().set(FaultKind.WEBHOOK_DROP, FaultSetting.ALWAYS.on("participant.joined"));
    join("Ada");
    sim.awaitQuiet(WebhookReceiver.PATIENCE);
    assertThat(webhookReceiver.mails().stream().map(WebhookReceiver.Mail::type))
        .containsExactly("meeting.started");
    assertThat(sim.truth().webhooks().stream().map(WebhookDelivery::end))
        .containsExactly(
            WebhookDelivery.DeliveryEnd.DELIVERED, WebhookDelivery.DeliveryEnd.DROPPED);
  }

  @Test
  void aRepeatedEventArrivesTwiceWithOneId() throws TimeoutException {
    sim.faults()
        .set(
            FaultKind.WEBHOOK_REPEAT,
            FaultSetting.ALWAYS.on("participant.joined").lasting(Duration.ofSeconds(2)));
    join("Ada");
    webhookReceiver.await("participant.joined");
    assertThat(sim.awaitWebhook(d -> d.copies() == 2, WebhookReceiver.PATIENCE).settled())
        .isFalse();
    time.advance(Duration.ofSeconds(2));
    WebhookDelivery twice =
        sim.awaitWebhook(d -> d.copies() == 2 && d.settled(), WebhookReceiver.PATIENCE);

    assertThat(twice.attempts()).hasSize(2);
    assertThat(
            webhookReceiver.mails("participant.joined").stream()
                .map(WebhookReceiver.Mail::raw)
                .distinct())
        .hasSize(1);
  }

  @Test
  void aReorderedEventLetsTheNextOnePass() throws TimeoutException {
    sim.faults().set(FaultKind.WEBHOOK_REORDER, FaultSetting.ALWAYS.on("participant.joined"));
    RoomSession ada = join("Ada");
    sim.world().leave("standup", ada.sessionId(), LeaveReason.LEFT);
    sim.awaitQuiet(WebhookReceiver.PATIENCE);
    assertThat(webhookReceiver.mails().stream().map(WebhookReceiver.Mail::type))
        .containsExactly("meeting.started", "participant.left", "participant.joined");
  }

  @Test
  void aReorderedEventWithoutASuccessorIsSentAfterAWhile() throws TimeoutException {
    sim.faults()
        .set(
            FaultKind.WEBHOOK_REORDER,
            FaultSetting.ALWAYS.on("participant.joined").lasting(Duration.ofSeconds(3)));
    join("Ada");
    time.advance(Duration.ofSeconds(3));
    assertThat(
            webhookReceiver.await("participant.joined").payload().path("user_name").stringValue())
        .isEqualTo("Ada");
  }

  @Test
  void aDelayedEventIsLateAndOthersAreNot() throws TimeoutException {
    sim.faults()
        .set(
            FaultKind.WEBHOOK_DELAY,
            FaultSetting.ALWAYS.on("meeting.started").lasting(Duration.ofSeconds(30)));
    join("Ada");
    webhookReceiver.await("participant.joined");
    assertThat(webhookReceiver.mails("meeting.started")).isEmpty();
    time.advance(Duration.ofSeconds(30));
    webhookReceiver.await("meeting.started");
    assertThat(sim.truth().webhooks().getFirst().delay()).isPositive();
  }

  @Test
  void anEventWithoutASubscriptionIsNotSent() throws TimeoutException {
    sim.webhooks()
        .preset(
            new WebhookEndpointRequest(
                Optional.of(webhookReceiver.url()),
                Optional.of(KEY),
                Optional.empty(),
                Optional.empty(),
                Optional.of(Set.of("recording.started"))));
    join("Ada");
    sim.awaitQuiet(WebhookReceiver.PATIENCE);
    assertThat(webhookReceiver.mails()).isEmpty();
    assertThat(sim.truth().webhooks().stream().map(WebhookDelivery::end))
        .containsOnly(WebhookDelivery.DeliveryEnd.UNWANTED);
  }

  @Test
  void aLateResponseIsAFailure() throws Exception {
    try (java.net.ServerSocket silent =
            new java.net.ServerSocket(0, 5, java.net.InetAddress.getLoopbackAddress());
        Simulator hasty =
            Simulator.start(
                options()
                    .withTime(new ManualClock(NINE))
                    .withSending(WebhookSenderConfig.DEFAULT.withTimeout(Duration.ofMillis(200)))
                    .withWebhook(
                        WebhookEndpointRequest.to(
                            java.net.URI.create("http://127.0.0.1:" + silent.getLocalPort() + "/"),
                            KEY)))) {
      hasty.world().create(RoomRequest.named("standup"));
      hasty.world().join("standup", Visitor.named("Ada"));
      WebhookDelivery failed =
          hasty.awaitWebhook(
              d -> d.end() == WebhookDelivery.DeliveryEnd.FAILED, WebhookReceiver.PATIENCE);
      assertThat(failed.attempts().getFirst().status()).isEmpty();
      assertThat(failed.attempts().getFirst().error()).contains("HttpTimeoutException");
    }
  }

  @Test
  void theTimestampMayCountMilliseconds() throws Exception {
    try (WebhookReceiver other = new WebhookReceiver();
        Simulator precise =
            Simulator.start(
                options()
                    .withTime(new ManualClock(NINE))
                    .withSending(WebhookSenderConfig.DEFAULT.withMillisecondTimestamps())
                    .withWebhook(WebhookEndpointRequest.to(other.url(), KEY)))) {
      precise.world().create(RoomRequest.named("standup"));
      precise.world().join("standup", Visitor.named("Ada"));
      assertThat(other.await("meeting.started").timestamp())
          .isEqualTo(Long.toString(NINE.toEpochMilli()));
    }
  }

  @Test
  void theSameSeedFaultsTheSameEvents() throws Exception {
    List<String> first = droppedIn("seed 5", 5);
    assertThat(droppedIn("again", 5)).isEqualTo(first).isNotEmpty();
    assertThat(droppedIn("seed 6", 6)).isNotEqualTo(first);
  }

  private List<String> droppedIn(String run, long seed) throws TimeoutException {
    ManualClock own = new ManualClock(NINE.plusSeconds(run.length()));
    try (Simulator other = Simulator.start(options().withTime(own).withSeed(seed))) {
      other.faults().set(FaultKind.WEBHOOK_DROP, FaultSetting.of(0.3));
      for (int i = 0; i < 30; i++) {
        other.world().ensure(RoomRequest.named("standup"));
        other.world().join("standup", Visitor.named("Person " + i));
      }
      other.awaitQuiet(WebhookReceiver.PATIENCE);
      return other.truth().webhooks().stream()
          .filter(d -> d.end() == WebhookDelivery.DeliveryEnd.DROPPED)
          .map(d -> d.envelope().type() + " " + d.envelope().label())
          .toList();
    }
  }

  private RoomSession join(String name) {
    return ((JoinResult.JoinedMeeting) sim.world().join("standup", Visitor.named(name))).session();
  }
}
