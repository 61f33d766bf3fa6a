package io.convoke.engine.durable.postgres;

import io.convoke.engine.durable.postgres.QueueSnapshot.QueueKind;
import java.util.Set;

/** What a commit writes to, and so which dispatchers it wakes. */
sealed interface WakeTarget {
  /** A queue with all its pools. */
  record WholeQueue(QueueKind queueKind) implements WakeTarget {}

  /** The pools of some jobs. */
  record JobPools(Set<String> pools) implements WakeTarget {}
}
