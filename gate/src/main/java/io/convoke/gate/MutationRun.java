package io.convoke.gate;

import io.convoke.gate.MutationPlan.MutatedCode;
import io.convoke.gate.MutationPlan.MutationTarget;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * {@code ./convoke test --mutation}: breaks pure Java code with PIT and Lua scripts with {@link
 * LuaMutant}, and lists what no test saw. A mutant that survives fails the run unless {@code
 * gate/mutation.txt} says why it changes nothing.
 */
final class MutationRun {
  /** A fork of a mutant that says nothing for so long counts as a failed test: it loops. */
  private static final Duration SILENCE_MAX = Duration.ofSeconds(90);

  private static final String MUTATOR = ".mutators.";

  private final Path root;
  private final Path folder;
  private final MutationPlan plan;
  private final Options options;
  private final PrintStream out;
  private final List<String> survivors = new ArrayList<>();
  private int mutants;

  MutationRun(Path root, Options options, PrintStream out) throws IOException {
    this.root = root.toAbsolutePath().normalize();
    this.folder = this.root.resolve("target/mutation");
    this.plan = MutationPlan.read(this.root.resolve("gate/mutation.txt"));
    this.options = options;
    this.out = out;
  }

  /** Returns whether each mutant was seen by a test or is known to change nothing. */
  boolean run() throws IOException, InterruptedException {
    Files.createDirectories(folder);
    Map<String, List<MutationTarget>> modules =
        targets(MutatedCode.JAVA)
            .collect(
                Collectors.groupingBy(MutationTarget::module, TreeMap::new, Collectors.toList()));
    for (Map.Entry<String, List<MutationTarget>> module : modules.entrySet()) {
      java(module.getKey(), module.getValue());
    }
    List<MutatedScript> scripts = new ArrayList<>();
    for (MutationTarget target : targets(MutatedCode.LUA).toList()) {
      Path source = root.resolve(target.module()).resolve("src/main/resources");
      LuaMutant.of(Files.readString(source.resolve(target.name())))
          .forEach(mutant -> scripts.add(new MutatedScript(target, mutant)));
    }
    if (options.sample() > 0) {
      Collections.shuffle(scripts, new Random(options.seed()));
    }
    int most = options.sample() > 0 ? options.sample() : scripts.size();
    Set<MutationTarget> sound = new HashSet<>();
    for (MutatedScript script : scripts.subList(0, Math.min(most, scripts.size()))) {
      if (sound.add(script.target()) && lua(script.target(), Optional.empty()).isPresent()) {
        throw new IOException("its tests fail without a mutant: " + script.target().name());
      }
      mutants++;
      Optional<String> killer = lua(script.target(), Optional.of(script.mutant().script()));
      out.printf("%s:%d %s%n", script.key(), script.mutant().line(), killer.orElse("SURVIVED"));
      if (killer.isEmpty()) {
        survivors.add(script.key());
      }
    }
    return report();
  }

  private Stream<MutationTarget> targets(MutatedCode code) {
    return plan.targets().stream()
        .filter(it -> it.code() == code)
        .filter(it -> options.only().isEmpty() || options.only().contains(simple(it.name())));
  }

  /** A class or script as {@code --only} names it. */
  private static String simple(String name) {
    return name.substring(name.lastIndexOf(name.endsWith(".lua") ? '/' : '.') + 1);
  }

  private record MutatedScript(MutationTarget target, LuaMutant mutant) {
    String key() {
      return "%s/%s %s: %s"
          .formatted(target.module(), simple(target.name()), mutant.mutation(), mutant.code());
    }
  }

  private void java(String module, List<MutationTarget> targets)
      throws IOException, InterruptedException {
    Path reports = folder.resolve(module);
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            root.resolve("gate/target/mutation")
                + "/*"
                + File.pathSeparator
                + Gate.classPath(root, module),
            "org.pitest.mutationtest.commandline.MutationCoverageReport",
            "--reportDir",
            reports.toString(),
            "--targetClasses",
            targets.stream()
                .flatMap(it -> Stream.of(it.name(), it.name() + "$*"))
                .collect(Collectors.joining(",")),
            "--targetTests",
            targets.stream()
                .flatMap(it -> it.tests().stream())
                .distinct()
                .map(it -> "*." + it)
                .collect(Collectors.joining(",")),
            "--sourceDirs",
            "src/main/java",
            "--outputFormats",
            "CSV",
            "--threads",
            Integer.toString(Runtime.getRuntime().availableProcessors()),
            "--timestampedReports=false");
    Path log = folder.resolve(module + ".log");
    Process process =
        new ProcessBuilder(command)
            .directory(root.resolve(module).toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    if (process.waitFor() != 0) {
      throw new IOException("PIT ended with exit code " + process.exitValue() + ": " + log);
    }
    for (String row : Files.readAllLines(reports.resolve("mutations.csv"))) {
      java(module, row.split(",", 7));
    }
    out.printf("%s: mutants of %d classes, see %s%n", module, targets.size(), log);
  }

  /** File, class, mutator, method, line, result, test. */
  private void java(String module, String[] row) throws IOException {
    mutants++;
    switch (row[5]) {
      case "KILLED", "TIMED_OUT", "MEMORY_ERROR", "NON_VIABLE" -> {}
      default -> {
        String type = row[1].substring(row[1].lastIndexOf('.') + 1);
        String mutator = row[2].substring(row[2].indexOf(MUTATOR) + MUTATOR.length());
        String owner = row[1].substring(0, row[1].lastIndexOf('.')).replace('.', '/');
        Path source = root.resolve(module).resolve("src/main/java").resolve(owner).resolve(row[0]);
        String code = Files.readAllLines(source).get(Integer.parseInt(row[4]) - 1).strip();
        survivors.add("%s.%s %s: %s".formatted(type, row[3], mutator, code));
      }
    }
  }

  /** Runs the tests of a script, with a broken one in its place if there is one. */
  private Optional<String> lua(MutationTarget target, Optional<String> broken)
      throws IOException, InterruptedException {
    Path patch = folder.resolve("patch");
    Path file = patch.resolve(target.name());
    Files.createDirectories(file.getParent());
    // A run that was killed leaves its broken script.
    boolean _ = Files.deleteIfExists(file);
    if (broken.isPresent()) {
      Files.writeString(file, broken.get());
    }
    Path log = folder.resolve("lua.log");
    Files.writeString(log, "");
    List<String> fork =
        Gate.fork(patch + File.pathSeparator + Gate.classPath(root, target.module()), options);
    Path module = root.resolve(target.module());
    try (Worker worker = Worker.start(target.module(), module, fork, log)) {
      return killer(worker, target);
    } finally {
      boolean _ = Files.deleteIfExists(file);
    }
  }

  /** The first class of tests that fails. */
  private Optional<String> killer(Worker worker, MutationTarget target)
      throws IOException, InterruptedException {
    List<TestClass> all = TestClass.of(root, target.module());
    for (String name : target.tests()) {
      TestClass test =
          all.stream()
              .filter(it -> it.simpleName().equals(name))
              .findFirst()
              .orElseThrow(() -> new IOException("mutation.txt: there is no test " + name));
      ClassResult result =
          worker.run(
              test, new ForkTask(test.name(), Set.of(), Set.of(TestClass.NIGHTLY)), SILENCE_MAX);
      if (result.count(TestEvent.TestEventKind.FAILED) > 0) {
        return Optional.of(name);
      }
    }
    return Optional.empty();
  }

  private boolean report() {
    List<String> unknown =
        survivors.stream().filter(it -> !plan.equivalent().containsKey(it)).sorted().toList();
    out.printf(
        "%n%d mutants, %d killed, %d known to change nothing, %d survived%n",
        mutants, mutants - survivors.size(), survivors.size() - unknown.size(), unknown.size());
    unknown.forEach(it -> out.println("  " + it));
    return mutants > 0 && unknown.isEmpty();
  }
}
