package io.convoke.server.recordings;

import io.convoke.engine.durable.Durable;
import io.convoke.engine.journal.Journal;
import io.convoke.engine.journal.NewJournalEvent;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Tx;
import io.convoke.engine.state.LifecycleStep;
import io.convoke.engine.testhook.TestSignal;
import io.convoke.server.http.Problem;
import io.convoke.server.platform.RecordingInfo;
import io.convoke.server.trace.Traceparent;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;

/**
 * The only writer of a recording's status. One transaction per event: read the row under its lock,
 * call the reducer, write the transition with its journal row, or nothing. A transition to {@code
 * ready} begins a run: it starts the workflow in the same transaction.
 */
final class RecordingTransitions {
  static final String EVENT = "recording.status_changed";

  private final Database database;
  private final Journal journal;
  private final BiConsumer<Tx, Long> nothing;
  private final RecordingLifecycle lifecycle = new RecordingLifecycle();
  private final TestSignal<RecordingRow> moved = new TestSignal<>();

  /**
   * Transitions of recordings in this database.
   *
   * @param nothing takes the meeting of a recording that ends without a run, in that transaction
   */
  RecordingTransitions(Database database, Journal journal, BiConsumer<Tx, Long> nothing) {
    this.database = database;
    this.journal = journal;
    this.nothing = nothing;
  }

  /** The result of an event. */
  sealed interface RecordingTransitionResult {
    /** The status moved. */
    record RecordingMoved(RecordingRow row) implements RecordingTransitionResult {}

    /** Legal, and the status stays. */
    record RecordingUnchanged(RecordingRow row) implements RecordingTransitionResult {}

    /** Illegal in the present state. */
    record RecordingEventRefused(RecordingRow row, String why)
        implements RecordingTransitionResult {}

    /** No such recording, or it was deleted. */
    record RecordingMissing() implements RecordingTransitionResult {}
  }

  /** The columns that a transition changes beside the status. */
  private record RecordingChange(
      MeetingAssignment placement, RecordingSteps steps, Optional<RecordingStatus> from) {}

  /** Every applied move, and every meeting that became known, after its commit. */
  TestSignal<RecordingRow> moved() {
    return moved;
  }

  /** Stores the platform's report of a recording, which may be new. */
  RecordingTransitionResult reported(
      String platform,
      RecordingInfo facts,
      MeetingAssignment meetingAssignment,
      RecordingEvent event,
      String foundBy) {
    return database.transaction(
        tx -> reported(tx, platform, facts, meetingAssignment, event, foundBy));
  }

  /** The same within a transaction of the caller's. */
  RecordingTransitionResult reported(
      Tx tx,
      String platform,
      RecordingInfo facts,
      MeetingAssignment meetingAssignment,
      RecordingEvent event,
      String foundBy) {
    boolean fresh = insert(tx, platform, facts, meetingAssignment, foundBy);
    learn(tx, facts);
    return apply(
        tx,
        facts.id(),
        event,
        foundBy,
        row ->
            new RecordingChange(
                row.meetingId().isPresent() ? kept(row) : meetingAssignment,
                row.steps(),
                fresh ? Optional.empty() : Optional.of(row.status())),
        fresh);
  }

  /** Applies an event that changes the status alone; {@code run} must still be the present one. */
  RecordingTransitionResult apply(String id, int run, RecordingEvent event, String actor) {
    return database.transaction(tx -> apply(tx, id, run, event, actor));
  }

  /** The same within a transaction of the caller's. */
  RecordingTransitionResult apply(Tx tx, String id, int run, RecordingEvent event, String actor) {
    Optional<RecordingRow> row = lock(tx, id);
    if (row.isPresent() && row.get().run() != run) {
      return new RecordingTransitionResult.RecordingEventRefused(
          row.get(), "another run has begun");
    }
    return apply(tx, id, event, actor, RecordingTransitions::same, false);
  }

  /**
   * A user assigns the meeting.
   *
   * @throws Problem 404 without such a recording, 409 if that cannot be done now
   */
  RecordingRow match(String id, MeetingAssignment.OwnedMeeting meeting, String actor) {
    return database.transaction(
        tx ->
            accepted(
                apply(
                    tx,
                    id,
                    new RecordingEvent.MeetingMatched(),
                    actor,
                    row ->
                        new RecordingChange(
                            MeetingAssignment.in(meeting.meetingId(), meeting.userId()),
                            row.steps(),
                            Optional.of(row.status())),
                    false)));
  }

  /**
   * A user requests a retry, from a step on or from where it stopped. A note that waits to be sent
   * is prepared again if the summary or the words are others since.
   *
   * @throws Problem 404 without such a recording, 409 if that cannot be done now
   */
  RecordingRow retry(String id, Optional<StepName> from, String actor) {
    return database.transaction(tx -> accepted(retry(tx, id, from, actor)));
  }

  private static RecordingRow accepted(RecordingTransitionResult recordingTransitionResult) {
    return switch (recordingTransitionResult) {
      case RecordingTransitionResult.RecordingMoved(RecordingRow row) -> row;
      case RecordingTransitionResult.RecordingUnchanged(RecordingRow row) -> row;
      case RecordingTransitionResult.RecordingEventRefused(RecordingRow row, String why) ->
          throw Problem.conflict(
              "recording_" + row.status().wireName(),
              "This cannot be done now: " + why + ".",
              Map.of("recording_status", row.status().wireName()));
      case RecordingTransitionResult.RecordingMissing _ -> throw Problem.notFound("recording");
    };
  }

  /** The same within a transaction of the caller's. */
  RecordingTransitionResult retry(Tx tx, String id, Optional<StepName> from, String actor) {
    return apply(
        tx,
        id,
        new RecordingEvent.RetryRequested(from.isPresent()),
        actor,
        row ->
            new RecordingChange(
                kept(row),
                row.steps().again(from.or(() -> outdated(tx, row)), row.transcribed()),
                Optional.of(row.status())),
        false);
  }

  private static Optional<StepName> outdated(Tx tx, RecordingRow row) {
    return PrepareStep.outdated(tx, row) ? Optional.of(StepName.PREPARE) : Optional.empty();
  }

  static Optional<RecordingRow> lock(Tx tx, String id) {
    return tx.sql(
            "select "
                + RecordingRow.COLUMNS
                + " from recordings where recording_id = ? and deleted_at is null for update")
        .with(id)
        .first(RecordingRow::of);
  }

  private static boolean insert(
      Tx tx,
      String platform,
      RecordingInfo facts,
      MeetingAssignment meetingAssignment,
      String foundBy) {
    return tx.sql(
                """
                insert into recordings
                  (recording_id, meeting_id, user_id, status, steps, platform, found_by, candidates)
                values (?, ?, ?, 'in_progress', ?, ?, ?, ?) on conflict do nothing
                """)
            .with(
                facts.id(),
                meetingAssignment.owned().map(MeetingAssignment.OwnedMeeting::meetingId),
                meetingAssignment.owned().map(MeetingAssignment.OwnedMeeting::userId),
                RecordingSteps.fresh().write(),
                platform,
                foundBy,
                meetingAssignment.candidates().toArray(Long[]::new))
            .update()
        == 1;
  }

  /** A reported value stays when a later report omits it. */
  private static void learn(Tx tx, RecordingInfo facts) {
    int _ =
        tx.sql(
                """
                update recordings set
                  room_name = coalesce(nullif(?, ''), room_name),
                  kind = coalesce(?, kind),
                  session_id = coalesce(?, session_id),
                  instance_id = coalesce(?, instance_id),
                  start_time = coalesce(?, start_time),
                  duration_s = coalesce(?, duration_s),
                  told_at = now()
                where recording_id = ?
                """)
            .with(
                facts.room(),
                facts.kind(),
                facts.sessionId(),
                facts.instanceId(),
                facts.startedAt(),
                facts.duration().map(length -> Math.toIntExact(length.toSeconds())),
                facts.id())
            .update();
  }

  private interface RecordingChangeWriter {
    RecordingChange of(RecordingRow row);
  }

  private RecordingTransitionResult apply(
      Tx tx,
      String id,
      RecordingEvent event,
      String actor,
      RecordingChangeWriter recordingChangeWriter,
      boolean fresh) {
    Optional<RecordingRow> found = lock(tx, id);
    if (found.isEmpty()) {
      return new RecordingTransitionResult.RecordingMissing();
    }
    RecordingRow row = found.get();
    return switch (lifecycle.next(row.state(), event)) {
      case LifecycleStep.StateChanged<RecordingState>(RecordingState to, String reason) ->
          new RecordingTransitionResult.RecordingMoved(
              move(tx, row, to.status(), reason, event, actor, recordingChangeWriter.of(row)));
      case LifecycleStep.StateUnchanged<RecordingState>(String why) -> {
        if (fresh) {
          note(tx, row, Optional.empty(), why, event, actor);
          tx.afterCommit(() -> moved.emit(row));
          yield new RecordingTransitionResult.RecordingMoved(row);
        }
        MeetingAssignment placement = recordingChangeWriter.of(row).placement();
        yield new RecordingTransitionResult.RecordingUnchanged(
            placed(tx, row, placement, event, actor));
      }
      case LifecycleStep.EventRefused<RecordingState>(String why) ->
          new RecordingTransitionResult.RecordingEventRefused(row, why);
    };
  }

  /**
   * The first report of a running recording may not have told its room: its meeting is assigned by
   * the first one that does, with an event, which is the first that the meeting's user sees.
   */
  private RecordingRow placed(
      Tx tx, RecordingRow row, MeetingAssignment placement, RecordingEvent event, String actor) {
    if (row.status() != RecordingStatus.IN_PROGRESS
        || row.meetingId().isPresent()
        || placement.owned().isEmpty()) {
      return row;
    }
    RecordingRow written =
        tx.sql(
                """
                update recordings set meeting_id = ?, user_id = ?, candidates = '{}',
                  version = version + 1, updated_at = now()
                where recording_id = ? and version = ?
                returning\s"""
                    + RecordingRow.COLUMNS)
            .with(
                placement.owned().map(MeetingAssignment.OwnedMeeting::meetingId),
                placement.owned().map(MeetingAssignment.OwnedMeeting::userId),
                row.id(),
                row.version())
            .one(RecordingRow::of);
    note(tx, written, Optional.of(row.status()), "its meeting is known", event, actor);
    tx.afterCommit(() -> moved.emit(written));
    return written;
  }

  private RecordingRow move(
      Tx tx,
      RecordingRow row,
      RecordingStatus to,
      String reason,
      RecordingEvent event,
      String actor,
      RecordingChange recordingChange) {
    boolean begins = to == RecordingStatus.READY;
    boolean noWords =
        to == RecordingStatus.CANCELLED
            || to == RecordingStatus.EMPTY
            || to == RecordingStatus.GIVEN_UP
            || to == RecordingStatus.DONE
            || event instanceof RecordingEvent.RecordingBroken;
    RecordingRow written =
        tx.sql(
                """
                update recordings set
                  status = ?,
                  reason = ?,
                  version = version + 1,
                  state_entered_at = now(),
                  updated_at = now(),
                  meeting_id = ?,
                  user_id = ?,
                  candidates = ?,
                  steps = ?,
                  run = run + ?,
                  epoch = epoch + ?,
                  transcript_open = case when ? then false when ? then not transcribed else transcript_open end
                where recording_id = ? and version = ?
                returning\s"""
                    + RecordingRow.COLUMNS)
            .with(
                to.wireName(),
                reason,
                recordingChange.placement().owned().map(MeetingAssignment.OwnedMeeting::meetingId),
                recordingChange.placement().owned().map(MeetingAssignment.OwnedMeeting::userId),
                recordingChange.placement().candidates().toArray(Long[]::new),
                recordingChange.steps().write(),
                begins ? 1 : 0,
                begins ? 1 : 0,
                noWords,
                begins,
                row.id(),
                row.version())
            .one(RecordingRow::of);
    note(tx, written, recordingChange.from(), reason, event, actor);
    if (begins) {
      start(tx, written);
    }
    if (to.terminal() && written.run() == 0) {
      written.meetingId().ifPresent(meeting -> nothing.accept(tx, meeting));
    }
    tx.afterCommit(() -> moved.emit(written));
    return written;
  }

  private static void start(Tx tx, RecordingRow row) {
    tx.run(
        List.of(
            tx.sql(
                    """
                    insert into workflow_owners (instance_id, user_id, meeting_id)
                    values (?, ?, ?) on conflict do nothing
                    """)
                .with(row.workflow(), row.userId(), row.meetingId()),
            Durable.starting(
                tx,
                RecordingWorkflow.NAME,
                row.workflow(),
                new RecordingWorkflow.RecordingRunRef(row.id(), row.run()),
                Traceparent.current())));
  }

  private void note(
      Tx tx,
      RecordingRow row,
      Optional<RecordingStatus> from,
      String reason,
      RecordingEvent event,
      String actor) {
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("recording_id", row.id());
    data.put("meeting_id", row.meetingId());
    data.put("user_id", row.userId());
    data.put("from", from.map(RecordingStatus::wireName));
    data.put("to", row.status().wireName());
    data.put("reason", reason);
    data.put("event", event.label());
    data.put("actor", actor);
    data.put("run", row.run());
    journal.append(
        tx, List.of(NewJournalEvent.of(EVENT, "recording:" + row.id(), row.userId(), data)));
  }

  private static RecordingChange same(RecordingRow row) {
    return new RecordingChange(kept(row), row.steps(), Optional.of(row.status()));
  }

  private static MeetingAssignment kept(RecordingRow row) {
    return new MeetingAssignment(
        row.meetingId()
            .flatMap(
                meeting ->
                    row.userId().map(user -> new MeetingAssignment.OwnedMeeting(meeting, user))),
        row.candidates());
  }
}
