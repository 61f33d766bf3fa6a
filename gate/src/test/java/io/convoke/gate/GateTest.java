package io.convoke.gate;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the gate over two small modules that each test compiles. */
class GateTest {
  @TempDir Path root;

  private Duration silenceMax = Duration.ofSeconds(60);
  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

  @BeforeEach
  void modules() throws IOException {
    Path _ =
        Files.writeString(
            root.resolve("pom.xml"),
            "<project><modules><module>one</module><module>two</module></modules></project>");
    compile(
        "one", "FineTest", "@Test void aFolder() { assertTrue(Files.exists(Path.of(\"one\"))); }");
    Path _ = Files.writeString(root.resolve("one/one"), "the working directory of the tests");
    compile("two", "OtherTest", "@Test void fine() {}");
  }

  @Tag("nightly")
  @Test
  void testsOfAllModulesPassInTheFolderOfTheirModule() throws Exception {
    assertThat(run()).isTrue();
    assertThat(printed()).endsWith("\n2 passed, 0 failed, 0 skipped\n");
    assertThat(root.resolve("target/tests/durations")).content().contains("one FineTest ");
  }

  @Tag("nightly")
  @Test
  void aFailureIsShownWithItsTraceWhatItPrintedAndHowToRunItAgain() throws Exception {
    compile(
        "two",
        "BadTest",
        "@Test void bad() { System.out.println(\"about to fail\"); fail(\"it is broken\"); }");
    assertThat(run()).isFalse();
    assertThat(printed())
        .contains("it is broken", "BadTest.bad(BadTest.java", "about to fail")
        .contains("again: ./convoke test --only BadTest")
        .endsWith("\n2 passed, 1 failed, 0 skipped\n");
  }

  @Tag("nightly")
  @Test
  void aSkippedTestIsNamedWithItsReasonAtTheEnd() throws Exception {
    compile(
        "two",
        "DockerTest",
        "@BeforeAll static void docker() {"
            + " throw new org.opentest4j.TestAbortedException(\"no Docker\"); }"
            + " @Test void a() {} @Test void b() {}");
    assertThat(run()).isTrue();
    assertThat(printed().substring(printed().indexOf("SKIPPED, NOT TESTED: 2 tests")))
        .contains("no Docker", "DockerTest#a", "DockerTest#b")
        .endsWith("\n2 passed, 0 failed, 2 skipped\n");
  }

  @Test
  @Tag("nightly")
  void aTestThatDoesNotEndIsInterruptedAndFails() throws Exception {
    compile(
        "two",
        "SlowTest",
        "@Test void slow() throws Exception { new java.util.concurrent.Semaphore(0).acquire(); }");
    assertThat(run("-Djunit.jupiter.execution.timeout.default=1 s")).isFalse();
    assertThat(printed()).contains("FAILED two SlowTest#slow", "timed out after 1 second");
  }

  @Tag("nightly")
  @Test
  void aTestThatCannotBeInterruptedIsKilledAndItsThreadsAreShown() throws Exception {
    silenceMax = Duration.ofSeconds(10);
    compile(
        "two",
        "UninterruptibleTest",
        "@Test void park() { while (true) { java.util.concurrent.locks.LockSupport.park(); } }");
    assertThat(run("--only", "UninterruptibleTest")).isFalse();
    assertThat(printed())
        .contains(
            "FAILED two UninterruptibleTest#park",
            "at UninterruptibleTest.park(UninterruptibleTest.java")
        .endsWith("\n0 passed, 1 failed, 0 skipped\n");
  }

  @Tag("nightly")
  @Test
  void aTestMayBeSilentForAsLongAsItSaysItMayTake() throws Exception {
    silenceMax = Duration.ofMillis(1);
    compile(
        "two",
        "PatientTest",
        "@Timeout(value = 1, unit = java.util.concurrent.TimeUnit.MINUTES) @Test void patient()"
            + " {}");
    assertThat(run("--only", "PatientTest")).isTrue();
    assertThat(printed()).endsWith("\n1 passed, 0 failed, 0 skipped\n");
  }

  @Tag("nightly")
  @Test
  void aTestThatEndsItsProcessIsAFailureAndTheOthersRun() throws Exception {
    compile("two", "ExitTest", "@Test void exit() { System.exit(3); }");
    assertThat(run("--forks", "1")).isFalse();
    assertThat(printed())
        .contains("FAILED two ExitTest#exit", "exit code 3")
        .endsWith("\n2 passed, 1 failed, 0 skipped\n");
  }

  @Tag("nightly")
  @Test
  void taggedTestsRunWhenTheyAreAskedFor() throws Exception {
    compile(
        "two",
        "SplitTest",
        "@Test void usual() {} @Tag(\"nightly\") @Test void rare() {}",
        "@Tag(\"split\")");
    compile("two", "LongTest", "@Test void a() {}", "@Tag(\"nightly\")");
    assertThat(run()).isTrue();
    assertThat(printed()).endsWith("\n3 passed, 0 failed, 0 skipped\n");
    assertThat(run("--all")).isTrue();
    assertThat(printed()).endsWith("\n5 passed, 0 failed, 0 skipped\n");
    assertThat(run("--only", "SplitTest#rare")).isTrue();
    assertThat(printed()).endsWith("\n1 passed, 0 failed, 0 skipped\n");
  }

  @Test
  void aRunWithoutATestFails() throws Exception {
    assertThat(run("--only", "NoSuchTest")).isFalse();
    assertThat(printed()).endsWith("\n0 passed, 0 failed, 0 skipped\n");
  }

  private boolean run(String... arguments) throws IOException, InterruptedException {
    PrintStream out = new PrintStream(printed, true, UTF_8);
    return new Gate(root, Options.parse(arguments), out, silenceMax).run();
  }

  private String printed() {
    return printed.toString(UTF_8);
  }

  /** Compiles a test class into a module, as a build leaves it. */
  private void compile(String module, String name, String body, String... annotations)
      throws IOException {
    Path target = Files.createDirectories(root.resolve(module).resolve("target"));
    Path classes = Files.createDirectories(target.resolve("test-classes"));
    Path source =
        Files.writeString(
            root.resolve(name + ".java"),
            """
            import static org.junit.jupiter.api.Assertions.*;
            import java.nio.file.*;
            import org.junit.jupiter.api.*;
            %s class %s { %s }
            """
                .formatted(String.join(" ", annotations), name, body));
    String path = System.getProperty("java.class.path");
    List<String> javac = List.of("-cp", path, "-d", classes.toString(), source.toString());
    assertThat(
            ToolProvider.getSystemJavaCompiler()
                .run(null, printed, printed, javac.toArray(String[]::new)))
        .isZero();
    Path _ = Files.writeString(target.resolve("test.classpath"), path);
  }
}
