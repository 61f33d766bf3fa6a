package io.convoke.server.presence;

import io.convoke.engine.sql.Database;
import io.convoke.server.platform.daily.DailyEvents;
import io.convoke.server.presence.merge.Evidence;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The table that takes webhooks in while Redis is away, and the way out of it: straight into the
 * ledger, without Redis.
 */
final class Inbox {
  private static final int BATCH = 200;

  private final Database database;
  private final Routing routing;
  private final Ledger ledger;
  private final PresenceMeters meters;
  private final PresenceSignals signals;

  Inbox(
      Database database,
      Routing routing,
      Ledger ledger,
      PresenceMeters meters,
      PresenceSignals signals) {
    this.database = database;
    this.routing = routing;
    this.ledger = ledger;
    this.meters = meters;
    this.signals = signals;
  }

  /** Never compared. */
  @SuppressWarnings("ArrayRecordComponent")
  private record Kept(long id, byte[] body, Instant receivedAt) {}

  /** Keeps a body for the feature that drains this source, and wakes the nodes that drain. */
  void put(String source, byte[] body) {
    List<String> _ =
        database.read(
            tx ->
                tx.sql(
                        """
                        with kept as (
                          insert into webhook_inbox (source, body) values (?, ?) returning id)
                        select pg_notify('convoke_inbox', '') from kept
                        """)
                    .with(source, body)
                    .list(row -> ""));
  }

  /** Commits all that waits; answers the meetings that it touched. */
  Set<Long> drain() {
    Set<Long> touched = new LinkedHashSet<>();
    List<Kept> batch = next();
    while (!batch.isEmpty()) {
      touched.addAll(commit(batch));
      Long[] done = batch.stream().map(Kept::id).toArray(Long[]::new);
      int _ =
          database.read(
              tx ->
                  tx.sql("delete from webhook_inbox where id = any(?)")
                      .with((Object) done)
                      .update());
      batch = next();
    }
    return touched;
  }

  private Set<Long> commit(List<Kept> batch) {
    List<Evidence> evidence = new ArrayList<>();
    List<Arrival.Letter> letters = new ArrayList<>();
    for (Kept kept : batch) {
      switch (Arrival.of(DailyEvents.parse(kept.body(), kept.receivedAt()), kept.body())) {
        case Arrival.Witness(Evidence witness) -> evidence.add(witness);
        case Arrival.Letter letter -> letters.add(letter);
        case Arrival.Nothing _ -> {}
      }
    }
    Map<String, List<Meeting>> found = routing.byRoom(evidence);
    Map<Long, List<Evidence>> byMeeting = new LinkedHashMap<>();
    for (Evidence one : evidence) {
      List<Meeting> meetings = found.getOrDefault(one.room(), List.of());
      if (meetings.isEmpty()) {
        letters.add(Routing.homeless(one));
      }
      meetings.forEach(
          meeting -> byMeeting.computeIfAbsent(meeting.id(), id -> new ArrayList<>()).add(one));
    }
    byMeeting.forEach(
        (meeting, witnesses) -> {
          if (ledger.commit(meeting, witnesses) instanceof Ledger.Result.Committed committed) {
            meters.changed(committed.changes());
          }
          signals.drained().emit(meeting);
        });
    routing.keep(letters);
    return byMeeting.keySet();
  }

  private List<Kept> next() {
    return database.read(
        tx ->
            tx.sql(
                    """
                    select id, body, received_at from webhook_inbox where source = ?
                    order by id limit ?
                    """)
                .with(Presence.DAILY_INBOX, BATCH)
                .list(
                    row ->
                        new Kept(row.longAt("id"), row.bytes("body"), row.instant("received_at"))));
  }
}
