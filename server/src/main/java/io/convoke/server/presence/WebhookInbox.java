package io.convoke.server.presence;

import io.convoke.engine.sql.Database;
import io.convoke.server.platform.PresenceEvent;
import io.convoke.server.presence.merge.ChangeSource;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The table that buffers webhooks while Redis is unreachable; drained into the repository without
 * Redis.
 */
final class WebhookInbox {
  private static final int BATCH = 200;

  private final Database database;
  private final String source;
  private final InboxParser parser;
  private final UnroutedEventResolver resolver;
  private final WebhookDeadLetterStore deadLetterStore;
  private final PresenceRepository repository;
  private final PresenceMetrics meters;
  private final PresenceTestSignals signals;

  WebhookInbox(
      Database database,
      String source,
      InboxParser parser,
      UnroutedEventResolver resolver,
      WebhookDeadLetterStore deadLetterStore,
      PresenceRepository repository,
      PresenceMetrics meters,
      PresenceTestSignals signals) {
    this.database = database;
    this.source = source;
    this.parser = parser;
    this.resolver = resolver;
    this.deadLetterStore = deadLetterStore;
    this.repository = repository;
    this.meters = meters;
    this.signals = signals;
  }

  /** Never compared. */
  @SuppressWarnings("ArrayRecordComponent")
  private record InboxEntry(long id, byte[] body, Instant receivedAt) {}

  /** Inserts a body for the given source and notifies the nodes that drain it. */
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
                    .list(resultRow -> ""));
  }

  /** Commits all rows; returns the affected meetings. */
  Set<Long> drain() {
    Set<Long> touched = new LinkedHashSet<>();
    List<InboxEntry> batch = next();
    while (!batch.isEmpty()) {
      touched.addAll(commit(batch));
      Long[] done = batch.stream().map(InboxEntry::id).toArray(Long[]::new);
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

  private Set<Long> commit(List<InboxEntry> batch) {
    List<PresenceEvent> events = new ArrayList<>();
    List<DeadLetter> deadLetters = new ArrayList<>();
    for (InboxEntry inboxEntry : batch) {
      InboxParser.InboxContent content = parser.read(inboxEntry.body(), inboxEntry.receivedAt());
      events.addAll(content.events());
      deadLetters.addAll(content.letters());
    }
    Map<String, List<PresenceMeeting>> found = resolver.byRoom(events);
    Map<Long, List<PresenceEvent>> byMeeting = new LinkedHashMap<>();
    for (PresenceEvent event : events) {
      List<PresenceMeeting> meetings = found.getOrDefault(event.room(), List.of());
      if (meetings.isEmpty()) {
        deadLetters.add(DeadLetter.unknownRoom(event));
      }
      meetings.forEach(
          presenceMeeting ->
              byMeeting.computeIfAbsent(presenceMeeting.id(), id -> new ArrayList<>()).add(event));
    }
    byMeeting.forEach(
        (meeting, some) -> {
          if (repository.commit(meeting, some, Optional.empty(), ChangeSource.WEBHOOK)
              instanceof PresenceRepository.Committed committed) {
            meters.changed(committed.changes());
          }
          signals.drained().emit(meeting);
        });
    deadLetterStore.add(deadLetters);
    return byMeeting.keySet();
  }

  private List<InboxEntry> next() {
    return database.read(
        tx ->
            tx.sql(
                    """
                    select id, body, received_at from webhook_inbox where source = ?
                    order by id limit ?
                    """)
                .with(source, BATCH)
                .list(
                    resultRow ->
                        new InboxEntry(
                            resultRow.longAt("id"),
                            resultRow.bytes("body"),
                            resultRow.instant("received_at"))));
  }
}
