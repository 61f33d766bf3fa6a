package io.convoke.server.sync;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The states of a sync (sync-1). */
public enum SyncStatus {
  /** No update yet; never stored, never posted. */
  NOT_STARTED,
  /** A job is running, as far as known. */
  IN_PROGRESS,
  /** The meeting has reached its target. */
  SUCCESS,
  /** The meeting has not reached its target, and no job is running. */
  FAILURE;

  private static final Map<String, SyncStatus> BY_NAME =
      Stream.of(values()).collect(Collectors.toUnmodifiableMap(SyncStatus::wireName, it -> it));

  /** Whether an attempt is over. */
  public boolean terminal() {
    return this == SUCCESS || this == FAILURE;
  }

  /** The name in the database and in JSON. */
  public String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }

  static SyncStatus of(String value) {
    return known(value).orElseThrow(() -> new IllegalArgumentException("no state: " + value));
  }

  /** The state with this name, if there is one. */
  static Optional<SyncStatus> known(String value) {
    return Optional.ofNullable(BY_NAME.get(value));
  }
}
