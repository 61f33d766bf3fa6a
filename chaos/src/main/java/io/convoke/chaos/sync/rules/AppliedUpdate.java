package io.convoke.chaos.sync.rules;

import io.convoke.chaos.sync.rules.SyncCall.SyncDetail;

/**
 * An applied update in the journal.
 *
 * @param id of the update
 * @param from the status before, by its first letter
 * @param status after it
 */
public record AppliedUpdate(
    long version, long id, char from, char status, long attempts, SyncDetail detail) {
  /** An update without details. */
  public AppliedUpdate(long version, long id, char from, char status, long attempts) {
    this(version, id, from, status, attempts, SyncDetail.NONE);
  }
}
