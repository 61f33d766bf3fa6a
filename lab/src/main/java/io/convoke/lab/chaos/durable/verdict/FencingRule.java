package io.convoke.lab.chaos.durable.verdict;

import io.convoke.lab.chaos.history.Finding;
import io.convoke.lab.chaos.history.Finding.Kind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * An attempt is handed out once, unless Postgres crashed since and forgot it; and once the next one
 * runs nothing is accepted from those before. What an attempt came to carries its number and the
 * time just before it was sent; if by then a later attempt had begun, its lock had been taken away
 * and the answer had to be refused.
 */
final class FencingRule implements FlowRule {
  /** How far two clocks of one machine may lie apart when they are read by two processes. */
  private static final Duration EXACT = Duration.ofMillis(5);

  @Override
  public List<Finding> check(FlowHistory history) {
    List<Finding> findings = new ArrayList<>();
    Map<String, Tried> known = new HashMap<>();
    for (Tried tried : history.tried()) {
      Tried before = known.putIfAbsent(tried.key() + " attempt " + tried.attempt(), tried);
      if (before != null && !forgotten(history, before, tried)) {
        findings.add(
            new Finding(
                Kind.DUPLICATED,
                "%s attempt %d was handed out to %s and to %s"
                    .formatted(tried.key(), tried.attempt(), before.process(), tried.process())));
      }
    }
    Map<String, List<Tried>> byKey = history.triedByKey();
    for (EventRow event : history.events()) {
      if (event.attempt().isPresent() && event.order().isPresent()) {
        List<Tried> attempts =
            byKey.getOrDefault(event.key(event.order().orElseThrow()), List.of());
        check(event, event.attempt().orElseThrow(), attempts).ifPresent(findings::add);
      }
    }
    return findings;
  }

  /** Claims do not wait for the disk, so a crash of Postgres may take one back; its ack fails. */
  private static boolean forgotten(FlowHistory history, Tried one, Tried other) {
    return history.crashes().stream()
        .anyMatch(crash -> one.begun().isBefore(crash) != other.begun().isBefore(crash));
  }

  private static Optional<Finding> check(EventRow answer, int attempt, List<Tried> attempts) {
    boolean done =
        attempts.stream().anyMatch(one -> one.attempt() == attempt && one.ended().isPresent());
    if (!done) {
      return Optional.of(new Finding(Kind.INVENTED, answer + ", which never came to its end"));
    }
    Instant sent = answer.at().orElse(answer.written()).minus(EXACT);
    return attempts.stream()
        .filter(later -> later.attempt() > attempt && later.begun().isBefore(sent))
        .findFirst()
        .map(
            later ->
                new Finding(
                    Kind.DUPLICATED,
                    "%s was accepted at %s, but attempt %d ran in %s since %s"
                        .formatted(
                            answer,
                            answer.at().map(Instant::toString).orElse("?"),
                            later.attempt(),
                            later.process(),
                            later.begun())));
  }
}
