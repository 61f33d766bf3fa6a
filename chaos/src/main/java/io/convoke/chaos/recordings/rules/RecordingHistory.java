package io.convoke.chaos.recordings.rules;

import io.convoke.chaos.kernel.AvailabilityRule;
import io.convoke.chaos.kernel.FaultTimeline;
import io.convoke.chaos.kernel.FaultWindow;
import io.convoke.chaos.kernel.LifecycleRule;
import io.convoke.chaos.kernel.ReadBackRule.ReadBack;
import io.convoke.chaos.kernel.StreamRule;
import io.convoke.chaos.kernel.TimedReply;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Everything observed in a run.
 *
 * @param changes committed row changes, in commit order for each row
 * @param stored audio in the blob store, by recording
 * @param webhooks responses to the platform
 * @param requests responses to users
 * @param evidence of streams, answers and faults
 * @param left locks, stream entries and workflows left after the run
 * @param unrecorded meetings with people that are over, and whose recordings were all deleted
 *     before they were worked on
 */
public record RecordingHistory(
    List<ExpectedRecording> expectedRecordings,
    List<RecordingEndState> rows,
    List<RowChange> changes,
    List<RecordingTransition> transitions,
    List<SyncTransition> syncMoves,
    List<SyncRow> syncs,
    List<OutsideEffect> effects,
    List<ReceivedNote> posts,
    List<FinalNote> notes,
    Map<String, RecordingEndState.RecordingBlob> stored,
    List<TimedReply> webhooks,
    List<TimedReply> requests,
    List<String> complaints,
    List<String> left,
    Set<Long> unrecorded,
    RecordingEvidence evidence) {

  /**
   * What was observed of the servers besides the recordings.
   *
   * @param windows the injected faults
   * @param reads answers at the end
   * @param people who took part in each meeting
   * @param withoutRedis recordings that appeared while Redis alone was away
   */
  public record RecordingEvidence(
      List<FaultWindow> windows,
      StreamRule.Streams streams,
      List<ReadBack> reads,
      Map<Long, MeetingPeople> people,
      Set<String> withoutRedis) {
    /** Nothing. */
    public static final RecordingEvidence NONE =
        new RecordingEvidence(List.of(), StreamRule.Streams.NONE);

    /** Without answers at the end, and without people. */
    public RecordingEvidence(List<FaultWindow> windows, StreamRule.Streams streams) {
      this(windows, streams, List.of(), Map.of(), Set.of());
    }
  }

  Optional<RecordingEndState> row(String id) {
    return rows.stream().filter(row -> row.id().equals(id)).findFirst();
  }

  StreamRule.Streams streams() {
    return evidence.streams();
  }

  AvailabilityRule.Calls calls() {
    return new AvailabilityRule.Calls(
        Stream.concat(requests.stream(), webhooks.stream()).toList(),
        evidence.windows(),
        Set.of(FaultTimeline.POSTGRES),
        false);
  }

  LifecycleRule.Lives lives() {
    return new LifecycleRule.Lives(
        "recording",
        LEGAL,
        transitions.stream()
            .map(
                one ->
                    new LifecycleRule.JournaledMove(
                        one.seq(), one.id(), one.from().orElse(LifecycleRule.NONE), one.to()))
            .toList(),
        rows.stream().collect(Collectors.toMap(RecordingEndState::id, RecordingEndState::status)));
  }

  private static final Map<String, Set<String>> LEGAL =
      Map.of(
          LifecycleRule.NONE,
          Set.of(
              "in_progress",
              "ready",
              "unmatched",
              "empty",
              "cancelled",
              "failed",
              "given_up",
              "processing"),
          "in_progress",
          Set.of("in_progress", "ready", "unmatched", "empty", "cancelled", "failed", "given_up"),
          "unmatched",
          Set.of("ready", "given_up"),
          "ready",
          Set.of("processing", "failed"),
          "processing",
          Set.of("done", "failed"),
          "failed",
          Set.of("ready"),
          "given_up",
          Set.of("ready"),
          "done",
          Set.of("ready"));

  /** Number of actions and observations, for the report's summary. */
  public int operations() {
    return changes.size()
        + syncMoves.size()
        + effects.size()
        + posts.size()
        + webhooks.size()
        + requests.size();
  }

  /**
   * The CRM's note of a recording after the run.
   *
   * @param versions number of different texts received, including the first
   */
  public record FinalNote(
      String recordingId, long meeting, List<String> lines, int versions, MeetingPeople people) {
    /** A note without people. */
    public FinalNote(String recordingId, long meeting, List<String> lines, int versions) {
      this(recordingId, meeting, lines, versions, new MeetingPeople("", List.of()));
    }
  }

  /**
   * The people of a meeting.
   *
   * @param owner address of the meeting's user
   * @param people by name, each once, also those who have left; servers know joins of one second in
   *     any order
   */
  public record MeetingPeople(String owner, List<String> people) {}

  /**
   * An effect of a step outside of the database.
   *
   * @param step {@code transcribe}: the transcriber started; {@code push}: the CRM accepted a note
   * @param at when it began
   */
  public record OutsideEffect(String recordingId, String step, Instant at) {
    /** An effect of which it is not known when it happened. */
    public OutsideEffect(String recordingId, String step) {
      this(recordingId, step, Instant.EPOCH);
    }
  }

  /** A note that reached the CRM, with its idempotency key. */
  public record ReceivedNote(String recordingId, String key, String body) {}

  /**
   * A recording's row after the run.
   *
   * @param lines its transcript rows, line by line, of any meeting
   * @param blob size and SHA-256 of its audio
   */
  public record RecordingEndState(
      String id,
      String status,
      int run,
      Optional<Long> meeting,
      List<StepRow> steps,
      List<String> lines,
      Optional<RecordingBlob> blob) {

    /** Audio as recorded in a row or found in the blob store. */
    public record RecordingBlob(long size, String sha256) {}

    int attempts(String step) {
      return steps.stream().filter(it -> it.name().equals(step)).mapToInt(StepRow::attempts).sum();
    }
  }

  /**
   * A recording's transition in the journal; the first has no previous status.
   *
   * @param meeting that it names
   * @param told whether it names the recording's user, a reason, an event and an actor
   */
  public record RecordingTransition(
      long seq,
      String id,
      Optional<String> from,
      String to,
      int run,
      Optional<Long> meeting,
      boolean told) {}

  /**
   * One committed change of a recording's row, with other effects of its transaction.
   *
   * @param lines of its transcript
   * @param documents the steps with an output document
   * @param syncStatuses the sync status of its meeting, by step
   */
  public record RowChange(
      long seq,
      String id,
      String status,
      int run,
      long epoch,
      List<StepRow> steps,
      List<String> lines,
      Optional<String> sha256,
      Set<String> documents,
      Map<String, String> syncStatuses) {

    Optional<StepRow> step(String name) {
      return steps.stream().filter(it -> it.name().equals(name)).findFirst();
    }
  }

  /** A step in a row: its state in lower case, and its number of claims. */
  public record StepRow(String name, String state, int attempts) {
    boolean over() {
      return state.equals("done") || state.equals("skipped");
    }
  }

  /** A meeting's sync status after the run. */
  public record SyncRow(long meeting, String status, long version, long attempts) {}

  /** A transition of a meeting's sync status in the journal. */
  public record SyncTransition(
      long seq, long meeting, long version, String from, String to, long attempts) {}
}
