package io.convoke.lab.chaos.recordings.verdict;

import java.util.List;
import java.util.Set;

/**
 * A recording as the platform has it, and what must become of it.
 *
 * @param meetings to which it may belong
 * @param words what is said in it, line by line
 */
public record Truth(String id, String label, End end, Set<Long> meetings, List<String> words) {

  /** How it must end. */
  public enum End {
    DONE("done"),
    CANCELLED("cancelled"),
    EMPTY("empty"),
    /** The transcriber refuses it. */
    UNHEARD("failed"),
    /** The CRM refuses it. */
    UNWELCOME("failed");

    private final String status;

    End(String status) {
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
