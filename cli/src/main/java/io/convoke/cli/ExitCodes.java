package io.convoke.cli;

/** The exit codes of all commands. */
final class ExitCodes {
  /** It is done. */
  static final int DONE = 0;

  /** The server refused. */
  static final int REFUSED = 1;

  /** The command line is wrong. */
  static final int USAGE = 2;

  /** The server cannot be reached, or failed. */
  static final int NO_SERVER = 3;

  /** Not logged in, or the key is not valid. */
  static final int NO_LOGIN = 4;

  /** The output cannot be written: a full disk, a closed pipe. */
  static final int NO_OUTPUT = 5;

  private ExitCodes() {}
}
