package io.convoke.chaos;

/** Thrown when this machine lacks what a run needs: a Docker engine, or the right to mount. */
public final class MissingPrerequisite extends RuntimeException {
  private static final long serialVersionUID = 1;

  public MissingPrerequisite(String why) {
    super(why);
  }
}
