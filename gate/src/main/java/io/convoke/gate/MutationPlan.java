package io.convoke.gate;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What is mutated, which tests must see it, and which mutants change nothing that a test could see:
 * {@code gate/mutation.txt}.
 *
 * @param targets what is mutated, in the order of the file
 * @param equivalent reasons by the mutant, as {@code ./convoke test --mutation} prints it
 */
record MutationPlan(List<MutationTarget> targets, Map<String, String> equivalent) {
  /**
   * One thing that is mutated.
   *
   * @param name a class, or a script as a resource
   * @param tests simple names of classes
   */
  record MutationTarget(MutatedCode code, String module, String name, List<String> tests) {}

  /** What kind of code is mutated. */
  enum MutatedCode {
    JAVA,
    LUA
  }

  static MutationPlan read(Path file) throws IOException {
    List<MutationTarget> targets = new ArrayList<>();
    Map<String, String> equivalent = new HashMap<>();
    String mutant = "";
    for (String line : Files.readAllLines(file)) {
      if (line.startsWith("  ") && !mutant.isEmpty()) {
        equivalent.merge(mutant, line.strip(), (one, other) -> one + ' ' + other);
        continue;
      }
      mutant = "";
      if (line.startsWith("same ")) {
        mutant = line.substring("same ".length()).strip();
      } else if (!line.isBlank() && !line.startsWith("#")) {
        targets.add(target(line.strip().split(" +", -1), line));
      }
    }
    return new MutationPlan(List.copyOf(targets), Map.copyOf(equivalent));
  }

  private static MutationTarget target(String[] words, String line) {
    if (words.length < 4) {
      throw new IllegalArgumentException("mutation.txt: kind, module, name, tests: " + line);
    }
    MutatedCode code =
        switch (words[0]) {
          case "java" -> MutatedCode.JAVA;
          case "lua" -> MutatedCode.LUA;
          default -> throw new IllegalArgumentException("mutation.txt: java or lua: " + line);
        };
    return new MutationTarget(code, words[1], words[2], List.of(words).subList(3, words.length));
  }
}
