package io.convoke.bench.load;

/** Whole HTTP requests as bytes, built before the clock runs. */
public final class Requests {
  private final byte[][] all;
  private int next;

  public Requests(byte[][] all) {
    this.all = all.clone();
  }

  boolean exhausted() {
    return next == all.length;
  }

  byte[] take() {
    return all[next++];
  }

  public int size() {
    return all.length;
  }
}
