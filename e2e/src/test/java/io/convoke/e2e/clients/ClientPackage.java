package io.convoke.e2e.clients;

import java.nio.file.Path;
import java.util.List;

/**
 * A client as its users have it: packed as its registry wants it, and installed from the pack.
 *
 * @param folder where its programs run
 * @param tests the command that runs the package's own tests
 * @param live the command that calls each method of the client that is written by hand
 * @param referenceBot the command of its reference bot
 */
record ClientPackage(
    Path folder,
    List<String> tests,
    List<String> live,
    String referenceBot,
    ExampleCommand examples) {

  /** How an example is started. */
  interface ExampleCommand {
    List<String> of(String example);
  }

  /** The same as text for {@code sh}. */
  String shell(String example) {
    return "exec " + String.join(" ", examples.of(example));
  }
}
