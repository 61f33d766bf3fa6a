package io.convoke.chaos.sync.rules;

/**
 * A call about one meeting, as its caller saw it.
 *
 * @param node the server process that was called; a restarted one is another node
 * @param kind of the call
 * @param id of an update: its own; of a read: that of the update it showed, 0 before any, -1 if the
 *     response was 304
 * @param version in the response; -1 without
 * @param status in the response, by its first letter
 * @param detail further fields
 * @param start before it was sent, on one monotonic clock for all
 * @param end after the response; {@link Long#MAX_VALUE} without one
 */
public record SyncCall(
    SyncCallKind kind,
    int node,
    long id,
    long version,
    char status,
    SyncDetail detail,
    long start,
    long end) {
  /** A call without details. */
  public SyncCall(
      SyncCallKind kind, int node, long id, long version, char status, long start, long end) {
    this(kind, node, id, version, status, SyncDetail.NONE, start, end);
  }

  /**
   * Further fields of a record.
   *
   * @param step its last step; of an update: that which the caller sent; empty without
   * @param updatedAt by the database's clock, as sent; empty without
   */
  public record SyncDetail(String step, String updatedAt) {
    public static final SyncDetail NONE = new SyncDetail("", "");
  }

  /** Kind of a call. */
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
