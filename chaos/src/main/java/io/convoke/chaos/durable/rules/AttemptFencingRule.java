package io.convoke.chaos.durable.rules;

import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Each attempt is handed out once, unless a Postgres crash lost the claim; and once an attempt has
 * begun, results of earlier ones are rejected. A result carries its attempt number and the time
 * just before it was sent; if a later attempt had begun by then, the lock was lost and the result
 * had to be rejected.
 */
final class AttemptFencingRule implements Rule<FlowHistory> {
  /** Maximum difference between two processes' readings of the clock. */
  private static final Duration EXACT = Duration.ofMillis(5);

  @Override
  public List<RuleViolation> check(FlowHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    Map<String, ObservedActivityAttempt> known = new HashMap<>();
    for (ObservedActivityAttempt observedActivityAttempt : history.tried()) {
      ObservedActivityAttempt before =
          known.putIfAbsent(
              observedActivityAttempt.key() + " attempt " + observedActivityAttempt.attempt(),
              observedActivityAttempt);
      if (before != null && !forgotten(history, before, observedActivityAttempt)) {
        findings.add(
            ViolationKind.DUPLICATED.found(
                "%s attempt %d was given to %s and to %s",
                observedActivityAttempt.key(),
                observedActivityAttempt.attempt(),
                before.process(),
                observedActivityAttempt.process()));
      }
    }
    Map<String, List<ObservedActivityAttempt>> byKey = history.triedByKey();
    for (EventRow event : history.events()) {
      if (event.attempt().isPresent() && event.order().isPresent()) {
        List<ObservedActivityAttempt> attempts =
            byKey.getOrDefault(event.key(event.order().orElseThrow()), List.of());
        check(event, event.attempt().orElseThrow(), attempts).ifPresent(findings::add);
      }
    }
    return findings;
  }

  /** Claims commit asynchronously, so a crash of Postgres may lose one; its ack then fails. */
  private static boolean forgotten(
      FlowHistory history, ObservedActivityAttempt one, ObservedActivityAttempt other) {
    return history.crashes().stream()
        .anyMatch(crash -> one.startedAt().isBefore(crash) != other.startedAt().isBefore(crash));
  }

  private static Optional<RuleViolation> check(
      EventRow answer, int attempt, List<ObservedActivityAttempt> attempts) {
    boolean done =
        attempts.stream().anyMatch(one -> one.attempt() == attempt && one.ended().isPresent());
    if (!done) {
      return Optional.of(ViolationKind.INVENTED.found(answer + ", which never ended"));
    }
    Instant sent = answer.at().orElse(answer.written()).minus(EXACT);
    return attempts.stream()
        .filter(later -> later.attempt() > attempt && later.startedAt().isBefore(sent))
        .findFirst()
        .map(
            later ->
                ViolationKind.DUPLICATED.found(
                    "%s was accepted at %s, but attempt %d ran in %s since %s",
                    answer,
                    answer.at().map(Instant::toString).orElse("?"),
                    later.attempt(),
                    later.process(),
                    later.startedAt()));
  }
}
