package io.convoke.chaos.webhooks;

import io.convoke.chaos.kernel.ReadBackRule.ReadBack;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import io.convoke.chaos.webhooks.WebhookHistory.Delivery;
import io.convoke.chaos.webhooks.WebhookHistory.PausedEndpoint;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * What must hold of paused endpoints, of messages that a user asks for, and of what the API shows.
 */
public final class EndpointRules {
  /** From a 410 until all servers know of it. */
  private static final Duration KNOWN = Duration.ofSeconds(2);

  private EndpointRules() {}

  /**
   * What the API tells.
   *
   * @param asked messages that users asked for
   * @param answers to calls while nothing fails
   * @param logs the deliveries of each endpoint
   */
  public record Shown(
      List<AskedMessage> asked, List<ReadBack> answers, Map<Integer, List<Logged>> logs) {
    static final Shown NOTHING = new Shown(List.of(), List.of(), Map.of());
  }

  /** A message to be sent again, or a test, which has no id yet. */
  public record AskedMessage(int endpoint, String messageId, Instant at) {
    boolean is(Delivery delivery) {
      return delivery.endpoint() == endpoint
          && delivery.at().isAfter(at)
          && (messageId.isEmpty() ? delivery.seq() == 0 : delivery.messageId().equals(messageId));
    }
  }

  /**
   * A delivery in the log of an endpoint.
   *
   * @param about its type and subject
   * @param lastStatus 0 without
   */
  public record Logged(
      long id, String messageId, String about, String state, int attempts, int lastStatus) {}

  /** Whether a delivery is a test. */
  static boolean test(Delivery delivery) {
    return delivery.body().path("type").asString("").equals("webhook_endpoint.test")
        && delivery.body().path("subject").asString("").startsWith("webhook_endpoint:");
  }

  /** The asked messages that did not arrive. */
  static List<String> unanswered(WebhookHistory history) {
    return history.shown().asked().stream()
        .filter(asked -> history.deliveries().stream().noneMatch(it -> it.taken() && asked.is(it)))
        .map(AskedMessage::toString)
        .toList();
  }

  /** Whether a user asked for this delivery. */
  static boolean askedFor(WebhookHistory history, Delivery delivery) {
    return history.shown().asked().stream().anyMatch(asked -> asked.is(delivery));
  }

  /** A paused endpoint gets nothing until it is resumed. */
  static List<RuleViolation> sentWhilePaused(WebhookHistory history) {
    List<RuleViolation> found = new ArrayList<>();
    for (Delivery gone : history.gone()) {
      Instant known = gone.at().plus(KNOWN);
      Instant resumed =
          history.pauses().stream()
              .filter(pause -> pause.endpoint() == gone.endpoint())
              .map(PausedEndpoint::to)
              .filter(gone.at()::isBefore)
              .min(Comparator.naturalOrder())
              .orElse(Instant.MAX);
      history.deliveries().stream()
          .filter(it -> it.endpoint() == gone.endpoint())
          .filter(it -> it.at().isAfter(known) && it.at().isBefore(resumed))
          .filter(it -> !history.faulted(gone.at(), it.at()))
          .forEach(it -> found.add(ViolationKind.ILLEGAL.found(it + " after " + gone)));
    }
    return found;
  }

  /** The log has each message that arrived, newest first, with its tries and their outcome. */
  static List<RuleViolation> logs(WebhookHistory history) {
    List<RuleViolation> found = new ArrayList<>();
    Map<String, List<Delivery>> tries = history.tries();
    history
        .shown()
        .logs()
        .forEach(
            (endpoint, log) -> {
              List<Long> ids = log.stream().map(Logged::id).toList();
              if (!ids.equals(ids.stream().sorted(Comparator.reverseOrder()).distinct().toList())) {
                found.add(ViolationKind.SEQUENCE.found("the log of %d: %s", endpoint, ids));
              }
              tries.values().stream()
                  .filter(each -> each.getFirst().endpoint() == endpoint)
                  .map(each -> difference(history, each, log))
                  .forEach(found::addAll);
            });
    return found;
  }

  private static List<RuleViolation> difference(
      WebhookHistory history, List<Delivery> tries, List<Logged> log) {
    Delivery last = tries.getLast();
    List<Logged> entries =
        log.stream().filter(it -> it.messageId().equals(last.messageId())).toList();
    boolean again = tries.stream().anyMatch(it -> askedFor(history, it)) && last.seq() != 0;
    // A fault may keep a try from being stored, and a resumed endpoint counts from one again.
    boolean counted =
        !again
            && !history.faulted(tries.getFirst().at(), last.at().plus(WebhookHistory.STORED))
            && history.pauses().stream().noneMatch(it -> it.endpoint() == last.endpoint());
    String about =
        last.body().path("type").asString("") + " " + last.body().path("subject").asString("");
    boolean right =
        entries.size() == (again ? 2 : 1)
            && entries.stream().allMatch(it -> it.about().equals(about))
            && entries.stream().allMatch(it -> it.state().equals("delivered") == last.taken())
            && (!counted
                || (entries.getFirst().attempts() == tries.size()
                    && entries.getFirst().lastStatus() == Math.max(0, last.status())));
    return right
        ? List.of()
        : List.of(ViolationKind.COUNT.found("%s is in the log as %s", tries, entries));
  }
}
