package io.convoke.chaos.webhooks;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.chaos.kernel.AvailabilityRule;
import io.convoke.chaos.kernel.FaultWindow;
import io.convoke.chaos.kernel.ReadBackRule.ReadBack;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.webhooks.EndpointRules.AskedMessage;
import io.convoke.chaos.webhooks.EndpointRules.Logged;
import io.convoke.chaos.webhooks.EndpointRules.Shown;
import io.convoke.chaos.webhooks.WebhookHistory.Delivery;
import io.convoke.chaos.webhooks.WebhookHistory.HookedEndpoint;
import io.convoke.chaos.webhooks.WebhookHistory.JournaledEvent;
import io.convoke.chaos.webhooks.WebhookHistory.PausedEndpoint;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Each way in which deliveries can be wrong is found, and what a fault explains is not. */
final class WebhookHistoryTest {
  private static final long MEETING = 7;
  private static final long USER = 3;
  private static final JsonNode DATA = JsonMapper.shared().readTree("{\"n\": 1}");

  private final List<HookedEndpoint> endpoints =
      new ArrayList<>(
          List.of(new HookedEndpoint(0, 70, USER, List.of(), Instant.EPOCH, Instant.MAX)));
  private final List<JournaledEvent> journal =
      new ArrayList<>(List.of(event(1, USER, 10), event(2, USER, 11)));
  private final List<Delivery> deliveries =
      new ArrayList<>(List.of(delivery(1, 200, 10), delivery(2, 204, 11)));
  private final List<PausedEndpoint> pauses = new ArrayList<>();
  private final List<FaultWindow> windows = new ArrayList<>();
  private final List<AskedMessage> asked = new ArrayList<>();
  private final List<ReadBack> answers = new ArrayList<>();
  private final Map<Integer, List<Logged>> logs = new HashMap<>();

  @Test
  void aCorrectHistoryHasNoViolation() {
    assertThat(rules()).isEmpty();
  }

  @Test
  void anEventWithoutADeliveryAndAMeetingWithoutAnEventAreFound() {
    deliveries.removeLast();
    assertThat(rules()).containsExactly("DeliveryRule");
    journal.clear();
    deliveries.clear();
    assertThat(rules()).containsExactly("DeliveryRule");
  }

  @Test
  void anEventThatBelongsToAnotherUserIsFound() {
    journal.add(event(3, 99, 30));
    assertThat(rules()).containsExactly("DeliveryRule");
  }

  @Test
  void eachEndpointGetsWhatItNamesFromItsRegistrationToItsRemoval() {
    endpoints.add(new HookedEndpoint(1, 71, USER, List.of("other"), Instant.EPOCH, Instant.MAX));
    endpoints.add(new HookedEndpoint(2, 72, 0, List.of("a", "t"), at(20), Instant.MAX));
    endpoints.add(new HookedEndpoint(3, 73, USER, List.of("t"), Instant.EPOCH, at(5)));
    assertThat(rules()).isEmpty();
    deliveries.add(delivery(1, 1, 200, 12));
    assertThat(rules()).as("not named").containsExactly("DeliveryRule");
    deliveries.set(2, delivery(2, 1, 200, 21));
    assertThat(rules()).as("of long ago").containsExactly("DeliveryRule");
    deliveries.set(2, delivery(3, 1, 200, 12));
    assertThat(rules()).as("removed").containsExactly("DeliveryRule");
    deliveries.removeLast();
    journal.add(other(3, 99, 30));
    assertThat(rules()).as("everyone's").containsExactly("DeliveryRule");
    deliveries.add(new Delivery(2, 3, "id", true, 200, at(30), body(3, 30).put("subject", "x")));
    assertThat(rules()).isEmpty();
  }

  @Test
  void anEventOfAnotherUserAnUnsignedARenamedAndAnAlteredMessageAreFound() {
    journal.add(other(3, 99, 30));
    deliveries.add(new Delivery(0, 3, "id", true, 200, at(30), body(3, 30).put("subject", "x")));
    journal.add(event(4, USER, 40));
    deliveries.add(new Delivery(0, 4, "id-0-4", false, 500, at(40), body(4, 40)));
    deliveries.add(new Delivery(0, 4, "other", true, 500, at(45), body(4, 40)));
    deliveries.add(new Delivery(0, 4, "id-0-4", true, 200, at(46), body(4, 41)));
    assertThat(rules().stream().filter("DeliveryRule"::equals)).hasSize(4);
  }

  @Test
  void aLaterEventOfAMeetingThatArrivesFirstIsFound() {
    deliveries.clear();
    deliveries.add(delivery(1, 500, 10));
    deliveries.add(delivery(2, 200, 11));
    deliveries.add(delivery(1, 200, 15));
    assertThat(rules()).containsExactly("DeliveryOrderRule");
  }

  @Test
  void aMessageIsRepeatedOnlyIfItIsAskedForOrAFaultKeptItsAnswerFromBeingStored() {
    deliveries.add(delivery(2, 200, 20));
    assertThat(rules()).containsExactly("RepeatedDeliveryRule");
    windows.add(new FaultWindow("kill -9", "server-0", at(11), at(13)));
    assertThat(rules()).isEmpty();
    windows.clear();
    asked.add(new AskedMessage(0, "id-0-2", at(15)));
    assertThat(rules()).isEmpty();
    asked.set(0, new AskedMessage(0, "id-0-2", at(21)));
    assertThat(rules()).containsExactlyInAnyOrder("DeliveryRule", "RepeatedDeliveryRule");
  }

  @Test
  void aTestThatDoesNotArriveIsFound() {
    asked.add(new AskedMessage(0, "", at(15)));
    assertThat(rules()).containsExactly("DeliveryRule");
    JsonNode body =
        JsonMapper.shared()
            .readTree(
                "{\"type\": \"webhook_endpoint.test\", \"subject\": \"webhook_endpoint:70\"}");
    deliveries.add(new Delivery(0, 0, "t", true, 200, at(16), body));
    assertThat(rules()).isEmpty();
  }

  @Test
  void aRetryThatComesLongAfterItsPauseOrBeforeItsEndIsFound() {
    deliveries.clear();
    deliveries.add(delivery(1, 500, 10));
    deliveries.add(delivery(1, 200, 21));
    deliveries.add(delivery(2, 200, 22));
    assertThat(rules()).isEmpty();
    deliveries.set(1, delivery(1, 200, 22));
    assertThat(rules()).containsExactly("DeliveryRetryRule");
    deliveries.set(1, delivery(1, 200, 14));
    assertThat(rules()).containsExactly("DeliveryRetryRule", "PromptDeliveryRule");
    pauses.add(new PausedEndpoint(0, at(5), at(20)));
    assertThat(rules()).isEmpty();
  }

  @Test
  void anEventThatWaitsForThoseOfOtherSubjectsIsFound() {
    deliveries.set(1, delivery(2, 200, 16));
    assertThat(rules()).containsExactly("PromptDeliveryRule");
    deliveries.addFirst(
        new Delivery(0, 1, "id-0-1", true, WebhookHistory.HELD, at(10), body(1, 10)));
    assertThat(rules()).as("spared").doesNotContain("PromptDeliveryRule");
    deliveries.set(1, delivery(1, 200, 16));
    deliveries.set(2, ofAnother(60));
    assertThat(rules()).doesNotContain("DeliveryRetryRule");
    deliveries.set(2, ofAnother(62));
    assertThat(rules()).contains("DeliveryRetryRule");
    deliveries.set(2, delivery(2, 200, 62));
    assertThat(rules()).as("of the same subject").doesNotContain("DeliveryRetryRule");
  }

  @Test
  void aMessageToAPausedEndpointIsFound() {
    deliveries.set(0, delivery(1, 410, 10));
    deliveries.set(1, delivery(1, 200, 13));
    deliveries.add(delivery(2, 200, 13));
    pauses.add(new PausedEndpoint(0, at(9), at(12)));
    assertThat(rules()).isEmpty();
    pauses.set(0, new PausedEndpoint(0, at(9), at(14)));
    assertThat(rules()).containsExactly("PausedEndpointRule", "PausedEndpointRule");
  }

  @Test
  void aWrongAnswerAndALogThatDiffersAreFound() {
    answers.add(new ReadBack("a call", List.of("202"), List.of("202")));
    logs.put(
        0,
        List.of(
            new Logged(2, "id-0-2", "t meeting:7", "delivered", 1, 204),
            new Logged(1, "id-0-1", "t meeting:7", "delivered", 1, 200)));
    assertThat(rules()).isEmpty();
    answers.add(new ReadBack("a call", List.of("404"), List.of("200")));
    logs.put(
        0,
        List.of(
            new Logged(1, "id-0-1", "t meeting:7", "pending", 1, 200),
            new Logged(2, "id-0-2", "t meeting:7", "delivered", 2, 204)));
    assertThat(rules())
        .containsExactly("ReadBackRule", "DeliveryLogRule", "DeliveryLogRule", "DeliveryLogRule");
  }

  private List<String> rules() {
    return new WebhookHistory(
            Map.of(MEETING, USER),
            endpoints,
            journal,
            deliveries,
            pauses,
            new Shown(asked, answers, logs),
            new AvailabilityRule.Calls(List.of(), windows, Set.of(), false))
        .check().stream().map(RuleViolation::rule).toList();
  }

  private static JournaledEvent event(long seq, long user, long second) {
    return new JournaledEvent(seq, user, "t", "meeting:" + MEETING, at(second), DATA);
  }

  private static JournaledEvent other(long seq, long user, long second) {
    return new JournaledEvent(seq, user, "t", "x", at(second), DATA);
  }

  private static ObjectNode body(long seq, long second) {
    return JsonMapper.shared()
        .createObjectNode()
        .put("type", "t")
        .put("timestamp", "1970-01-01T00:00:%02d.000Z".formatted(second))
        .put("subject", "meeting:" + MEETING)
        .put("seq", seq)
        .set("data", DATA);
  }

  private static Delivery delivery(long seq, int status, long second) {
    return delivery(0, seq, status, second);
  }

  private static Delivery delivery(int endpoint, long seq, int status, long second) {
    return new Delivery(
        endpoint,
        seq,
        "id-" + endpoint + "-" + seq,
        true,
        status,
        at(second),
        body(seq, seq == 3 ? 30 : 9 + seq));
  }

  private static Delivery ofAnother(long second) {
    return new Delivery(0, 2, "id-0-2", true, 200, at(second), body(2, 11).put("subject", "x"));
  }

  private static Instant at(long second) {
    return Instant.EPOCH.plusSeconds(second);
  }
}
