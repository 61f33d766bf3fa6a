package io.convoke.gate;

import java.nio.file.Path;

/** {@code ./convoke test}: runs what the build left, all of it or some classes. */
final class Main {
  static final String USAGE =
      """
      Usage: ./convoke test [--all] [--only CLASS[#METHOD],...]... [--forks N] [-Dname=value]...
        --all    also the tests with the tag "nightly", which take long
        --only   these classes alone, nightly or not
        --forks  JVMs side by side; one more than processors, 6 at most, by default
        -D       a system property for the JVMs of the tests
             ./convoke test --mutation [--only CLASS|SCRIPT,...] [--sample N] [--seed N]
        breaks pure code and scripts (gate/mutation.txt) and lists what no test sees
      """;

  private Main() {}

  public static void main(String[] arguments) throws Exception {
    System.exit(run(arguments));
  }

  private static int run(String[] arguments) throws Exception {
    Options options;
    try {
      options = Options.parse(arguments);
    } catch (IllegalArgumentException e) {
      System.err.print(e.getMessage() + "\n" + USAGE);
      return 2;
    }
    if (options.help()) {
      System.out.print(USAGE);
      return 0;
    }
    Path root = Path.of(System.getProperty("convoke.home", "."));
    if (options.mutation()) {
      return new MutationRun(root, options, System.out).run() ? 0 : 1;
    }
    Gate gate = new Gate(root, options, System.out, Gate.SILENCE_MAX);
    return gate.run() ? 0 : 1;
  }
}
