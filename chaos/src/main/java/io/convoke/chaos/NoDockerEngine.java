package io.convoke.chaos;

/** There is no Docker engine to be had on this machine. */
final class NoDockerEngine extends RuntimeException {
  private static final long serialVersionUID = 1;

  NoDockerEngine(String why) {
    super(why);
  }
}
