package io.convoke.server.presence;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.signal.Signal.Observation;
import io.convoke.lab.sim.fault.Fault;
import io.convoke.lab.sim.fault.FaultKind;
import io.convoke.lab.sim.webhook.Endpoint;
import io.convoke.lab.sim.webhook.EndpointRequest;
import io.convoke.lab.sim.webhook.RetryType;
import io.convoke.server.presence.PresenceKit.Node;
import io.convoke.server.presence.PresenceSignals.Ended;
import io.convoke.server.presence.PresenceTerms.ReconcileMode;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Our webhook at the platform is kept alive, and a fast path that finds nothing is an alarm. */
class WebhookWatchTest {
  private static final String OTHER_KEY = "YW5vdGhlci1rZXk=";
  private final PresenceKit kit = new PresenceKit();

  @AfterEach
  void close() {
    kit.close();
  }

  /** A node that has registered its webhook. */
  private Node registered() throws IOException {
    Node node = kit.watching(PresenceKit.quick());
    try (Observation<WebhookState> states = node.presence().signals().webhook().observe();
        Observation<String> ticked = node.presence().signals().ticked().observe()) {
      node.presence().start();
      assertThat(states.await(PresenceKit.SOON)).isEqualTo(WebhookState.MISSING);
      assertThat(states.await(PresenceKit.SOON)).isEqualTo(WebhookState.ACTIVE);
      String _ = ticked.await(PresenceKit.SOON);
    }
    return node;
  }

  private List<String> told() {
    return kit.events("webhook:daily", "webhook.state_changed").stream()
        .map(it -> it.path("from").asString() + " > " + it.path("to").asString())
        .toList();
  }

  private Endpoint webhook() {
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
    assertThat(webhook().retryType()).isEqualTo(RetryType.EXPONENTIAL);
    assertThat(told()).containsExactly("unknown > missing", "missing > active");

    long meeting = polledMeeting(node);
    try (Observation<Long> committed = node.presence().signals().committed().observe()) {
      String _ = kit.join("room", "Ada");
      // Only evidence is told of so: whether a tick was faster to find her does not matter.
      assertThat(committed.await(PresenceKit.SOON)).isEqualTo(meeting);
    }
  }

  @Test
  void aWebhookThatTheCircuitBreakerStoppedIsSetGoingAgain() throws Exception {
    Node node = registered();
    long meeting = kit.meeting("room");
    // Deliveries that we refuse, as after a secret that was changed on one side alone.
    var _ = kit.sim.webhooks().preset(EndpointRequest.to(webhook().url(), OTHER_KEY));
    for (String name : List.of("Ada", "Bob", "Cleo")) {
      String _ = kit.join("room", name);
    }
    kit.sim.awaitQuiet(PresenceKit.SOON);
    assertThat(webhook().state()).isEqualTo(Endpoint.State.FAILED);

    try (Observation<WebhookState> states = node.presence().signals().webhook().observe();
        Observation<Long> committed = node.presence().signals().committed().observe()) {
      var _ = node.presence().watch().look();
      assertThat(states.drain()).containsExactly(WebhookState.FAILED, WebhookState.ACTIVE);
      assertThat(webhook().state()).isEqualTo(Endpoint.State.ACTIVE);
      assertThat(webhook().hmac()).isEqualTo(PresenceKit.SECRET);
      assertThat(webhook().retryType()).isEqualTo(RetryType.CIRCUIT_BREAKER);

      String _ = kit.join("room", "Dana");
      assertThat(committed.await(PresenceKit.SOON)).isEqualTo(meeting);
    }
    assertThat(told())
        .containsExactly(
            "unknown > missing", "missing > active", "active > failed", "failed > active");
  }

  @Test
  void aWebhookOfSomebodyElseIsLeftAloneAndReported() throws Exception {
    URI theirs = URI.create("http://127.0.0.1:1/theirs");
    var _ = kit.sim.webhooks().preset(EndpointRequest.to(theirs, OTHER_KEY));
    Node node = kit.watching(PresenceKit.quick());
    try (Observation<WebhookState> states = node.presence().signals().webhook().observe()) {
      node.presence().start();
      assertThat(states.await(PresenceKit.SOON)).isEqualTo(WebhookState.ELSEWHERE);
    }
    assertThat(webhook().url()).isEqualTo(theirs);
    assertThat(webhook().hmac()).isEqualTo(OTHER_KEY);
  }

  @Test
  void oneNodeOfManyLooks() throws Exception {
    Node one = registered();
    long before = looks();
    Node two = kit.watching(PresenceKit.quick());
    two.presence().start();
    assertThat(two.presence().watch().round()).isEqualTo(WebhookWatch.LIVE);
    assertThat(looks()).isEqualTo(before);
    var _ = one.presence().watch().look();
    assertThat(looks()).isEqualTo(before + 1);
  }

  @Test
  void ifOnlyTheTimerFindsChangesThatIsAnAlarmAndTicksComeSooner() {
    Node node = kit.node(PresenceKit.quick());
    Reconciler reconciler = node.presence().reconciler();
    long meeting = polledMeeting(node);
    kit.webhooksTo(node);
    kit.sim.faults().set(FaultKind.WEBHOOK_DROP, Fault.ALWAYS);
    for (int people = 1; people <= WebhookHealth.SUSPICIOUS; people++) {
      found(node, meeting, "Nobody heard me " + people, people);
    }

    tick(reconciler);
    assertThat(reconciler.period()).isEqualTo(PresenceKit.quick().urgentTickPeriod());
    assertThat(told()).containsExactly("unknown > silent");

    kit.sim.faults().clear();
    try (Observation<Long> committed = node.presence().signals().committed().observe()) {
      String _ = kit.join("room", "Heard");
      assertThat(committed.await(PresenceKit.SOON)).isEqualTo(meeting);
    }
    tick(reconciler);
    assertThat(reconciler.period()).isEqualTo(PresenceKit.quick().tickPeriod());
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

  private static PresenceTerms terms(ReconcileMode mode, int seconds) {
    PresenceTerms quick = PresenceKit.quick();
    return new PresenceTerms(
        quick.coalesceWindow(),
        quick.minPollInterval(),
        Duration.ofSeconds(seconds),
        mode,
        quick.processInterval(),
        quick.concurrency());
  }

  @Test
  void aFrozenBudgetForbidsTicksThatComeSooner() {
    Node node = kit.node(PresenceKit.quick());
    Reconciler reconciler = node.presence().reconciler();
    long _ = kit.redis.call(commands -> commands.hset(Keys.WEBHOOK, Map.of("remote", "failed")));
    tick(reconciler);
    assertThat(reconciler.period()).isEqualTo(PresenceKit.quick().urgentTickPeriod());

    new RedisBudget(kit.redis, "daily").freeze(PresenceKit.SOON);
    tick(reconciler);
    assertThat(reconciler.period()).isEqualTo(PresenceKit.quick().tickPeriod());
  }

  /** A meeting whose first poll is over, so that only the timer finds who comes. */
  private long polledMeeting(Node node) {
    try (Observation<Ended> ended = node.presence().signals().ended().observe()) {
      long meeting = kit.meeting("room");
      Ended _ = PresenceKit.polled(ended, meeting);
      return meeting;
    }
  }

  /** Somebody comes whom no webhook announces; the comparison of all rooms finds them. */
  private void found(Node node, long meeting, String name, int people) {
    String _ = kit.join("room", name);
    try (Observation<Ended> ended = node.presence().signals().ended().observe()) {
      while (kit.numClients(meeting) != people) {
        assertThat(node.presence().reconciler().tick()).isTrue();
        Ended _ = PresenceKit.polled(ended, meeting);
      }
    }
  }

  /** A tick whose time has come; the node's own timer may be faster. */
  private void tick(Reconciler reconciler) {
    Optional<Boolean> made = Optional.empty();
    while (made.isEmpty()) {
      long _ = kit.redis.call(commands -> commands.del(Keys.TICK_LOCK));
      made = reconciler.tickIfDue();
    }
  }
}
