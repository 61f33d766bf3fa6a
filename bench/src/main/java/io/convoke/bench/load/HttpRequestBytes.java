package io.convoke.bench.load;

/** Whole HTTP requests as bytes, built before the clock runs. */
public final class HttpRequestBytes {
  private final byte[][] all;
  private int next;

  public HttpRequestBytes(byte[][] all) {
    this.all = all.clone();
  }

  boolean exhausted() {
    return next == all.length;
  }

  byte[] next() {
    return all[next++];
  }

  public int size() {
    return all.length;
  }
}
