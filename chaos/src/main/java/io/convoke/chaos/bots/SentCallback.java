package io.convoke.chaos.bots;

import java.util.Map;

/** A callback as sent by a bot. */
record SentCallback(String method, String path, String body, Map<String, String> headers) {
  String name() {
    return path.substring(path.lastIndexOf('/') + 1);
  }
}
