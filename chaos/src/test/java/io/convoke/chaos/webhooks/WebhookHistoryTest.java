package io.convoke.chaos.webhooks;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.chaos.kernel.AvailabilityRule;
import io.convoke.chaos.kernel.FaultWindow;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.webhooks.WebhookHistory.Delivery;
import io.convoke.chaos.webhooks.WebhookHistory.JournaledEvent;
import io.convoke.chaos.webhooks.WebhookHistory.PausedEndpoint;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Each way in which deliveries can be wrong is found, and what a fault explains is not. */
final class WebhookHistoryTest {
  private static final long MEETING = 7;

  private final List<JournaledEvent> journal =
      new ArrayList<>(
          List.of(new JournaledEvent(1, 0, MEETING), new JournaledEvent(2, 0, MEETING)));
  private final List<Delivery> deliveries =
      new ArrayList<>(List.of(delivery(1, 200, 10), delivery(2, 200, 11)));
  private final List<PausedEndpoint> pauses = new ArrayList<>();
  private final List<FaultWindow> windows = new ArrayList<>();

  @Test
  void aCorrectHistoryHasNoViolation() {
    assertThat(rules()).isEmpty();
  }

  @Test
  void anEventWithoutADeliveryAndAMeetingWithoutAnEventAreFound() {
    deliveries.removeLast();
    assertThat(rules()).containsExactly("DeliveryRule");
    journal.clear();
    assertThat(rules()).containsExactly("DeliveryRule");
  }

  @Test
  void anEventOfAnotherUserAnUnsignedAndARenamedMessageAreFound() {
    deliveries.add(new Delivery(1, 1, "id-1", true, 200, at(12)));
    deliveries.add(new Delivery(0, 3, "id-3", false, 200, at(13)));
    deliveries.add(new Delivery(0, 4, "id-4", true, 500, at(14)));
    deliveries.add(new Delivery(0, 4, "other", true, 200, at(19)));
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
  void aMessageIsRepeatedOnlyIfAFaultKeptItsAnswerFromBeingStored() {
    deliveries.add(delivery(2, 200, 20));
    assertThat(rules()).containsExactly("RepeatedDeliveryRule");
    windows.add(new FaultWindow("kill -9", "server-0", at(11), at(13)));
    assertThat(rules()).isEmpty();
  }

  @Test
  void aRetryThatComesLongAfterItsPauseIsFound() {
    deliveries.clear();
    deliveries.add(delivery(1, 500, 10));
    deliveries.add(delivery(1, 200, 21));
    deliveries.add(delivery(2, 200, 22));
    assertThat(rules()).isEmpty();
    deliveries.set(1, delivery(1, 200, 22));
    assertThat(rules()).containsExactly("DeliveryRetryRule");
    pauses.add(new PausedEndpoint(0, at(5), at(20)));
    assertThat(rules()).isEmpty();
  }

  private List<String> rules() {
    return new WebhookHistory(
            Set.of(MEETING),
            journal,
            deliveries,
            pauses,
            new AvailabilityRule.Calls(List.of(), windows, Set.of(), false))
        .check().stream().map(RuleViolation::rule).toList();
  }

  private static Delivery delivery(long seq, int status, long second) {
    return new Delivery(0, seq, "id-" + seq, true, status, at(second));
  }

  private static Instant at(long second) {
    return Instant.EPOCH.plusSeconds(second);
  }
}
