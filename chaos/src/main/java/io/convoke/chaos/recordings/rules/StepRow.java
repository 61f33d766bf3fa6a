package io.convoke.chaos.recordings.rules;

/** A step in a row: its state in lower case, and its number of claims. */
public record StepRow(String name, String state, int attempts) {
  boolean over() {
    return state.equals("done") || state.equals("skipped");
  }
}
