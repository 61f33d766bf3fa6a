package io.convoke.chaos.recordings.rules;

import java.util.List;
import java.util.Set;

/**
 * A recording on the platform, and its expected outcome.
 *
 * @param meetings to which it may belong
 * @param lines the spoken lines
 */
public record ExpectedRecording(
    String id, String label, ExpectedEnd end, Set<Long> meetings, List<String> lines) {

  /** Its expected end. */
  public enum ExpectedEnd {
    DONE("done"),
    CANCELLED("cancelled"),
    EMPTY("empty"),
    /** The transcriber rejects it. */
    UNHEARD("failed"),
    /** The CRM rejects it. */
    UNWELCOME("failed");

    private final String status;

    ExpectedEnd(String status) {
      this.status = status;
    }

    public String status() {
      return status;
    }

    /** Whether it must have a transcript. */
    boolean spoken() {
      return this == DONE || this == UNWELCOME;
    }
  }
}
