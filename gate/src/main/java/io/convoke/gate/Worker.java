package io.convoke.gate;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The scheduler's side of a {@link Fork}: starts its process, sends it classes, receives results.
 */
final class Worker implements AutoCloseable {
  private static final Duration START_MAX = Duration.ofMinutes(1);
  private static final Duration END_MAX = Duration.ofSeconds(20);
  private static final int TAIL_LINES = 80;

  private final String module;
  private final Path log;
  private final Process process;
  private final Socket socket;
  private final DataInputStream events;
  private final DataOutputStream orders;
  private boolean usable = true;

  private Worker(String module, Path log, Process process, Socket socket) throws IOException {
    this.module = module;
    this.log = log;
    this.process = process;
    this.socket = socket;
    this.events = new DataInputStream(socket.getInputStream());
    this.orders = new DataOutputStream(socket.getOutputStream());
  }

  /**
   * Starts a fork.
   *
   * @param command the JVM with its flags and class path, without the main class
   * @param log where what tests print goes
   */
  static Worker start(String module, Path folder, List<String> command, Path log)
      throws IOException {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      server.setSoTimeout((int) START_MAX.toMillis());
      List<String> line = new ArrayList<>(command);
      line.addAll(List.of(Fork.class.getName(), Integer.toString(server.getLocalPort())));
      Process process =
          new ProcessBuilder(line)
              .directory(folder.toFile())
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
              .start();
      try {
        Socket socket = server.accept();
        return new Worker(module, log, process, socket);
      } catch (IOException e) {
        process.destroyForcibly();
        throw new IOException("the JVM for the tests of " + module + " did not start: " + log, e);
      }
    }
  }

  String module() {
    return module;
  }

  /** False once a class has ended the process. */
  boolean usable() {
    return usable;
  }

  /**
   * Runs a class; a process that dies or goes silent is a failure of the class.
   *
   * @param silenceMax a fork that reports nothing for so long is killed
   */
  ClassResult run(TestClass test, ForkTask order, Duration silenceMax)
      throws IOException, InterruptedException {
    long begun = System.nanoTime();
    long logged = Files.size(log);
    List<TestEvent> finished = new ArrayList<>();
    TestEvent last = new TestEvent(TestEvent.TestEventKind.TEST_STARTED, test.simpleName(), "", 0);
    long cpu = 0;
    try {
      socket.setSoTimeout((int) silenceMax.toMillis());
      order.write(orders);
      while (last.kind() != TestEvent.TestEventKind.CLASS_ENDED) {
        last = TestEvent.read(events);
        switch (last.kind()) {
          case TEST_STARTED -> {}
          case PASSED, FAILED, SKIPPED -> finished.add(last);
          case CLASS_ENDED -> cpu = last.millis();
        }
      }
    } catch (SocketTimeoutException e) {
      String what =
          "no test ended for %d s; its threads:%n%s".formatted(silenceMax.toSeconds(), threads());
      finished.add(
          new TestEvent(TestEvent.TestEventKind.FAILED, last.test(), what, silenceMax.toMillis()));
      kill();
    } catch (IOException e) {
      kill();
      String what = "the process of the tests ended with exit code " + process.exitValue();
      finished.add(new TestEvent(TestEvent.TestEventKind.FAILED, last.test(), what, 0));
    }
    Duration took = Duration.ofNanos(System.nanoTime() - begun);
    boolean failed = finished.stream().anyMatch(it -> it.kind() == TestEvent.TestEventKind.FAILED);
    return new ClassResult(
        test, finished, took, Duration.ofMillis(cpu), failed ? printedSince(logged) : "");
  }

  /** The stack of each thread of the fork. */
  private String threads() throws IOException, InterruptedException {
    Process jcmd =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                Long.toString(process.pid()),
                "Thread.print")
            .redirectErrorStream(true)
            .start();
    try (var reader = jcmd.inputReader(StandardCharsets.UTF_8)) {
      return String.join("\n", reader.lines().toList());
    }
  }

  private void kill() throws InterruptedException {
    usable = false;
    List<ProcessHandle> children = process.descendants().toList();
    process.destroyForcibly();
    children.forEach(ProcessHandle::destroyForcibly);
    int _ = process.waitFor();
  }

  private String printedSince(long offset) throws IOException {
    byte[] all = Files.readAllBytes(log);
    String text = new String(all, (int) offset, all.length - (int) offset, StandardCharsets.UTF_8);
    List<String> lines = text.lines().toList();
    int from = Math.max(0, lines.size() - TAIL_LINES);
    return String.join("\n", lines.subList(from, lines.size()));
  }

  /** Lets the fork end, with its stores. */
  @Override
  public void close() {
    try {
      socket.close();
      if (!process.waitFor(END_MAX.toSeconds(), TimeUnit.SECONDS)) {
        kill();
      }
    } catch (IOException e) {
      process.destroyForcibly();
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
