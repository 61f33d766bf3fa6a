package io.convoke.chaos.webhooks;

import io.convoke.chaos.kernel.AvailabilityRule;
import io.convoke.chaos.kernel.FaultWindow;
import io.convoke.chaos.kernel.ReadBackRule;
import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/**
 * Everything that was observed in a run, and what must hold of it. Endpoints have numbers, from 0.
 *
 * @param accepted meetings of users that a server accepted, and the user of each
 * @param journal all events in the database, by sequence
 * @param deliveries at the endpoints, in the order of their arrival
 * @param pauses the times in which an endpoint answered 410 and was not resumed
 * @param shown what the API tells of endpoints and messages
 */
public record WebhookHistory(
    Map<Long, Long> accepted,
    List<HookedEndpoint> endpoints,
    List<JournaledEvent> journal,
    List<Delivery> deliveries,
    List<PausedEndpoint> pauses,
    EndpointRules.Shown shown,
    AvailabilityRule.Calls calls) {
  /** The status of a message that was not answered until its sender had given up. */
  static final int HELD = -1;

  /** The status of a message that was answered only after a while. */
  static final int SLOW = 203;

  private static final int GONE = 410;

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

  /** The first two pauses between tries. */
  private static final List<Duration> PAUSES =
      List.of(Duration.ofSeconds(5), Duration.ofSeconds(30));

  /** The same with their jitter of a tenth. */
  private static final List<Duration> RETRIES =
      List.of(Duration.ofMillis(5500), Duration.ofSeconds(33));

  private static final Duration SLACK = Duration.ofSeconds(6);

  /** How long a message is kept waiting: an endpoint that answers so late counts as silent. */
  static final Duration KEPT = Duration.ofSeconds(5);

  /**
   * How long messages wait for a silent endpoint: one tries it after 5 s, the others when that has
   * had its time, with a jitter of as much.
   */
  private static final Duration ALONE = Duration.ofSeconds(40);

  /** Between the clocks of the database and of the receiver, and what they round. */
  private static final Duration CLOCKS = Duration.ofMillis(200);

  /** From a delivery until a server has stored it. */
  static final Duration STORED = Duration.ofSeconds(1);

  /** The same, of one that is answered late. */
  private static final Duration LATE = Duration.ofSeconds(7);

  /** From an event to its first try while nothing else waits: less than the shortest pause. */
  private static final Duration PROMPT = Duration.ofSeconds(4);

  /** A workflow of a dead server is locked, and an event of a long transaction comes late. */
  private static final Duration RECOVERED = Duration.ofSeconds(25);

  /** Events this long before an endpoint was asked for are none of its. */
  private static final Duration BEFORE = Duration.ofSeconds(4);

  private static final List<Rule<WebhookHistory>> RULES =
      List.of(
          Rule.named("DeliveryRule", WebhookHistory::lost),
          Rule.named("DeliveryRule", WebhookHistory::wrong),
          Rule.named("DeliveryOrderRule", WebhookHistory::disordered),
          Rule.named("RepeatedDeliveryRule", WebhookHistory::repeated),
          Rule.named("DeliveryRetryRule", WebhookHistory::late),
          Rule.named("DeliveryRetryRule", WebhookHistory::early),
          Rule.named("DeliveryRetryRule", WebhookHistory::leftAlone),
          Rule.named("PromptDeliveryRule", WebhookHistory::waited),
          Rule.named("PausedEndpointRule", EndpointRules::sentWhilePaused),
          Rule.shared(new ReadBackRule(), history -> history.shown().answers()),
          Rule.named("DeliveryLogRule", EndpointRules::logs),
          Rule.shared(new AvailabilityRule(), WebhookHistory::calls));

  /**
   * An endpoint.
   *
   * @param user whose events it gets; 0 for everyone's
   * @param types empty for all but those about endpoints
   * @param asked when it was asked for
   * @param removed when a server said that it is gone; {@link Instant#MAX} if it stays
   */
  public record HookedEndpoint(
      int number, long id, long user, List<String> types, Instant asked, Instant removed) {
    boolean wants(JournaledEvent event) {
      boolean named =
          types.isEmpty()
              ? !event.type().startsWith("webhook_endpoint.")
              : types.contains(event.type());
      return named
          && (user == 0 || user == event.user())
          && event.at().plus(BEFORE).isAfter(asked)
          && event.at().isBefore(removed);
    }

    HookedEndpoint removedAt(Instant at) {
      return new HookedEndpoint(number, id, user, types, asked, at);
    }
  }

  /** An event; {@code user} is the id of its owner, 0 without. */
  public record JournaledEvent(
      long seq, long user, String type, String subject, Instant at, JsonNode data) {
    /** Whether a message is about this event. */
    boolean is(JsonNode body) {
      return body.path("type").asString("").equals(type)
          && body.path("subject").asString("").equals(subject)
          && body.path("data").equals(data)
          && body.path("timestamp").asString("").equals(TIME.format(at));
    }
  }

  /**
   * An attempt.
   *
   * @param seq of its event; 0 of a test
   * @param signed by the secret of that endpoint, and just now
   * @param status 0 for no answer
   */
  public record Delivery(
      int endpoint,
      long seq,
      String messageId,
      boolean signed,
      int status,
      Instant at,
      JsonNode body) {
    boolean taken() {
      return status >= 200 && status < 300;
    }
  }

  /** An endpoint that was paused. */
  public record PausedEndpoint(int endpoint, Instant from, Instant to) {}

  /** All violations; empty for a correct history. */
  List<RuleViolation> check() {
    return Rule.check(RULES, this);
  }

  /** What did not arrive. */
  List<String> missing() {
    Set<List<Long>> taken =
        deliveries.stream()
            .filter(Delivery::taken)
            .map(it -> List.of((long) it.endpoint(), it.seq()))
            .collect(Collectors.toSet());
    List<String> missing = new ArrayList<>(EndpointRules.unanswered(this));
    for (HookedEndpoint endpoint : endpoints) {
      long from = registered(endpoint);
      journal.stream()
          .filter(event -> event.seq() >= from && endpoint.wants(event))
          .filter(event -> !taken.contains(List.of((long) endpoint.number(), event.seq())))
          .forEach(event -> missing.add(event + " at " + endpoint));
    }
    return missing;
  }

  /** The sequence from which on an endpoint gets its events. */
  private long registered(HookedEndpoint endpoint) {
    return journal.stream()
        .filter(event -> event.type().equals("webhook_endpoint.created"))
        .filter(event -> event.subject().equals("webhook_endpoint:" + endpoint.id()))
        .mapToLong(JournaledEvent::seq)
        .findFirst()
        .orElse(0);
  }

  private List<RuleViolation> lost() {
    List<RuleViolation> lost = new ArrayList<>();
    accepted.forEach(
        (meeting, user) -> {
          List<JournaledEvent> events =
              journal.stream().filter(it -> it.subject().equals("meeting:" + meeting)).toList();
          if (events.isEmpty() || !events.stream().allMatch(it -> it.user() == user)) {
            lost.add(ViolationKind.LOST.found("no or another's events of %d: %s", meeting, events));
          }
        });
    missing().forEach(event -> lost.add(ViolationKind.LOST.found("no delivery of " + event)));
    return lost;
  }

  private List<RuleViolation> wrong() {
    Map<Long, JournaledEvent> events =
        journal.stream().collect(Collectors.toMap(JournaledEvent::seq, it -> it));
    Map<Integer, HookedEndpoint> known =
        endpoints.stream().collect(Collectors.toMap(HookedEndpoint::number, it -> it));
    Map<List<Long>, String> ids = new HashMap<>();
    return deliveries.stream()
        .filter(
            it -> {
              HookedEndpoint endpoint = known.get(it.endpoint());
              JournaledEvent event = events.get(it.seq());
              boolean right =
                  it.seq() == 0
                      ? EndpointRules.test(it)
                      : event != null
                          && endpoint != null
                          && endpoint.wants(event)
                          && event.is(it.body())
                          && it.messageId()
                              .equals(
                                  ids.computeIfAbsent(
                                      List.of((long) it.endpoint(), it.seq()),
                                      _ -> it.messageId()));
              return !right || !it.signed();
            })
        .map(it -> ViolationKind.INVENTED.found("another's, unsigned, renamed or other: " + it))
        .toList();
  }

  /** Of the events of one subject an earlier one arrives first. */
  private List<RuleViolation> disordered() {
    Map<Long, String> subjects =
        journal.stream().collect(Collectors.toMap(JournaledEvent::seq, JournaledEvent::subject));
    Map<List<?>, Long> last = new HashMap<>();
    Set<List<Long>> arrived = new HashSet<>();
    List<RuleViolation> found = new ArrayList<>();
    for (Delivery delivery : deliveries) {
      String subject = subjects.get(delivery.seq());
      if (subject != null
          && delivery.taken()
          && arrived.add(List.of((long) delivery.endpoint(), delivery.seq()))) {
        long before = last.merge(List.of(delivery.endpoint(), subject), delivery.seq(), Math::max);
        if (before > delivery.seq()) {
          found.add(
              ViolationKind.SEQUENCE.found(
                  "event %d of %s arrived after %d", delivery.seq(), subject, before));
        }
      }
    }
    return found;
  }

  /** What was taken is sent again only if it is asked for, or a fault kept it from being stored. */
  private List<RuleViolation> repeated() {
    Map<String, Delivery> taken = new HashMap<>();
    List<RuleViolation> found = new ArrayList<>();
    for (Delivery delivery : deliveries) {
      Delivery before = taken.get(delivery.messageId());
      if (before != null
          && !faulted(before.at(), before.at().plus(before.status() == SLOW ? LATE : STORED))
          && !EndpointRules.askedFor(this, delivery)) {
        found.add(ViolationKind.DUPLICATED.found(delivery + " was taken before: " + before));
      }
      if (delivery.taken()) {
        var _ = taken.put(delivery.messageId(), delivery);
      }
    }
    return found;
  }

  /** The tries of each message. */
  Map<String, List<Delivery>> tries() {
    Map<String, List<Delivery>> tries = new TreeMap<>();
    deliveries.forEach(it -> tries.computeIfAbsent(it.messageId(), _ -> new ArrayList<>()).add(it));
    return tries;
  }

  /** A failed delivery is tried again after its pause. */
  private List<RuleViolation> late() {
    List<RuleViolation> found = new ArrayList<>();
    for (List<Delivery> each : tries().values()) {
      for (int i = 1; i < Math.min(each.size(), RETRIES.size() + 1); i++) {
        Delivery failed = each.get(i - 1);
        Instant due = failed.at().plus(RETRIES.get(i - 1)).plus(SLACK);
        Instant at = each.get(i).at();
        if (!failed.taken()
            && at.isAfter(due)
            && !faulted(failed.at(), due)
            && !paused(failed.endpoint(), failed.at())
            && !held(failed.endpoint())) {
          found.add(
              ViolationKind.LATE.found(
                  "%s was tried again %d ms later",
                  failed, Duration.between(failed.at(), at).toMillis()));
        }
      }
    }
    return found;
  }

  /**
   * What waits for an endpoint that did not answer once is sent soon, unless it is behind the
   * message that was not answered: that one may have failed before.
   */
  private List<RuleViolation> leftAlone() {
    Map<Long, Instant> written =
        journal.stream().collect(Collectors.toMap(JournaledEvent::seq, JournaledEvent::at));
    return deliveries.stream()
        .filter(held -> held.status() == HELD)
        .flatMap(
            held -> {
              Instant again = held.at().plus(KEPT);
              Instant due = again.plus(ALONE).plus(SLACK);
              return deliveries.stream()
                  .filter(it -> it.endpoint() == held.endpoint() && it.at().isAfter(due))
                  .filter(it -> written.getOrDefault(it.seq(), Instant.MAX).isBefore(again))
                  .filter(it -> !it.body().path("subject").equals(held.body().path("subject")))
                  .filter(_ -> !faulted(again, due))
                  .map(it -> ViolationKind.LATE.found("%s waited for long after %s", it, held));
            })
        .toList();
  }

  /** It is not tried again before. */
  private List<RuleViolation> early() {
    List<RuleViolation> found = new ArrayList<>();
    for (List<Delivery> each : tries().values()) {
      for (int i = 1; i < Math.min(each.size(), PAUSES.size() + 1); i++) {
        Delivery failed = each.get(i - 1);
        Instant at = each.get(i).at();
        // A server that cannot store a failure tries again at once, and a resumed endpoint too.
        if (!failed.taken()
            && at.isBefore(failed.at().plus(PAUSES.get(i - 1)).minus(CLOCKS))
            && !faulted(each.getFirst().at(), at)
            && pauses.stream().noneMatch(pause -> pause.endpoint() == failed.endpoint())) {
          found.add(
              ViolationKind.SEQUENCE.found(
                  "%s was tried again already %d ms later",
                  failed, Duration.between(failed.at(), at).toMillis()));
        }
      }
    }
    return found;
  }

  /** An event is sent at once, unless an earlier one of its subject waits. */
  private List<RuleViolation> waited() {
    Map<List<Long>, Instant> first = new HashMap<>();
    Map<List<Long>, Instant> taken = new HashMap<>();
    for (Delivery delivery : deliveries) {
      List<Long> key = List.of((long) delivery.endpoint(), delivery.seq());
      var _ = first.putIfAbsent(key, delivery.at());
      if (delivery.taken()) {
        var _ = taken.putIfAbsent(key, delivery.at());
      }
    }
    List<RuleViolation> found = new ArrayList<>();
    for (HookedEndpoint endpoint : endpoints) {
      Map<String, Instant> free = new HashMap<>();
      for (JournaledEvent event : journal) {
        if (!endpoint.wants(event)) {
          continue;
        }
        List<Long> key = List.of((long) endpoint.number(), event.seq());
        Instant begin = free.getOrDefault(event.subject(), event.at());
        Instant due = (begin.isAfter(event.at()) ? begin : event.at()).plus(PROMPT);
        Instant tried = first.getOrDefault(key, Instant.MIN);
        var _ = free.put(event.subject(), taken.getOrDefault(key, Instant.MAX.minus(PROMPT)));
        if (tried.isAfter(due)
            && !faulted(event.at().minus(RECOVERED), due)
            && pauses.stream().noneMatch(pause -> pause.endpoint() == endpoint.number())
            && !held(endpoint.number())) {
          found.add(ViolationKind.LATE.found("%s was tried only at %s", event, tried));
        }
      }
    }
    return found;
  }

  boolean faulted(Instant from, Instant to) {
    return calls.windows().stream().anyMatch((FaultWindow window) -> window.touches(from, to));
  }

  boolean paused(int endpoint, Instant at) {
    return pauses.stream()
        .anyMatch(pause -> pause.endpoint() == endpoint && pause.to().plus(SLACK).isAfter(at));
  }

  /** Whether an endpoint once did not answer for a while, in which others waited. */
  private boolean held(int endpoint) {
    return deliveries.stream()
        .anyMatch(it -> it.endpoint() == endpoint && (it.status() == HELD || it.status() == SLOW));
  }

  /** The deliveries that were answered 410. */
  List<Delivery> gone() {
    return deliveries.stream().filter(it -> it.status() == GONE).toList();
  }
}
