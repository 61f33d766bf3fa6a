package io.convoke.server.presence;

import io.convoke.engine.journal.Journal;
import io.convoke.engine.journal.NewEvent;
import io.convoke.engine.sql.Answers;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Query;
import io.convoke.engine.sql.Tx;
import io.convoke.server.meetings.PostMeeting;
import io.convoke.server.platform.Participant;
import io.convoke.server.platform.RoomPresence;
import io.convoke.server.presence.PresenceRow.Raised;
import io.convoke.server.presence.merge.Decision;
import io.convoke.server.presence.merge.Decision.Change;
import io.convoke.server.presence.merge.Evidence;
import io.convoke.server.presence.merge.Merge;
import io.convoke.server.presence.merge.Session;
import io.convoke.server.presence.merge.Source;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The single writer of presence. A writer first raises the epoch of the meeting's row; a commit
 * compares it, so whoever was overtaken writes nothing. Sessions, count and journal change in one
 * transaction or not at all.
 *
 * <p>A commit goes to Postgres three times, however much it writes: for all that it must know, with
 * all that it changes, and to commit.
 */
final class Ledger {

  private final Database database;
  private final Journal journal;
  private final SessionRows sessions = new SessionRows();
  private final PresenceRow rows;

  Ledger(Database database, Journal journal, Duration reconcileInterval, InstantSource time) {
    this.database = database;
    this.journal = journal;
    this.rows = new PresenceRow(reconcileInterval, time);
  }

  /** What a commit did. */
  sealed interface Result {

    record Committed(List<Change> changes, Optional<Instant> confirmAt) implements Result {}

    /** Another writer raised the epoch; nothing was written. */
    record Stale() implements Result {}

    /** The meeting is over or unknown; its sessions are closed. */
    record Over(Optional<Meeting> meeting, List<Change> changes) implements Result {}
  }

  /** What a decision is made from; the evidence is what no earlier commit applied. */
  private record Facts(Raised raised, List<Session> known, List<Evidence> fresh) {}

  /** Raises the epoch; empty when there is no such meeting. */
  Optional<Raised> raise(long meeting) {
    return database.read(tx -> Raised.first(rows.raise(tx, meeting)));
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
            facts(tx, rows.raise(tx, meeting), meeting, evidence, snapshot)
                .map(
                    facts ->
                        facts.raised().meeting().live()
                            ? write(tx, facts, snapshot, source, Optional.empty())
                            : over(tx, facts))
                .orElseGet(() -> new Result.Over(Optional.empty(), List.of())));
  }

  /** Commits a snapshot, if the epoch is still ours. */
  Result commit(Raised raised, RoomPresence snapshot, PollEvents.Poll poll) {
    Optional<RoomPresence> shown = Optional.of(snapshot);
    return database.transaction(
        tx ->
            facts(tx, rows.fence(tx, raised), raised.meeting().id(), List.of(), shown)
                .map(facts -> write(tx, facts, shown, poll.trigger().source(), Optional.of(poll)))
                .orElseGet(Result.Stale::new));
  }

  /** Closes what is open of a terminal meeting, with the evidence that still waited. */
  Result finish(long meeting, List<Evidence> evidence) {
    return database.transaction(
        tx ->
            facts(tx, rows.raise(tx, meeting), meeting, evidence, Optional.empty())
                .map(facts -> over(tx, facts))
                .orElseGet(() -> new Result.Over(Optional.empty(), List.of())));
  }

  /**
   * Completes a tracked meeting that ended on the platform, with its sessions; false when it is not
   * active any more or somebody came after that end.
   */
  boolean complete(long meeting, Instant endedAt) {
    return database.transaction(
        tx -> {
          Optional<Facts> facts =
              facts(tx, rows.raise(tx, meeting), meeting, List.of(), Optional.empty());
          if (facts.isEmpty() || !TrackedEnd.write(tx, meeting, endedAt)) {
            return false;
          }
          Result _ = close(tx, facts.get(), endedAt);
          PostMeeting.order(tx, meeting);
          journal.append(tx, List.of(TrackedEnd.event(facts.get().raised().meeting())));
          return true;
        });
  }

  /** The domain's answer agreed with what we hold: it is proven, without any change. */
  void prove(Collection<Long> meetings, Instant at) {
    int _ = database.read(tx -> rows.prove(tx, meetings, at).update());
  }

  /** Rows for meetings that became live, so that the due list knows them. */
  void open(Collection<Long> meetings) {
    int _ = database.read(tx -> rows.open(tx, meetings).update());
  }

  /** Tells of something that changed no session. */
  void tell(NewEvent event) {
    database.run(tx -> journal.append(tx, List.of(event)));
  }

  /** Asks for all that a decision needs; empty when {@code holding} gives no right to write. */
  private Optional<Facts> facts(
      Tx tx,
      Query holding,
      long meeting,
      List<Evidence> evidence,
      Optional<RoomPresence> snapshot) {
    List<Query> queries = new ArrayList<>();
    queries.add(holding);
    queries.add(sessions.known(tx, meeting, mentioned(evidence, snapshot)));
    if (!evidence.isEmpty()) {
      queries.add(rows.applied(tx, meeting, evidence));
    }
    return tx.ask(queries, answers -> facts(answers, meeting, evidence));
  }

  private static Optional<Facts> facts(Answers answers, long meeting, List<Evidence> evidence) {
    Optional<Raised> raised = Raised.first(answers);
    List<Session> known = answers.list(SessionRows::session);
    Set<String> applied =
        evidence.isEmpty() ? Set.of() : new HashSet<>(answers.list(row -> row.text("event_id")));
    List<Evidence> fresh =
        evidence.stream().filter(one -> applied.add(PresenceRow.mark(meeting, one))).toList();
    return raised.map(it -> new Facts(it, known, fresh));
  }

  private Result write(
      Tx tx,
      Facts facts,
      Optional<RoomPresence> snapshot,
      Source source,
      Optional<PollEvents.Poll> poll) {
    Meeting meeting = facts.raised().meeting();
    Optional<Instant> provenAt = facts.raised().provenAt();
    Optional<Instant> proven = snapshot.filter(Ledger::complete).map(RoomPresence::fetchedAt);
    Decision decision = Merge.decide(facts.known(), provenAt, facts.fresh(), snapshot, source);
    List<NewEvent> told = told(meeting, decision);
    poll.flatMap(
            it ->
                PollEvents.polled(meeting, it, provenAt.isEmpty() && proven.isPresent(), decision))
        .ifPresent(told::add);
    List<Query> queries = changes(tx, facts, decision, told);
    queries.add(
        rows.stamp(
            tx,
            meeting.id(),
            proven,
            facts.fresh().stream().map(Evidence::at).max(Instant::compareTo),
            snapshot.isPresent(),
            source,
            decision.confirmAt()));
    tx.commit(queries);
    return new Result.Committed(decision.changes(), decision.confirmAt());
  }

  /** A meeting that is no longer live; only a terminal one is closed. */
  private Result over(Tx tx, Facts facts) {
    Meeting meeting = facts.raised().meeting();
    return meeting.terminal()
        ? close(tx, facts, facts.raised().end())
        : new Result.Over(Optional.of(meeting), List.of());
  }

  private Result close(Tx tx, Facts facts, Instant end) {
    Meeting meeting = facts.raised().meeting();
    Decision decision = Merge.finish(facts.known(), facts.fresh(), end);
    List<Query> queries = changes(tx, facts, decision, told(meeting, decision));
    queries.add(rows.rest(tx, meeting.id()));
    tx.run(queries);
    return new Result.Over(Optional.of(meeting), decision.changes());
  }

  /** The sessions, the marks of the events and the journal; the row of the meeting comes after. */
  private List<Query> changes(Tx tx, Facts facts, Decision decision, List<NewEvent> told) {
    long meeting = facts.raised().meeting().id();
    List<Query> queries = new ArrayList<>(rows.remember(tx, meeting, facts.fresh()));
    queries.addAll(sessions.write(tx, meeting, decision));
    queries.addAll(journal.entries(tx, told));
    return queries;
  }

  private static List<NewEvent> told(Meeting meeting, Decision decision) {
    List<NewEvent> told = new ArrayList<>();
    decision
        .changes()
        .forEach(change -> told.add(Noted.event(meeting, change, decision.present())));
    return told;
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
}
