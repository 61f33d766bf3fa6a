package io.convoke.chaos.recordings;

import java.time.Duration;
import java.util.List;

/**
 * What happens to one recording on its way, in this order.
 *
 * @param slow how late each of the first downloads is answered
 * @param ear what the transcriber does the first times: {@code errs}, {@code dies}, {@code slow},
 *     {@code harms} (the stored audio)
 * @param deaf whether it refuses the audio for good
 * @param crm what the CRM does the first times
 * @param unwelcome whether the CRM refuses the note for good
 */
record RecordingFaultPlan(
    List<Duration> slow, List<String> ear, boolean deaf, List<CrmFault> crm, boolean unwelcome) {
  static final RecordingFaultPlan NONE =
      new RecordingFaultPlan(List.of(), List.of(), false, List.of(), false);

  /** What the CRM may do with a note. */
  enum CrmFault {
    /** 500, and nothing is kept. */
    BROKEN,
    /** Kept, and nobody hears of it: the note comes again. */
    UNHEARD,
    /** Kept, and answered after we have given up waiting. */
    LATE,
    /** 422 for once: the work fails until somebody wants it tried again. */
    REFUSED
  }
}
