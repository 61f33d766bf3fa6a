package io.convoke.chaos.sync;

/**
 * What a record shows, picked out of its text: parsing each answer whole would cost more than
 * asking for it.
 *
 * @param by whose update it was last
 */
record ParsedSyncRecord(long version, long by, char status, boolean stale) {

  static ParsedSyncRecord of(String body) {
    long version = Long.parseLong(word(body, "\"version\":"));
    String by = word(body, "\"last_synced_by\":");
    return new ParsedSyncRecord(
        version,
        by.startsWith("\"w") ? Long.parseLong(by.substring(2, by.length() - 1)) : 0,
        word(body, "\"status\":").charAt(1),
        word(body, "\"stale\":").equals("true"));
  }

  private static String word(String body, String name) {
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
