package io.convoke.chaos.sync;

import io.convoke.chaos.sync.rules.SyncCall.SyncDetail;
import java.util.Optional;

/**
 * Fields of a sync record, extracted from its text: parsing every response completely would cost
 * more than requesting it.
 *
 * @param by id of the last update
 */
record ParsedSyncRecord(
    long version, long by, char status, boolean stalled, boolean stale, SyncDetail detail) {
  /** Before any answer. */
  static final ParsedSyncRecord NONE =
      new ParsedSyncRecord(0, 0, 'n', false, false, SyncDetail.NONE);

  /** Empty for a text that is no record. */
  static Optional<ParsedSyncRecord> parse(String body) {
    try {
      return Optional.of(of(body));
    } catch (IllegalArgumentException | IndexOutOfBoundsException malformed) {
      return Optional.empty();
    }
  }

  static ParsedSyncRecord of(String body) {
    long version = Long.parseLong(field(body, "\"version\":"));
    String by = field(body, "\"last_synced_by\":");
    return new ParsedSyncRecord(
        version,
        by.startsWith("\"w") ? Long.parseLong(by.substring(2, by.length() - 1)) : 0,
        field(body, "\"status\":").charAt(1),
        field(body, "\"stalled\":").equals("true"),
        field(body, "\"stale\":").equals("true"),
        new SyncDetail(text(field(body, "\"last_step\":")), text(field(body, "\"updated_at\":"))));
  }

  /** Without its quotes. */
  private static String text(String value) {
    return value.startsWith("\"") ? value.substring(1, value.length() - 1) : "";
  }

  private static String field(String body, String name) {
    int from = body.indexOf(name);
    if (from < 0) {
      throw new IllegalArgumentException("no " + name + " in " + body);
    }
    int begin = from + name.length();
    int end = begin;
    while (body.charAt(end) != ',' && body.charAt(end) != '}') {
      end++;
    }
    return body.substring(begin, end);
  }
}
