package io.convoke.chaos.recordings.rules;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Everything that can be seen of a run.
 *
 * @param changes committed changes of rows, in the order of their commits for each row
 * @param stored by recording: the audio in the blob store
 * @param webhooks what the platform was answered
 * @param requests what people were answered
 * @param left locks, letters and workflows that are open when all is over
 */
public record RecordingHistory(
    List<ExpectedRecording> truths,
    List<RecordingEndState> rows,
    List<RowChange> changes,
    List<RecordingMove> moves,
    List<SyncMove> syncMoves,
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

  /** What was done and seen, counted for the verdict's line. */
  public int operations() {
    return changes.size()
        + syncMoves.size()
        + effects.size()
        + posts.size()
        + webhooks.size()
        + requests.size();
  }
}
