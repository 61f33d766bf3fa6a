package io.convoke.fakes.docker;

import java.io.IOException;

/** Runs an installed program to its end. */
final class CommandRunner {
  private CommandRunner() {}

  /** Its output; an {@link IOException} if it failed. */
  static String run(String... line) throws IOException {
    Process process = new ProcessBuilder(line).redirectErrorStream(true).start();
    try (var output = process.inputReader()) {
      String printed = String.join("\n", output.readAllLines());
      int code = process.waitFor();
      if (code != 0) {
        throw new IOException(line[0] + " ended with " + code + ": " + printed);
      }
      return printed;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }
}
