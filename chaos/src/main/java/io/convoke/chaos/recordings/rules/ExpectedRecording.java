package io.convoke.chaos.recordings.rules;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A recording on the platform, and its expected outcome.
 *
 * @param meetings to which it may belong
 * @param lines the spoken lines
 * @param work what its faults make necessary
 * @param wish what its user asks for once it is done: a step, from which it is repeated, or {@link
 *     #DELETE}; or {@link #DELETE_EARLY} or {@link #CORRECT}
 */
public record ExpectedRecording(
    String id,
    String label,
    ExpectedEnd end,
    Set<Long> meetings,
    List<String> lines,
    ExpectedWork work,
    Optional<String> wish) {
  /** The wish that it be deleted. */
  public static final String DELETE = "delete";

  /** The same, while it is still recorded. */
  public static final String DELETE_EARLY = "delete early";

  /** The wish that its note have a corrected line, once the CRM refused or got the first one. */
  public static final String CORRECT = "correct";

  /** A recording that its user leaves alone. */
  public ExpectedRecording(
      String id,
      String label,
      ExpectedEnd end,
      Set<Long> meetings,
      List<String> lines,
      ExpectedWork work) {
    this(id, label, end, meetings, lines, work, Optional.empty());
  }

  /** A recording of whose work nothing is known. */
  public ExpectedRecording(
      String id, String label, ExpectedEnd end, Set<Long> meetings, List<String> lines) {
    this(id, label, end, meetings, lines, ExpectedWork.ANY);
  }

  /** Whether a wish is no step. */
  public static boolean deletes(String wish) {
    return wish.equals(DELETE) || wish.equals(DELETE_EARLY);
  }

  /** The step from which a recording is repeated by this wish. */
  public static String step(String wish) {
    return wish.equals(CORRECT) ? "prepare" : wish;
  }

  /** Whether its user corrects its first line and has it repeated. */
  public boolean corrects() {
    return wish.equals(Optional.of(CORRECT));
  }

  /** Its lines as readers and the CRM have them in the end. */
  public List<String> shown() {
    List<String> shown = new ArrayList<>(lines);
    if (corrects()) {
      shown.addFirst(shown.removeFirst() + " corrected");
    }
    return List.copyOf(shown);
  }

  /** For messages. */
  String title() {
    return "recording " + id + " (" + label + ")";
  }

  /**
   * How often its steps may act outside, and whether it may fail before a user helps.
   *
   * @param transcriptions with all failures that the plan has; without those of killed servers
   * @param notes sent to the CRM and stored there
   * @param mayFail whether a fault of the plan cannot be overcome by trying again
   */
  public record ExpectedWork(int transcriptions, int notes, boolean mayFail) {
    public static final ExpectedWork ANY =
        new ExpectedWork(Integer.MAX_VALUE, Integer.MAX_VALUE, true);
  }

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
