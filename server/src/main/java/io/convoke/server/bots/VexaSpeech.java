package io.convoke.server.bots;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Who spoke when, in milliseconds of one connection to the transcriber, from the edges that the
 * image saw. Pure. Speech without an end goes on.
 */
record VexaSpeech(List<SpeechEdge> edges) {
  /** A participant began or stopped to speak. Edges are in the order of their time. */
  record SpeechEdge(long atMs, boolean starts, String name) {}

  /** The participant who spoke the longest between two times; the earlier name of equal ones. */
  Optional<String> speaker(long fromMs, long toMs) {
    Map<String, Long> speaking = new HashMap<>();
    Map<String, Long> spoken = new HashMap<>();
    for (SpeechEdge edge : edges) {
      if (edge.starts()) {
        var _ = speaking.putIfAbsent(edge.name(), edge.atMs());
      } else {
        Optional.ofNullable(speaking.remove(edge.name()))
            .ifPresent(since -> add(spoken, edge.name(), since, edge.atMs(), fromMs, toMs));
      }
    }
    speaking.forEach((name, since) -> add(spoken, name, since, toMs, fromMs, toMs));
    return spoken.entrySet().stream()
        .filter(entry -> entry.getValue() > 0)
        .max(
            Map.Entry.<String, Long>comparingByValue()
                .thenComparing(Map.Entry.<String, Long>comparingByKey().reversed()))
        .map(Map.Entry::getKey);
  }

  private static void add(
      Map<String, Long> spoken, String name, long since, long until, long fromMs, long toMs) {
    long overlap = Math.min(until, toMs) - Math.max(since, fromMs);
    var _ = spoken.merge(name, Math.max(0, overlap), Long::sum);
  }
}
