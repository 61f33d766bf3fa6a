package io.convoke.chaos.kernel;

import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import io.convoke.chaos.kernel.TenantRule.TenantRead;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A stream equals the part of the journal that its reader may see: every event once, in sequence
 * order and with the same content, across reconnects and restarts, and no event of another user.
 */
public final class StreamRule implements Rule<StreamRule.Streams> {
  /**
   * An event in the journal or in a stream.
   *
   * @param tenant the user it belongs to; 0 for none or in a stream, which does not say
   * @param content type, subject and data, in a form that is equal if they are
   */
  public record SequencedEvent(long seq, long tenant, String content) {}

  /**
   * What one reader received.
   *
   * @param tenant the user who reads; 0 for an admin, who sees all events
   */
  public record ReadStream(String reader, long tenant, List<SequencedEvent> events) {}

  /** All streams of a run and the journal, by sequence, and what the readers read beside it. */
  public record Streams(
      List<ReadStream> streams, List<SequencedEvent> journal, List<TenantRead> reads) {
    public static final Streams NONE = new Streams(List.of(), List.of(), List.of());
  }

  @Override
  public List<RuleViolation> check(Streams streams) {
    List<RuleViolation> findings = new ArrayList<>();
    for (ReadStream stream : streams.streams()) {
      check(stream, streams.journal(), findings);
    }
    return findings;
  }

  private static void check(
      ReadStream stream, List<SequencedEvent> journal, List<RuleViolation> findings) {
    String name = "the stream of " + stream.reader();
    Map<Long, SequencedEvent> written = new HashMap<>();
    journal.forEach(event -> written.put(event.seq(), event));
    Map<Long, SequencedEvent> streamed = new HashMap<>();
    long last = 0;
    for (SequencedEvent event : stream.events()) {
      if (event.seq() <= last) {
        findings.add(
            ViolationKind.SEQUENCE.found(name + " delivered " + event.seq() + " after " + last));
      }
      last = event.seq();
      streamed.put(event.seq(), event);
      SequencedEvent entry = written.get(event.seq());
      if (entry == null) {
        findings.add(
            ViolationKind.GAP.found(
                name + " delivered " + event.seq() + ", the journal does not have it"));
      } else if (stream.tenant() != 0 && entry.tenant() != stream.tenant()) {
        findings.add(ViolationKind.ILLEGAL.found(name + " has another user's event: " + entry));
      } else if (!entry.content().equals(event.content())) {
        findings.add(
            ViolationKind.ILLEGAL.found(
                name + " delivered " + event + ", the journal has " + entry));
      }
    }
    for (SequencedEvent entry : journal) {
      boolean visible = stream.tenant() == 0 || stream.tenant() == entry.tenant();
      if (visible && !streamed.containsKey(entry.seq())) {
        findings.add(ViolationKind.GAP.found(name + " did not deliver " + entry));
      }
    }
  }
}
