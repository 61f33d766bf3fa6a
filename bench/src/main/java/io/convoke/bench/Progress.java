package io.convoke.bench;

/** Receives progress messages of a measurement. */
public interface Progress {
  void report(String line);
}
