package io.convoke.chaos.recordings;

import io.convoke.chaos.recordings.rules.ExpectedRecording;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Faults of one recording, in this order.
 *
 * @param slow delay of each of the first downloads
 * @param transcriberFaults what the transcriber does in its first runs: {@code errs}, {@code dies},
 *     {@code slow}, {@code harms} (the stored audio)
 * @param unavailable whether the transcriber always rejects the audio
 * @param crm responses of the CRM to the first requests
 * @param unwelcome whether the CRM always rejects the note
 * @param wish what its user asks for, see {@link ExpectedRecording}
 */
record RecordingFaultPlan(
    List<Duration> slow,
    List<String> transcriberFaults,
    boolean unavailable,
    List<CrmFault> crm,
    boolean unwelcome,
    Optional<String> wish) {
  static final RecordingFaultPlan NONE =
      new RecordingFaultPlan(List.of(), List.of(), false, List.of(), false, Optional.empty());

  /** No fault; a user asks for this once it is done. */
  static RecordingFaultPlan wish(String wish) {
    return new RecordingFaultPlan(List.of(), List.of(), false, List.of(), false, Optional.of(wish));
  }

  /** The CRM refuses the note once; its user corrects a line before they retry it. */
  static RecordingFaultPlan corrected() {
    return new RecordingFaultPlan(
        List.of(),
        List.of(),
        false,
        List.of(CrmFault.REFUSED),
        false,
        Optional.of(ExpectedRecording.CORRECT));
  }

  /** The transcriber always rejects it, or else the CRM does. */
  static RecordingFaultPlan rejected(boolean byTranscriber) {
    return new RecordingFaultPlan(
        List.of(), List.of(), byTranscriber, List.of(), !byTranscriber, Optional.empty());
  }

  /** The CRM asks to slow down. */
  static RecordingFaultPlan busy() {
    return new RecordingFaultPlan(
        List.of(), List.of(), false, List.of(CrmFault.BUSY), false, Optional.empty());
  }

  /** What these faults make necessary. */
  ExpectedRecording.ExpectedWork work() {
    int stored =
        (int) crm.stream().filter(it -> it == CrmFault.UNHEARD || it == CrmFault.LATE).count();
    boolean mayFail =
        unavailable
            || unwelcome
            || crm.contains(CrmFault.REFUSED)
            || transcriberFaults.contains("harms");
    // Damaged audio is downloaded and transcribed again by a user's retry.
    int again = transcriberFaults.contains("harms") ? 1 : 0;
    again += wish.filter(List.of("download", "transcribe")::contains).isPresent() ? 1 : 0;
    int sent = wish.filter(step -> !ExpectedRecording.deletes(step)).isPresent() ? 1 : 0;
    return new ExpectedRecording.ExpectedWork(
        1 + transcriberFaults.size() + again, 1 + stored + sent, mayFail);
  }

  /** Faults of the CRM. */
  enum CrmFault {
    /** Answers 500 and stores nothing. */
    BROKEN,
    /** Stores the note but drops the response, so the note is sent again. */
    UNHEARD,
    /** Stores the note and answers after the client's timeout. */
    LATE,
    /** Answers 422 once: the step fails until a user retries it. */
    REFUSED,
    /** Answers 429 once. */
    BUSY
  }
}
