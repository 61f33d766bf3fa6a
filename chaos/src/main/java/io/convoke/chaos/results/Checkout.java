package io.convoke.chaos.results;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The commit checked out in the working directory, from git. */
public final class Checkout {
  private static final String UNKNOWN = "unknown";

  private Checkout() {}

  /** The short hash, with {@code +changes} if files differ from it; unknown without git. */
  public static String commit() throws IOException {
    String hash = git("rev-parse", "--short=8", "HEAD");
    if (hash.equals(UNKNOWN)) {
      return UNKNOWN;
    }
    return hash
        + (git("status", "--porcelain", "--untracked-files=no").isEmpty() ? "" : "+changes");
  }

  private static String git(String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of("git"));
    command.addAll(List.of(arguments));
    Process git;
    try {
      git = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    } catch (IOException notInstalled) {
      return UNKNOWN;
    }
    String output = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    try {
      return git.waitFor(10, TimeUnit.SECONDS) && git.exitValue() == 0 ? output : UNKNOWN;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return UNKNOWN;
    }
  }
}
