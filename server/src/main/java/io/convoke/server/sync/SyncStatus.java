package io.convoke.server.sync;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** The states of seed 003. */
public enum SyncStatus {
  /** Nobody has told of a sync yet; never stored, never posted. */
  NOT_STARTED,
  /** A job is at work, or nobody knows better. */
  IN_PROGRESS,
  /** The meeting has reached its target. */
  SUCCESS,
  /** It has not, and nobody tries any more. */
  FAILURE;

  /** Whether an attempt is over. */
  public boolean terminal() {
    return this == SUCCESS || this == FAILURE;
  }

  /** The word in the database and in JSON. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  static SyncStatus of(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT));
  }

  /** The state of this word, if there is one. */
  static Optional<SyncStatus> known(String word) {
    return Stream.of(values()).filter(status -> status.word().equals(word)).findFirst();
  }
}
