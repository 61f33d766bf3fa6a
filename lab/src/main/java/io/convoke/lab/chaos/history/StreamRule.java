package io.convoke.lab.chaos.history;

import io.convoke.lab.chaos.history.Finding.Kind;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The stream is the journal: every event once, in the order of sequences, whatever connections and
 * servers broke meanwhile.
 */
final class StreamRule implements Rule {

  @Override
  public List<Finding> check(History history) {
    List<Finding> findings = new ArrayList<>();
    long last = 0;
    Set<Long> streamed = new HashSet<>();
    for (Told event : history.stream()) {
      if (event.seq() <= last) {
        findings.add(
            new Finding(Kind.SEQUENCE, "the stream brought " + event.seq() + " after " + last));
      }
      last = event.seq();
      streamed.add(event.seq());
    }
    Set<Long> written = new TreeSet<>();
    history.journal().forEach(event -> written.add(event.seq()));
    for (Told event : history.journal()) {
      if (!streamed.contains(event.seq())) {
        findings.add(
            new Finding(Kind.GAP, "the stream left out event " + event.seq() + " " + event.type()));
      }
    }
    for (long seq : streamed) {
      if (!written.contains(seq)) {
        findings.add(
            new Finding(Kind.GAP, "the stream brought " + seq + ", the journal has no such event"));
      }
    }
    return findings;
  }
}
