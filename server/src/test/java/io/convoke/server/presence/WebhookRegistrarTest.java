package io.convoke.server.presence;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.testhook.TestSignal.SignalObservation;
import io.convoke.server.presence.PresenceConfig.ReconcileMode;
import io.convoke.server.presence.PresenceTestKit.Node;
import io.convoke.server.presence.PresenceTestSignals.ClaimEnded;
import io.convoke.simulator.fault.FaultKind;
import io.convoke.simulator.fault.FaultSetting;
import io.convoke.simulator.webhook.WebhookEndpoint;
import io.convoke.simulator.webhook.WebhookEndpointRequest;
import io.convoke.simulator.webhook.WebhookRetryType;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The webhook is kept registered at the platform, and silent webhooks are reported. */
class WebhookRegistrarTest {
  private static final String OTHER_KEY = "YW5vdGhlci1rZXk=";
  private final PresenceTestKit kit = new PresenceTestKit();

  @AfterEach
  void close() {
    kit.close();
  }

  /** A node that has registered its webhook. */
  private Node registered() throws IOException {
    Node node = kit.watching(PresenceTestKit.quick());
    try (SignalObservation<WebhookState> states = node.presence().signals().webhook().observe();
        SignalObservation<String> ticked = node.presence().signals().ticked().observe()) {
      node.presence().start();
      assertThat(states.await(PresenceTestKit.SOON)).isEqualTo(WebhookState.MISSING);
      assertThat(states.await(PresenceTestKit.SOON)).isEqualTo(WebhookState.ACTIVE);
      String _ = ticked.await(PresenceTestKit.SOON);
    }
    return node;
  }

  private List<String> told() {
    return kit.events("webhook:daily", "webhook.state_changed").stream()
        .map(it -> it.path("from").asString() + " > " + it.path("to").asString())
        .toList();
  }

  private WebhookEndpoint webhook() {
    return kit.sim.webhooks().current().orElseThrow();
  }

  private long looks() {
    return kit.sim.requests().recent().stream()
        .filter(it -> it.route().equals("GET /v1/webhooks"))
        .count();
  }

  @Test
  void aMissingWebhookIsRegisteredAndItsEventsArrive() throws Exception {
    Node node = registered();
    assertThat(webhook().url()).isEqualTo(URI.create(node.http().url() + "/webhooks/daily"));
    assertThat(webhook().retryType()).isEqualTo(WebhookRetryType.EXPONENTIAL);
    assertThat(told()).containsExactly("unknown > missing", "missing > active");

    long meeting = polledMeeting(node);
    try (SignalObservation<Long> committed = node.presence().signals().committed().observe()) {
      String _ = kit.join("room", "Ada");
      // This signal is for events only, even if a tick found her first.
      assertThat(committed.await(PresenceTestKit.SOON)).isEqualTo(meeting);
    }
  }

  @Test
  void aWebhookThatTheCircuitBreakerStoppedIsSetGoingAgain() throws Exception {
    Node node = registered();
    long meeting = kit.meeting("room");
    // Refused deliveries, as after a secret was changed on one side only.
    var _ = kit.sim.webhooks().preset(WebhookEndpointRequest.to(webhook().url(), OTHER_KEY));
    for (String name : List.of("Ada", "Bob", "Cleo")) {
      String _ = kit.join("room", name);
    }
    kit.sim.awaitQuiet(PresenceTestKit.SOON);
    assertThat(webhook().state()).isEqualTo(WebhookEndpoint.WebhookEndpointState.FAILED);

    try (SignalObservation<WebhookState> states = node.presence().signals().webhook().observe();
        SignalObservation<Long> committed = node.presence().signals().committed().observe()) {
      var _ = node.presence().watch().checkOnce();
      assertThat(states.drain()).containsExactly(WebhookState.FAILED, WebhookState.ACTIVE);
      assertThat(webhook().state()).isEqualTo(WebhookEndpoint.WebhookEndpointState.ACTIVE);
      assertThat(webhook().hmac()).isEqualTo(PresenceTestKit.SECRET);
      assertThat(webhook().retryType()).isEqualTo(WebhookRetryType.CIRCUIT_BREAKER);

      String _ = kit.join("room", "Dana");
      assertThat(committed.await(PresenceTestKit.SOON)).isEqualTo(meeting);
    }
    assertThat(told())
        .containsExactly(
            "unknown > missing", "missing > active", "active > failed", "failed > active");
  }

  @Test
  void aWebhookWithAnotherAddressIsUnchangedAndReported() throws Exception {
    URI theirs = URI.create("http://127.0.0.1:1/theirs");
    var _ = kit.sim.webhooks().preset(WebhookEndpointRequest.to(theirs, OTHER_KEY));
    Node node = kit.watching(PresenceTestKit.quick());
    try (SignalObservation<WebhookState> states = node.presence().signals().webhook().observe()) {
      node.presence().start();
      assertThat(states.await(PresenceTestKit.SOON)).isEqualTo(WebhookState.ELSEWHERE);
    }
    assertThat(webhook().url()).isEqualTo(theirs);
    assertThat(webhook().hmac()).isEqualTo(OTHER_KEY);
  }

  @Test
  void oneNodeOfManyLooks() throws Exception {
    Node one = registered();
    long before = looks();
    Node two = kit.watching(PresenceTestKit.quick());
    two.presence().start();
    assertThat(two.presence().watch().checkIfDue()).isEqualTo(WebhookRegistrar.LIVE);
    assertThat(looks()).isEqualTo(before);
    var _ = one.presence().watch().checkOnce();
    assertThat(looks()).isEqualTo(before + 1);
  }

  @Test
  void ifOnlyTheTimerFindsChangesThatIsAnAlarmAndTicksComeSooner() {
    Node node = kit.node(PresenceTestKit.quick());
    Reconciler reconciler = node.presence().reconciler();
    long meeting = polledMeeting(node);
    kit.webhooksTo(node);
    kit.sim.faults().set(FaultKind.WEBHOOK_DROP, FaultSetting.ALWAYS);
    for (int people = 1; people <= WebhookHealth.SUSPICIOUS; people++) {
      found(node, meeting, "No webhook for me " + people, people);
    }

    tick(reconciler);
    assertThat(reconciler.period()).isEqualTo(PresenceTestKit.quick().urgentTickPeriod());
    assertThat(told()).containsExactly("unknown > silent");

    kit.sim.faults().clear();
    try (SignalObservation<Long> committed = node.presence().signals().committed().observe()) {
      String _ = kit.join("room", "Heard");
      assertThat(committed.await(PresenceTestKit.SOON)).isEqualTo(meeting);
    }
    tick(reconciler);
    assertThat(reconciler.period()).isEqualTo(PresenceTestKit.quick().tickPeriod());
    assertThat(told()).containsExactly("unknown > silent", "silent > unknown");
  }

  @Test
  void onlyBulkTicksComeSoonerAndNeverWithinFiveSeconds() {
    assertThat(terms(ReconcileMode.BULK, 30).urgentTickPeriod()).isEqualTo(Duration.ofMillis(7500));
    assertThat(terms(ReconcileMode.BULK, 16).urgentTickPeriod()).isEqualTo(Duration.ofSeconds(5));
    assertThat(terms(ReconcileMode.BULK, 4).urgentTickPeriod()).isEqualTo(Duration.ofSeconds(2));
    assertThat(terms(ReconcileMode.UNCONDITIONAL, 30).urgentTickPeriod())
        .isEqualTo(Duration.ofSeconds(30));
  }

  private static PresenceConfig terms(ReconcileMode mode, int seconds) {
    PresenceConfig quick = PresenceTestKit.quick();
    return new PresenceConfig(
        quick.coalesceWindow(),
        quick.minPollInterval(),
        Duration.ofSeconds(seconds),
        mode,
        quick.processInterval(),
        quick.unusedTimeout(),
        quick.concurrency());
  }

  @Test
  void aFrozenBudgetForbidsTicksThatComeSooner() {
    // Not started: a tick of its own timer could have read the budget before it is frozen.
    Node node = kit.api(PresenceTestKit.quick());
    Reconciler reconciler = node.presence().reconciler();
    long _ =
        kit.redis.call(commands -> commands.hset(PresenceKeys.WEBHOOK, Map.of("remote", "failed")));
    tick(reconciler);
    assertThat(reconciler.period()).isEqualTo(PresenceTestKit.quick().urgentTickPeriod());

    new RedisRateLimiter(kit.redis, ApiBudget.DAILY).freeze(PresenceTestKit.SOON);
    tick(reconciler);
    assertThat(reconciler.period()).isEqualTo(PresenceTestKit.quick().tickPeriod());
  }

  /** A meeting whose first poll is over, so that only the timer finds joins. */
  private long polledMeeting(Node node) {
    try (SignalObservation<ClaimEnded> ended = node.presence().signals().ended().observe()) {
      long meeting = kit.meeting("room");
      ClaimEnded _ = PresenceTestKit.polled(ended, meeting);
      return meeting;
    }
  }

  /** A participant joins without a webhook; the comparison of all rooms finds them. */
  private void found(Node node, long meeting, String name, int people) {
    String _ = kit.join("room", name);
    try (SignalObservation<ClaimEnded> ended = node.presence().signals().ended().observe()) {
      while (kit.numClients(meeting) != people) {
        assertThat(node.presence().reconciler().tick()).isTrue();
        ClaimEnded _ = PresenceTestKit.polled(ended, meeting);
      }
    }
  }

  /** A due tick; the node's own timer may be faster. */
  private void tick(Reconciler reconciler) {
    Optional<Boolean> made = Optional.empty();
    while (made.isEmpty()) {
      long _ = kit.redis.call(commands -> commands.del(PresenceKeys.TICK_LOCK));
      made = reconciler.tickIfDue();
    }
  }
}
