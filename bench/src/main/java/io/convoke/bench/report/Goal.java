package io.convoke.bench.report;

/** A ratio that we want, and what it is. */
public record Goal(String what, double measured, double atLeast) {

  public boolean met() {
    return measured >= atLeast;
  }
}
