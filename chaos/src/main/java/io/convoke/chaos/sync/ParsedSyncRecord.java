package io.convoke.chaos.sync;

/**
 * Fields of a sync record, extracted from its text: parsing every response completely would cost
 * more than requesting it.
 *
 * @param by id of the last update
 */
record ParsedSyncRecord(long version, long by, char status, boolean stale) {

  static ParsedSyncRecord of(String body) {
    long version = Long.parseLong(field(body, "\"version\":"));
    String by = field(body, "\"last_synced_by\":");
    return new ParsedSyncRecord(
        version,
        by.startsWith("\"w") ? Long.parseLong(by.substring(2, by.length() - 1)) : 0,
        field(body, "\"status\":").charAt(1),
        field(body, "\"stale\":").equals("true"));
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
