package io.convoke.demo;

import java.time.LocalTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;

/** Prints one line for each event of the demo. */
final class DemoLog {
  private static final DateTimeFormatter CLOCK = DateTimeFormatter.ofPattern("HH:mm:ss");

  private final Map<String, String> titles = new ConcurrentHashMap<>();
  private final UnaryOperator<String> otherwise;

  /** {@code otherwise} maps rooms without a title to one. */
  DemoLog(UnaryOperator<String> otherwise) {
    this.otherwise = otherwise;
  }

  void name(String room, String title) {
    titles.put(room, title);
  }

  String title(String room) {
    return titles.computeIfAbsent(room, otherwise);
  }

  void log(String room, String what) {
    System.out.printf(
        "  %s  %-24s %s%n",
        LocalTime.now(ZoneId.systemDefault()).format(CLOCK), titles.getOrDefault(room, room), what);
  }
}
