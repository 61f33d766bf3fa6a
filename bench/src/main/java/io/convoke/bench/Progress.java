package io.convoke.bench;

/** Told what goes on while a measurement takes its time. */
public interface Progress {
  void report(String line);
}
