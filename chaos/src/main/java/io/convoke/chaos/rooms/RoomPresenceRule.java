package io.convoke.chaos.rooms;

import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import io.convoke.chaos.rooms.RoomHistory.RoomVisit;
import io.convoke.chaos.rooms.RoomHistory.ShownSession;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Each visit is one session with the right start and end, and no session is anything else. Times
 * are exact to two seconds, and to the bound where a fault could be felt.
 */
final class RoomPresenceRule implements Rule<RoomHistory> {
  private static final Duration EXACT = Duration.ofSeconds(2);

  @Override
  public List<RuleViolation> check(RoomHistory history) {
    List<RuleViolation> found = new ArrayList<>();
    List<ShownSession> free = new ArrayList<>(history.sessions());
    for (RoomVisit visit : history.visits()) {
      Optional<ShownSession> session =
          free.stream()
              .filter(it -> it.name().equals(visit.name()))
              .filter(it -> near(history, it.joined(), visit.joinFrom(), visit.joinTo()))
              .min(Comparator.comparing(it -> distance(it.joined(), visit.joinTo())));
      session.ifPresentOrElse(
          it -> {
            free.remove(it);
            end(history, visit, it).ifPresent(found::add);
          },
          () -> {
            if (visit.joinFrom().plus(RoomHistory.BOUND).isBefore(visit.leaveTo())
                || !history.disturbed(visit.joinFrom(), visit.leaveTo())) {
              found.add(new RuleViolation(ViolationKind.LOST, "no session of " + visit));
            }
          });
    }
    free.stream()
        .filter(it -> history.sentences().containsKey(it.name()))
        .filter(
            it ->
                history.attempts().stream()
                    .noneMatch(
                        tried ->
                            tried.name().equals(it.name())
                                && !it.joined().isBefore(tried.joinFrom().minus(EXACT))
                                && !it.joined().isAfter(tried.leaveTo())))
        .map(it -> new RuleViolation(ViolationKind.INVENTED, "no visit is " + it))
        .forEach(found::add);
    return Stream.concat(
            found.stream(),
            history.absent().stream().map(it -> new RuleViolation(ViolationKind.NOT_CONVERGED, it)))
        .toList();
  }

  private static Duration distance(Instant one, Instant other) {
    return Duration.between(one, other).abs();
  }

  private static Optional<RuleViolation> end(
      RoomHistory history, RoomVisit visit, ShownSession session) {
    if (session.left().isEmpty()) {
      return Optional.of(new RuleViolation(ViolationKind.OPEN, session + " of " + visit));
    }
    return near(history, session.left().get(), visit.leaveFrom(), visit.leaveTo())
        ? Optional.empty()
        : Optional.of(new RuleViolation(ViolationKind.INTERVAL, session + " ends unlike " + visit));
  }

  private static boolean near(RoomHistory history, Instant told, Instant from, Instant to) {
    Duration most =
        history.disturbed(from.minus(EXACT), to.plus(EXACT)) ? RoomHistory.BOUND : EXACT;
    return !told.isBefore(from.minus(most)) && !told.isAfter(to.plus(most));
  }
}
