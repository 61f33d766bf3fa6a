package io.convoke.gate;

import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/** One run over the test classes of all modules that the root pom names. */
final class Gate {
  /** The property with the AOT cache of a server's start; {@code ./convoke} sets it. */
  private static final String LEARNED = "convoke.learned";

  /** JUnit interrupts a test after this; a fork that it cannot interrupt is killed later. */
  private static final String TEST_MAX = "120 s";

  /** One fork of so many may run a heavy class. */
  private static final int HEAVY_SHARE = 3;

  /** Four times what a test may take that says nothing else. */
  static final Duration SILENCE_MAX = Duration.ofMinutes(8);

  private final Path root;
  private final Options options;
  private final PrintStream out;
  private final Duration silenceMax;
  private final Path results;

  /**
   * @param silenceMax a JVM in which no test begins or ends for so long is killed, unless a
   *     {@code @Timeout} lets one take longer
   */
  Gate(Path root, Options options, PrintStream out, Duration silenceMax) {
    this.silenceMax = silenceMax;
    this.root = root.toAbsolutePath().normalize();
    this.options = options;
    this.out = out;
    this.results = this.root.resolve("target/tests");
  }

  /** Returns whether at least one test ran and none failed. */
  boolean run() throws IOException, InterruptedException {
    long begun = System.nanoTime();
    Files.createDirectories(results);
    List<TestClass> classes =
        modules().stream()
            .flatMap(module -> TestClass.of(root, module).stream())
            .filter(options::wants)
            .toList();
    Path measured = results.resolve("durations");
    Durations durations = Durations.read(root.resolve("gate/durations"), measured);
    int forks = Math.min(options.forks(), classes.size());
    Pending pending = new Pending(classes, durations::of, Math.max(1, forks / HEAVY_SHARE));
    Report report = new Report(out, classes.size());
    out.printf("convoke: %d test classes in %d JVMs%n", classes.size(), forks);
    try (ExecutorService threads = Executors.newFixedThreadPool(Math.max(1, forks))) {
      CompletionService<String> ended = new ExecutorCompletionService<>(threads);
      for (int i = 0; i < forks; i++) {
        int slot = i;
        Future<String> _ =
            ended.submit(
                () -> {
                  work(slot, pending, durations, report);
                  return "done";
                });
      }
      try {
        for (int i = 0; i < forks; i++) {
          String _ = ended.take().get();
        }
      } catch (ExecutionException e) {
        List<Runnable> _ = threads.shutdownNow();
        throw new IOException("the tests cannot be run", e);
      }
    }
    return report.close(Duration.ofNanos(System.nanoTime() - begun));
  }

  private void work(int slot, Pending pending, Durations durations, Report report)
      throws IOException, InterruptedException {
    Optional<Worker> worker = Optional.empty();
    try {
      Optional<TestClass> next = pending.take(Optional.empty(), Optional.empty());
      while (next.isPresent()) {
        TestClass test = next.get();
        if (worker.filter(it -> it.usable() && it.module().equals(test.module())).isEmpty()) {
          worker.ifPresent(Worker::close);
          worker = Optional.empty();
          worker = Optional.of(start(slot, test.module()));
        }
        Set<String> methods = options.methods(test);
        ClassResult result =
            worker
                .get()
                .run(
                    test,
                    new ForkTask(test.name(), methods, options.excludedTags()),
                    silenceMax(test));
        if (methods.isEmpty() || !test.method().isEmpty()) {
          durations.measured(test, result.took().toMillis() / 1000.0);
          durations.write(results.resolve("durations"));
        }
        report.add(result);
        next = pending.take(worker.map(Worker::module), next);
      }
    } finally {
      worker.ifPresent(Worker::close);
    }
  }

  /** JUnit interrupts a test at its own limit, so silence tells something after twice that. */
  private Duration silenceMax(TestClass test) {
    Duration own = test.longest().multipliedBy(2);
    return own.compareTo(silenceMax) > 0 ? own : silenceMax;
  }

  private Worker start(int slot, String module) throws IOException {
    Path log = results.resolve(module + '-' + slot + ".log");
    List<String> command = fork(classPath(root, module), options);
    return Worker.start(module, root.resolve(module), command, log);
  }

  /** The JVM of a fork with its flags and class path. */
  static List<String> fork(String classPath, Options options) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "-Xmx768m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "--enable-native-access=ALL-UNNAMED",
            "-Djunit.jupiter.execution.timeout.default=" + TEST_MAX));
    command.addAll(options.properties());
    // Servers that tests start load what an earlier start of a server learned.
    String learned = System.getProperty(LEARNED, "");
    if (!learned.isEmpty()) {
      command.add("-D" + LEARNED + "=" + learned);
    }
    command.addAll(List.of("-cp", classPath));
    return command;
  }

  /** What the tests of a module see. */
  static String classPath(Path root, String module) throws IOException {
    Path folder = root.resolve(module);
    return String.join(
        File.pathSeparator,
        folder.resolve("target/test-classes").toString(),
        folder.resolve("target/classes").toString(),
        Files.readString(folder.resolve("target/test.classpath")).strip(),
        root.resolve("gate/target/lib").toString() + "/*");
  }

  private List<String> modules() throws IOException {
    try {
      NodeList found =
          DocumentBuilderFactory.newDefaultInstance()
              .newDocumentBuilder()
              .parse(root.resolve("pom.xml").toFile())
              .getElementsByTagName("module");
      List<String> modules = new ArrayList<>();
      for (int i = 0; i < found.getLength(); i++) {
        modules.add(found.item(i).getTextContent().strip());
      }
      return modules;
    } catch (ParserConfigurationException | SAXException e) {
      throw new IOException("cannot read the modules of " + root, e);
    }
  }
}
