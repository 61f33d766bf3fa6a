package io.convoke.server.presence;

import io.convoke.engine.journal.Journal;
import io.convoke.engine.journal.NewEvent;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Tx;
import io.convoke.server.meetings.PostMeeting;
import io.convoke.server.platform.Participant;
import io.convoke.server.platform.RoomPresence;
import io.convoke.server.presence.Decision.Change;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The single writer of presence. A writer first raises the epoch of the meeting's row; a commit
 * compares it, so whoever was overtaken writes nothing. Sessions, count and journal change in one
 * transaction or not at all.
 */
final class Ledger {

  private final Database database;
  private final Journal journal;
  private final SessionRows sessions = new SessionRows();
  private final Duration reconcileInterval;
  private final InstantSource time;

  Ledger(Database database, Journal journal, Duration reconcileInterval, InstantSource time) {
    this.database = database;
    this.journal = journal;
    this.reconcileInterval = reconcileInterval;
    this.time = time;
  }

  /** The right to write one meeting's presence, until somebody raises the epoch again. */
  record Raised(Meeting meeting, long epoch) {}

  /** What a commit did. */
  sealed interface Result {

    record Committed(List<Change> changes, Optional<Instant> confirmAt) implements Result {}

    /** Another writer raised the epoch; nothing was written. */
    record Stale() implements Result {}

    /** The meeting is over or unknown; its sessions are closed. */
    record Over(Optional<Meeting> meeting, List<Change> changes) implements Result {}
  }

  /** Raises the epoch; empty when there is no such meeting. */
  Optional<Raised> raise(long meeting) {
    return database.read(tx -> raise(tx, meeting));
  }

  /** Commits evidence alone, raising the epoch in the same transaction. */
  Result commit(long meeting, List<Evidence> evidence) {
    return commit(meeting, evidence, Optional.empty(), Source.WEBHOOK);
  }

  /** Commits what a bot in the room saw, raising the epoch in the same transaction. */
  Result witnessed(long meeting, List<Evidence> evidence, Optional<RoomPresence> everybody) {
    return commit(meeting, evidence, everybody, Source.BOT);
  }

  private Result commit(
      long meeting, List<Evidence> evidence, Optional<RoomPresence> snapshot, Source source) {
    return database.transaction(
        tx ->
            raise(tx, meeting)
                .<Result>map(
                    raised ->
                        raised.meeting().live()
                            ? write(tx, raised, evidence, snapshot, source, Optional.empty())
                            : over(tx, raised.meeting(), evidence))
                .orElseGet(() -> new Result.Over(Optional.empty(), List.of())));
  }

  /** Commits a snapshot and the evidence that was claimed with it, if the epoch is still ours. */
  Result commit(
      Raised raised, List<Evidence> evidence, RoomPresence snapshot, PollEvents.Poll poll) {
    return database.transaction(
        tx -> {
          boolean ours =
              tx.sql("select 1 from presence where meeting_id = ? and epoch = ? for update")
                  .with(raised.meeting().id(), raised.epoch())
                  .first(row -> true)
                  .isPresent();
          return ours
              ? write(
                  tx,
                  raised,
                  evidence,
                  Optional.of(snapshot),
                  poll.trigger().source(),
                  Optional.of(poll))
              : new Result.Stale();
        });
  }

  /** Closes what is open of a terminal meeting, with the evidence that still waited. */
  Result finish(long meeting, List<Evidence> evidence) {
    return database.transaction(
        tx ->
            raise(tx, meeting)
                .map(raised -> over(tx, raised.meeting(), evidence))
                .orElseGet(() -> new Result.Over(Optional.empty(), List.of())));
  }

  /**
   * Completes a tracked meeting that ended on the platform, with its sessions; false when it is not
   * active any more or somebody came after that end.
   */
  boolean complete(long meeting, Instant endedAt) {
    return database.transaction(
        tx -> {
          Optional<Raised> raised = raise(tx, meeting);
          int completed =
              tx.sql(
                      """
                      update meetings set status = 'completed', end_time = ?, updated_at = now(),
                        state_entered_at = now(), version = version + 1
                      where id = ? and tracked and status = 'active' and not exists (
                        select 1 from participant_sessions s
                        where s.meeting_id = meetings.id and s.left_at is null and s.joined_at > ?)
                      """)
                  .with(endedAt, meeting, endedAt)
                  .update();
          if (raised.isEmpty() || completed == 0) {
            return false;
          }
          Meeting ended = raised.get().meeting();
          Result _ = finish(tx, ended, List.of());
          PostMeeting.order(tx, meeting);
          journal.append(
              tx,
              List.of(
                  NewEvent.of(
                      "meeting.status_changed",
                      "meeting:" + meeting,
                      Optional.of(ended.userId()),
                      new Completed(
                          meeting,
                          ended.userId(),
                          "active",
                          "completed",
                          "platform_ended",
                          "ended",
                          "presence",
                          1))));
          return true;
        });
  }

  /** The data of a tracked meeting's end, in the form of every status change. */
  record Completed(
      long meetingId,
      long userId,
      String from,
      String to,
      String reason,
      String event,
      String actor,
      int attempt) {}

  /** The domain's answer agreed with what we hold: it is proven, without any change. */
  void prove(Collection<Long> meetings, Instant at) {
    int _ =
        database.read(
            tx ->
                tx.sql(
                        """
                        update presence set as_of = ?, polled_at = ?, source = 'bulk', due_at = ?
                        where meeting_id = any(?) and (polled_at is null or polled_at < ?)
                        """)
                    .with(at, at, at.plus(reconcileInterval), meetings.toArray(Long[]::new), at)
                    .update());
  }

  /** Rows for meetings that became live, so that the due list knows them. */
  void open(Collection<Long> meetings) {
    int _ =
        database.read(
            tx ->
                tx.sql(
                        """
                        insert into presence (meeting_id) select unnest(?::bigint[])
                        on conflict do nothing
                        """)
                    .with((Object) meetings.toArray(Long[]::new))
                    .update());
  }

  private Optional<Raised> raise(Tx tx, long meeting) {
    return tx.sql(
            """
            with meeting as (
              select id, user_id, platform, platform_specific_id, status, tracked
              from meetings where id = ?
            ), raised as (
              insert into presence (meeting_id, epoch) select id, 1 from meeting
              on conflict (meeting_id) do update set epoch = presence.epoch + 1
              returning epoch
            )
            select meeting.*, raised.epoch from meeting, raised
            """)
        .with(meeting)
        .first(row -> new Raised(MeetingRows.meeting(row), row.longAt("epoch")));
  }

  private Result write(
      Tx tx,
      Raised raised,
      List<Evidence> evidence,
      Optional<RoomPresence> snapshot,
      Source source,
      Optional<PollEvents.Poll> poll) {
    long meeting = raised.meeting().id();
    List<Evidence> fresh = unseen(tx, meeting, evidence);
    Optional<Instant> provenAt =
        tx.sql("select polled_at from presence where meeting_id = ?")
            .with(meeting)
            .one(row -> row.maybeInstant("polled_at"));
    Decision decision =
        Merge.decide(
            sessions.known(tx, meeting, mentioned(fresh, snapshot)),
            provenAt,
            fresh,
            snapshot,
            source);
    int present = apply(tx, raised.meeting(), decision);
    poll.flatMap(
            it ->
                PollEvents.polled(
                    raised.meeting(),
                    it,
                    provenAt.isEmpty() && snapshot.filter(Ledger::complete).isPresent(),
                    decision,
                    present))
        .ifPresent(event -> journal.append(tx, List.of(event)));
    stamp(tx, meeting, fresh, snapshot, source, decision.confirmAt());
    return new Result.Committed(decision.changes(), decision.confirmAt());
  }

  /** A meeting that is no longer live; only a terminal one is closed. */
  private Result over(Tx tx, Meeting meeting, List<Evidence> evidence) {
    return meeting.terminal()
        ? finish(tx, meeting, evidence)
        : new Result.Over(Optional.of(meeting), List.of());
  }

  private Result finish(Tx tx, Meeting meeting, List<Evidence> evidence) {
    Instant end =
        tx.sql("select coalesce(end_time, now()) as end_time from meetings where id = ?")
            .with(meeting.id())
            .one(row -> row.instant("end_time"));
    List<Evidence> fresh = unseen(tx, meeting.id(), evidence);
    Decision decision =
        Merge.finish(
            sessions.known(tx, meeting.id(), mentioned(fresh, Optional.empty())), fresh, end);
    int _ = apply(tx, meeting, decision);
    int _ =
        tx.sql("update presence set due_at = 'infinity' where meeting_id = ?")
            .with(meeting.id())
            .update();
    return new Result.Over(Optional.of(meeting), decision.changes());
  }

  /** Writes a decision; answers how many are there then. */
  private int apply(Tx tx, Meeting meeting, Decision decision) {
    // Closes go first: a connection has at most one open stay.
    sessions.close(tx, meeting.id(), decision.closes());
    sessions.upsert(tx, meeting.id(), decision.upserts());
    int present = sessions.count(tx, meeting.id());
    journal.append(
        tx,
        decision.changes().stream().map(change -> Noted.event(meeting, change, present)).toList());
    return present;
  }

  /** Tells of something that changed no session. */
  void tell(NewEvent event) {
    database.run(tx -> journal.append(tx, List.of(event)));
  }

  /** Remembers the events of this commit; answers those that no earlier commit applied. */
  private static List<Evidence> unseen(Tx tx, long meeting, List<Evidence> evidence) {
    if (evidence.isEmpty()) {
      return List.of();
    }
    Set<String> ids = new LinkedHashSet<>();
    evidence.forEach(one -> ids.add(mark(meeting, one)));
    Set<String> fresh =
        Set.copyOf(
            tx.sql(
                    """
                    insert into presence_events (event_id) select unnest(?::text[])
                    on conflict do nothing returning event_id
                    """)
                .with((Object) ids.toArray(String[]::new))
                .list(row -> row.text("event_id")));
    return evidence.stream().filter(one -> fresh.contains(mark(meeting, one))).toList();
  }

  /** An event of a room is applied once to each of its meetings. */
  private static String mark(long meeting, Evidence evidence) {
    return meeting + ":" + evidence.eventId();
  }

  private static Set<String> mentioned(List<Evidence> evidence, Optional<RoomPresence> snapshot) {
    Set<String> ids = new LinkedHashSet<>();
    evidence.forEach(one -> ids.add(one.sessionId()));
    snapshot.map(Ledger::people).orElse(List.of()).forEach(person -> ids.add(person.sessionId()));
    return ids;
  }

  private static boolean complete(RoomPresence snapshot) {
    return snapshot instanceof RoomPresence.Complete;
  }

  private static List<Participant> people(RoomPresence snapshot) {
    return switch (snapshot) {
      case RoomPresence.Complete(List<Participant> people, Instant _) -> people;
      case RoomPresence.Partial(List<Participant> people, int _, Instant _) -> people;
      case RoomPresence.Unknown _ -> List.of();
    };
  }

  /** Says what the sessions are proven for, and when the database's own due list wants a poll. */
  private void stamp(
      Tx tx,
      long meeting,
      List<Evidence> evidence,
      Optional<RoomPresence> snapshot,
      Source source,
      Optional<Instant> confirmAt) {
    Optional<Instant> proven = snapshot.filter(Ledger::complete).map(RoomPresence::fetchedAt);
    Optional<Instant> heard = evidence.stream().map(Evidence::at).max(Instant::compareTo);
    Instant due = time.instant().plus(snapshot.isPresent() ? reconcileInterval : Duration.ZERO);
    int _ =
        tx.sql(
                """
                update presence set
                  as_of = greatest(as_of, ?::timestamptz),
                  source = case when ?::timestamptz is null then source else ? end,
                  polled_at = coalesce(?::timestamptz, polled_at),
                  due_at = case when ? then 'infinity' else ?::timestamptz end
                where meeting_id = ?
                """)
            .with(
                proven.or(() -> heard),
                proven.or(() -> heard),
                source.text(),
                proven,
                // Nobody can be asked where only bots see anything.
                source == Source.BOT,
                confirmAt.filter(at -> at.isBefore(due)).orElse(due),
                meeting)
            .update();
  }
}
