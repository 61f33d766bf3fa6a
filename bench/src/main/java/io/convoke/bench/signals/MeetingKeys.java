package io.convoke.bench.signals;

/** The keys of one meeting, and of its own ready queue, so that interleavings share nothing. */
record MeetingKeys(String id) {

  String flag() {
    return "meeting_poll_requested:" + id;
  }

  String lock() {
    return "meeting_presence_poll:" + id;
  }

  String state() {
    return "convoke:presence:" + id;
  }

  String evidence() {
    return "convoke:evidence:" + id;
  }

  String ready() {
    return "ready:" + id;
  }

  String wake() {
    return "wake:" + id;
  }

  String rooms() {
    return "rooms:" + id;
  }

  String unrouted() {
    return "unrouted:" + id;
  }

  String events() {
    return "events:" + id + ":";
  }

  static String node(String node) {
    return "convoke:node:" + node;
  }
}
