package io.convoke.chaos.recordings.rules;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Everything observed in a run.
 *
 * @param changes committed row changes, in commit order for each row
 * @param stored audio in the blob store, by recording
 * @param webhooks responses to the platform
 * @param requests responses to users
 * @param left locks, stream entries and workflows left after the run
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
    List<ObservedReply> webhooks,
    List<ObservedReply> requests,
    List<String> complaints,
    List<String> left) {

  Optional<RecordingEndState> row(String id) {
    return rows.stream().filter(recordingEndState -> recordingEndState.id().equals(id)).findFirst();
  }

  /** Number of actions and observations, for the report's summary. */
  public int operations() {
    return changes.size()
        + syncMoves.size()
        + effects.size()
        + posts.size()
        + webhooks.size()
        + requests.size();
  }
}
