package io.convoke.chaos;

/** Thrown when this machine lacks what a run needs: a Docker engine, or the right to mount. */
final class MissingMeans extends RuntimeException {
  private static final long serialVersionUID = 1;

  MissingMeans(String why) {
    super(why);
  }
}
