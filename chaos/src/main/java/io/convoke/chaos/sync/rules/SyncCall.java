package io.convoke.chaos.sync.rules;

/**
 * One call about one meeting, as its caller saw it.
 *
 * @param node the server process that was called; a restarted one is another node
 * @param kind what was asked
 * @param id of an update: its own; of a read: whose update it showed, 0 before any, -1 if the
 *     answer was 304
 * @param version that was answered; -1 if no answer said
 * @param status that was shown, by its first letter
 * @param start before it was sent, on one monotonic clock for all
 * @param end after it was answered; {@link Long#MAX_VALUE} if it never was
 */
public record SyncCall(
    SyncCallKind kind, int node, long id, long version, char status, long start, long end) {
  /** What a call was. */
  public enum SyncCallKind {
    /** An update. */
    WRITE,
    /** A read. */
    READ,
    /** A read that is marked as stale. */
    STALE_READ
  }

  boolean answered() {
    return end != Long.MAX_VALUE;
  }
}
