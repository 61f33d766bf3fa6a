package io.convoke.server.sync;

/** What became of an update. */
public sealed interface SyncUpdateResult {
  /** The sync as it stands now. */
  SyncRecord record();

  /** It counts. */
  record SyncUpdated(SyncRecord record, SyncStatus from) implements SyncUpdateResult {}

  /** It is known, or too old to matter. */
  record SyncUpdateIgnored(SyncRecord record, String why) implements SyncUpdateResult {}

  /** It cannot be. */
  record SyncUpdateRefused(SyncRecord record, String why) implements SyncUpdateResult {}
}
