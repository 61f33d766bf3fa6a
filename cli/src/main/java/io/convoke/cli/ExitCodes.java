package io.convoke.cli;

/** The exit codes of all commands. */
final class ExitCodes {
  /** It is done. */
  static final int DONE = 0;

  /** The server refused, or the command failed as it should not. */
  static final int REFUSED = 1;

  /** The command line is wrong. */
  static final int USAGE = 2;

  /** The server cannot be reached, or failed. */
  static final int NO_SERVER = 3;

  /** Not logged in, or the key is not valid. */
  static final int NO_LOGIN = 4;

  /** The output or the login cannot be written: a full disk, a closed pipe, a folder of others. */
  static final int NO_OUTPUT = 5;

  private ExitCodes() {}
}
