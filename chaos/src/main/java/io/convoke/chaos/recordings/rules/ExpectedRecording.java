package io.convoke.chaos.recordings.rules;

import java.util.List;
import java.util.Set;

/**
 * A recording as the platform has it, and what must become of it.
 *
 * @param meetings to which it may belong
 * @param lines what is said in it, line by line
 */
public record ExpectedRecording(
    String id, String label, ExpectedEnd end, Set<Long> meetings, List<String> lines) {

  /** How it must end. */
  public enum ExpectedEnd {
    DONE("done"),
    CANCELLED("cancelled"),
    EMPTY("empty"),
    /** The transcriber refuses it. */
    UNHEARD("failed"),
    /** The CRM refuses it. */
    UNWELCOME("failed");

    private final String status;

    ExpectedEnd(String status) {
      this.status = status;
    }

    public String status() {
      return status;
    }

    /** Whether its words are to be there. */
    boolean spoken() {
      return this == DONE || this == UNWELCOME;
    }
  }
}
