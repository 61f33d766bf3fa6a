package io.convoke.server.sync;

/** What became of an update. */
public sealed interface Applied {
  /** The sync as it stands now. */
  SyncRecord record();

  /** It counts. */
  record Moved(SyncRecord record, SyncStatus from) implements Applied {}

  /** It is known, or too old to matter. */
  record Unchanged(SyncRecord record, String why) implements Applied {}

  /** It cannot be. */
  record Refused(SyncRecord record, String why) implements Applied {}
}
