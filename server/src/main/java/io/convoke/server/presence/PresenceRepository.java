package io.convoke.server.presence;

import io.convoke.engine.journal.Journal;
import io.convoke.engine.journal.NewJournalEvent;
import io.convoke.engine.sql.BatchResults;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Query;
import io.convoke.engine.sql.ResultRow;
import io.convoke.engine.sql.Tx;
import io.convoke.server.meetings.PostMeetingOrder;
import io.convoke.server.platform.MeetingAttendance.Attendee;
import io.convoke.server.platform.PresenceEvent;
import io.convoke.server.platform.RoomPresence;
import io.convoke.server.presence.TrackedMeetingMonitor.MeetingEnd;
import io.convoke.server.presence.merge.ChangeSource;
import io.convoke.server.presence.merge.ConnectionIds;
import io.convoke.server.presence.merge.MeetingBegin;
import io.convoke.server.presence.merge.MergeDecision;
import io.convoke.server.presence.merge.MergeDecision.PresenceChange;
import io.convoke.server.presence.merge.ParticipantSession;
import io.convoke.server.presence.merge.PresenceMerge;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The single writer of presence: {@code presence}, which holds the epoch of each meeting's writers,
 * {@code presence_events}, the ids of the events that were applied, and the sessions. A writer
 * first raises the epoch of the meeting's row; the commit compares it, so a fenced writer writes
 * nothing. Sessions, count and journal change in one transaction.
 *
 * <p>A commit takes three round trips to Postgres: one batch of reads, one batch of writes, and the
 * commit.
 */
final class PresenceRepository {

  /**
   * The columns of a {@link RaisedEpoch} in {@code meetings m}. The start of a meeting that a rule
   * began is that of its first visit. The visits in its room are its own since the claim and since
   * the end of the user's meeting before it, as where it was begun.
   */
  private static final String MEETING =
      """
      m.id, m.user_id, m.platform, m.platform_specific_id, m.status, m.tracked,
      coalesce(m.end_time, now()) as end_time,
      m.tracked and coalesce(m.start_time < m.created_at, false) as by_rule,
      case when m.tracked and m.start_time < m.created_at then greatest(
        (select max(b.end_time) from meetings b
         where b.platform = m.platform and b.platform_specific_id = m.platform_specific_id
           and b.user_id = m.user_id and b.id < m.id
           and (b.tracked or b.end_time <= m.start_time)),
        coalesce(
          (select c.opens_at from room_claim(m.platform, m.platform_specific_id) c
           where c.user_id = m.user_id and c.opens_at <= m.created_at),
          m.start_time))
      else m.created_at end as began,
      (select c.opens_at from room_claim_for(m.platform, m.platform_specific_id, m.user_id) c
       where c.user_id = m.user_id) as opens_at
      """;

  private final Database database;
  private final Journal journal;
  private final Duration reconcileInterval;
  private final InstantSource time;
  private final SessionQueries sessions = new SessionQueries();

  PresenceRepository(
      Database database, Journal journal, Duration reconcileInterval, InstantSource time) {
    this.database = database;
    this.journal = journal;
    this.reconcileInterval = reconcileInterval;
    this.time = time;
  }

  /**
   * The right to write one meeting's presence, until another writer raises the epoch again.
   *
   * @param provenAt the last complete snapshot that was committed
   * @param end end time of the meeting; now while it has none
   */
  record RaisedEpoch(
      PresenceMeeting meeting,
      long number,
      Optional<Instant> provenAt,
      MeetingBegin begin,
      Instant end) {
    private static RaisedEpoch of(ResultRow resultRow) {
      Instant began = resultRow.instant("began");
      return new RaisedEpoch(
          MeetingQueries.meeting(resultRow),
          resultRow.longAt("epoch"),
          resultRow.maybeInstant("polled_at"),
          resultRow.booleanAt("by_rule")
              ? MeetingBegin.byRule(began)
              : MeetingBegin.askedFor(began, resultRow.maybeInstant("opens_at")),
          resultRow.instant("end_time"));
    }
  }

  /** The result of a commit of events. */
  sealed interface EventsResult permits Committed, Over {}

  /** The result of a commit of a snapshot. */
  sealed interface SnapshotResult permits Committed, Stale {}

  /** Committed; a following poll may reuse {@code epoch}. */
  record Committed(RaisedEpoch epoch, List<PresenceChange> changes, Optional<Instant> confirmAt)
      implements EventsResult, SnapshotResult {}

  /** Another writer raised the epoch; nothing was written. */
  record Stale() implements SnapshotResult {}

  /** The meeting is not live or unknown; the sessions of a terminal one are closed. */
  record Over(Optional<PresenceMeeting> meeting, List<PresenceChange> changes)
      implements EventsResult {
    private static Over unknown() {
      return new Over(Optional.empty(), List.of());
    }
  }

  /**
   * The input of a merge; {@code fresh} are the events of the meeting's visits that no earlier
   * commit applied.
   */
  private record Facts(
      RaisedEpoch epoch, List<ParticipantSession> known, List<PresenceEvent> fresh) {}

  /** Raises the epoch; empty when there is no such meeting. */
  Optional<RaisedEpoch> raise(long meeting) {
    return database.read(tx -> raise(tx, meeting).first(RaisedEpoch::of));
  }

  /**
   * Commits events, raising the epoch in the same transaction.
   *
   * @param snapshot all participants, if a bot saw the whole room after the events
   */
  EventsResult commit(
      long meeting,
      List<PresenceEvent> events,
      Optional<RoomPresence> snapshot,
      ChangeSource changeSource) {
    return database.transaction(
        tx ->
            load(tx, raise(tx, meeting), meeting, events, mentioned(events, snapshot))
                .<EventsResult>map(
                    facts ->
                        facts.epoch().meeting().live()
                            ? write(tx, facts, snapshot, changeSource, Optional.empty())
                            : over(tx, facts))
                .orElseGet(Over::unknown));
  }

  /** Commits the snapshot of a poll, if no other writer raised the epoch since. */
  SnapshotResult commit(RaisedEpoch epoch, RoomPresence shown, PollJournal.PollRecord pollRecord) {
    Optional<RoomPresence> snapshot = Optional.of(shown);
    return database.transaction(
        tx ->
            load(
                    tx,
                    fence(tx, epoch),
                    epoch.meeting().id(),
                    List.of(),
                    mentioned(List.of(), snapshot))
                .<SnapshotResult>map(
                    facts ->
                        write(
                            tx,
                            facts,
                            snapshot,
                            pollRecord.trigger().source(),
                            Optional.of(pollRecord)))
                .orElseGet(Stale::new));
  }

  /** Applies the pending events and closes the open sessions of a terminal meeting. */
  Over finish(long meeting, List<PresenceEvent> events) {
    return database.transaction(
        tx ->
            load(tx, raise(tx, meeting), meeting, events, mentioned(events, Optional.empty()))
                .map(facts -> over(tx, facts))
                .orElseGet(Over::unknown));
  }

  /**
   * Completes a tracked meeting that ended on the platform, with its sessions and those of further
   * attendees; false when it is not active any more or a participant joined after that end.
   */
  boolean complete(long meeting, MeetingEnd end, List<Attendee> attendees) {
    return database.transaction(
        tx -> {
          List<String> ids = attendees.stream().map(it -> it.participant().sessionId()).toList();
          Optional<Facts> facts = load(tx, raise(tx, meeting), meeting, List.of(), ids);
          if (facts.isEmpty()) {
            return false;
          }
          Instant last = lastOf(end.at(), facts.get().known(), attendees);
          if (!TrackedMeetingEnd.write(tx, meeting, new MeetingEnd(last, end.reason()))) {
            return false;
          }
          Over _ = close(tx, facts.get(), attendees, last);
          PostMeetingOrder.order(tx, meeting);
          journal.append(
              tx, List.of(TrackedMeetingEnd.event(facts.get().epoch().meeting(), end.reason())));
          return true;
        });
  }

  /** The end of a meeting in which visits that no session shows may have lasted longer. */
  private static Instant lastOf(
      Instant end, List<ParticipantSession> known, List<Attendee> attendees) {
    Set<String> shown =
        known.stream().map(ParticipantSession::sessionId).collect(Collectors.toSet());
    return attendees.stream()
        .filter(attendee -> !shown.contains(attendee.participant().sessionId()))
        .map(Attendee::leftAt)
        .filter(end::isBefore)
        .max(Comparator.naturalOrder())
        .orElse(end);
  }

  /** Marks meetings as confirmed: the bulk snapshot agreed with their sessions. */
  void prove(Collection<Long> meetings, Instant at) {
    database.run(
        tx -> {
          int _ =
              tx.sql(
                      """
                      update presence set
                        as_of = greatest(as_of, ?), polled_at = ?, source = 'bulk', due_at = ?
                      where meeting_id = any(?) and (polled_at is null or polled_at < ?)
                      """)
                  .with(at, at, at.plus(reconcileInterval), meetings.toArray(Long[]::new), at)
                  .update();
        });
  }

  /** Polls a meeting from the due list again after this time, unless it is due earlier. */
  void retry(long meeting, Duration wait) {
    int _ =
        database.read(
            tx ->
                tx.sql(
                        """
                        update presence
                        set due_at = least(due_at, now() + ? * interval '1 millisecond')
                        where meeting_id = ?
                        """)
                    .with(wait, meeting)
                    .update());
  }

  /** Adds meetings that became live to the due list. */
  void open(Collection<Long> meetings) {
    // A transaction, which is repeated after a deadlock: others may open the same in another order.
    database.run(
        tx -> {
          int _ =
              tx.sql(
                      """
                      insert into presence (meeting_id) select unnest(?::bigint[])
                      on conflict do nothing
                      """)
                  .with((Object) meetings.toArray(Long[]::new))
                  .update();
        });
  }

  /** Appends an event to the journal that changed no session. */
  void append(NewJournalEvent event) {
    database.run(tx -> journal.append(tx, List.of(event)));
  }

  /**
   * Raises the epoch and locks the row until the transaction ends; empty without such a meeting.
   */
  private static Query raise(Tx tx, long meeting) {
    return tx.sql(
            """
            with meeting as (
              select %s from meetings m where m.id = ?
            ), raised as (
              insert into presence (meeting_id, epoch) select id, 1 from meeting
              on conflict (meeting_id) do update set epoch = presence.epoch + 1
              returning epoch, polled_at
            )
            select meeting.*, raised.* from meeting, raised
            """
                .formatted(MEETING))
        .with(meeting);
  }

  /** Locks the row if it has this epoch; empty otherwise. */
  private static Query fence(Tx tx, RaisedEpoch epoch) {
    return tx.sql(
            """
            select %s, p.epoch, p.polled_at
            from presence p join meetings m on m.id = p.meeting_id
            where p.meeting_id = ? and p.epoch = ? for update of p
            """
                .formatted(MEETING))
        .with(epoch.meeting().id(), epoch.number());
  }

  /** Reads the input of a merge in one batch; empty when {@code holding} locked no row. */
  private Optional<Facts> load(
      Tx tx,
      Query holding,
      long meeting,
      List<PresenceEvent> events,
      Collection<String> mentioned) {
    List<Query> queries = new ArrayList<>();
    queries.add(holding);
    queries.add(sessions.known(tx, meeting, mentioned));
    if (!events.isEmpty()) {
      queries.add(
          tx.sql("select event_id from presence_events where event_id = any(?)")
              .with((Object) marks(meeting, events)));
    }
    return tx.queryTogether(queries, batchResults -> facts(batchResults, meeting, events));
  }

  private static Optional<Facts> facts(
      BatchResults batchResults, long meeting, List<PresenceEvent> events) {
    Optional<RaisedEpoch> epoch = batchResults.first(RaisedEpoch::of);
    List<ParticipantSession> known = batchResults.list(SessionQueries::session);
    Set<String> applied =
        events.isEmpty()
            ? Set.of()
            : new HashSet<>(batchResults.list(resultRow -> resultRow.text("event_id")));
    List<PresenceEvent> fresh =
        events.stream().filter(event -> applied.add(mark(meeting, event))).toList();
    return epoch.map(
        it ->
            new Facts(
                it,
                known,
                it.begin().own(fresh, known, ConnectionIds.of(it.meeting().platform()))));
  }

  private Committed write(
      Tx tx,
      Facts facts,
      Optional<RoomPresence> snapshot,
      ChangeSource changeSource,
      Optional<PollJournal.PollRecord> poll) {
    PresenceMeeting presenceMeeting = facts.epoch().meeting();
    Optional<Instant> provenAt = facts.epoch().provenAt();
    Optional<Instant> proven =
        snapshot
            .filter(RoomPresence.RoomPresenceComplete.class::isInstance)
            .map(RoomPresence::fetchedAt);
    boolean first = provenAt.isEmpty() && proven.isPresent();
    MergeDecision mergeDecision =
        PresenceMerge.decide(
            facts.known(),
            provenAt,
            facts.fresh(),
            snapshot,
            changeSource,
            ConnectionIds.of(presenceMeeting.platform()));
    List<NewJournalEvent> entries = ParticipantEventData.entries(presenceMeeting, mergeDecision);
    entries.addAll(WaitingEventData.entries(presenceMeeting, facts.fresh()));
    poll.flatMap(it -> PollJournal.polled(presenceMeeting, it, first, mergeDecision))
        .ifPresent(entries::add);
    List<Query> queries = changes(tx, facts, mergeDecision, entries);
    queries.add(
        stamp(
            tx,
            presenceMeeting.id(),
            proven,
            facts.fresh().stream().map(PresenceEvent::at).max(Instant::compareTo),
            snapshot,
            changeSource,
            mergeDecision.confirmAt()));
    tx.commit(queries);
    return new Committed(facts.epoch(), mergeDecision.changes(), mergeDecision.confirmAt());
  }

  /** Handles a meeting that is not live; closes the sessions of a terminal one. */
  private Over over(Tx tx, Facts facts) {
    PresenceMeeting presenceMeeting = facts.epoch().meeting();
    return presenceMeeting.terminal()
        ? close(tx, facts, List.of(), facts.epoch().end())
        : new Over(Optional.of(presenceMeeting), List.of());
  }

  /** Closes the sessions and takes the meeting off the due list. */
  private Over close(Tx tx, Facts facts, List<Attendee> attendees, Instant end) {
    PresenceMeeting presenceMeeting = facts.epoch().meeting();
    MergeDecision mergeDecision =
        PresenceMerge.finish(
            facts.known(),
            facts.fresh(),
            attendees,
            end,
            ConnectionIds.of(presenceMeeting.platform()));
    List<Query> queries =
        changes(
            tx, facts, mergeDecision, ParticipantEventData.entries(presenceMeeting, mergeDecision));
    queries.add(
        tx.sql("update presence set due_at = 'infinity' where meeting_id = ?")
            .with(presenceMeeting.id()));
    tx.run(queries);
    return new Over(Optional.of(presenceMeeting), mergeDecision.changes());
  }

  /** The writes of event ids, sessions and journal entries. */
  private List<Query> changes(
      Tx tx, Facts facts, MergeDecision mergeDecision, List<NewJournalEvent> entries) {
    long meeting = facts.epoch().meeting().id();
    List<Query> queries = new ArrayList<>();
    if (!facts.fresh().isEmpty()) {
      queries.add(
          tx.sql(
                  """
                  insert into presence_events (event_id) select unnest(?::text[])
                  on conflict do nothing
                  """)
              .with((Object) marks(meeting, facts.fresh())));
    }
    queries.addAll(sessions.write(tx, meeting, mergeDecision));
    queries.addAll(journal.entries(tx, entries));
    return queries;
  }

  /**
   * Updates when the sessions were confirmed and when the next poll is due.
   *
   * @param proven when a complete snapshot was taken, if one was
   * @param latestEvent the latest time of the events
   * @param snapshot empty if none was requested
   */
  private Query stamp(
      Tx tx,
      long meeting,
      Optional<Instant> proven,
      Optional<Instant> latestEvent,
      Optional<RoomPresence> snapshot,
      ChangeSource changeSource,
      Optional<Instant> confirmAt) {
    Instant due = time.instant().plus(snapshot.isPresent() ? reconcileInterval : Duration.ZERO);
    Optional<Instant> asOf = proven.or(() -> latestEvent);
    return tx.sql(
            """
            update presence set
              as_of = greatest(as_of, ?::timestamptz),
              source = case when ?::timestamptz is null then source else ? end,
              polled_at = coalesce(?::timestamptz, polled_at),
              platform_session = coalesce(?, platform_session),
              due_at = case when ? then 'infinity' else ?::timestamptz end
            where meeting_id = ?
            """)
        .with(
            asOf,
            asOf,
            changeSource.text(),
            proven,
            snapshot.flatMap(RoomPresence::platformSession),
            // A meeting that only a bot observes cannot be polled.
            changeSource == ChangeSource.BOT,
            confirmAt.filter(at -> at.isBefore(due)).orElse(due),
            meeting);
  }

  /** The deduplication id: an event is applied once to each meeting of its room. */
  private static String mark(long meeting, PresenceEvent event) {
    return meeting + ":" + event.eventId();
  }

  private static String[] marks(long meeting, List<PresenceEvent> events) {
    return events.stream().map(event -> mark(meeting, event)).distinct().toArray(String[]::new);
  }

  /** The sessions that the events and the snapshot name. */
  private static Set<String> mentioned(
      List<PresenceEvent> events, Optional<RoomPresence> snapshot) {
    Set<String> ids = new LinkedHashSet<>();
    events.forEach(event -> ids.add(event.sessionId()));
    snapshot.ifPresent(it -> it.participants().forEach(person -> ids.add(person.sessionId())));
    return ids;
  }
}
