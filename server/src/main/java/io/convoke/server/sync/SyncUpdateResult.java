package io.convoke.server.sync;

/** The result of an update. */
public sealed interface SyncUpdateResult {
  /** The current record. */
  SyncRecord record();

  /** The update was applied. */
  record SyncUpdated(SyncRecord record, SyncStatus from) implements SyncUpdateResult {}

  /** The update is a duplicate or outdated. */
  record SyncUpdateIgnored(SyncRecord record, String why) implements SyncUpdateResult {}

  /** The update is not allowed. */
  record SyncUpdateRefused(SyncRecord record, String why) implements SyncUpdateResult {}
}
