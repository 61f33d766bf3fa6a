package io.convoke.lab.chaos;

/** There is no Docker engine to be had on this machine. */
final class NoEngine extends RuntimeException {
  private static final long serialVersionUID = 1;

  NoEngine(String why) {
    super(why);
  }
}
