package io.convoke.chaos.recordings.rules;

/** A step in a row: its state in lower case, and how often it was claimed. */
public record StepRow(String name, String state, int attempts) {
  boolean over() {
    return state.equals("done") || state.equals("skipped");
  }
}
