package io.convoke.chaos;

/** Thrown when this machine lacks what a run needs: a Docker engine, or the right to mount. */
final class MissingPrerequisite extends RuntimeException {
  private static final long serialVersionUID = 1;

  MissingPrerequisite(String why) {
    super(why);
  }
}
