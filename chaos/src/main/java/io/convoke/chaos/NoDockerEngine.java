package io.convoke.chaos;

/** Thrown when this machine has no Docker engine. */
final class NoDockerEngine extends RuntimeException {
  private static final long serialVersionUID = 1;

  NoDockerEngine(String why) {
    super(why);
  }
}
