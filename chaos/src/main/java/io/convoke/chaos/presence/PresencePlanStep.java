package io.convoke.chaos.presence;

import java.time.Duration;

/** One planned step. {@code at} counts from the start of the storm. */
sealed interface PresencePlanStep {

  Duration at();

  /** A person opens another connection. */
  record JoinRoom(Duration at, String room, String person) implements PresencePlanStep {}

  /** A person closes their oldest connection. */
  record LeaveRoom(Duration at, String room, String person) implements PresencePlanStep {}
}
