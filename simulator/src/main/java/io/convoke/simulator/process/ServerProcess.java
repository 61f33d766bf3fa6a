package io.convoke.simulator.process;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * A real Convoke server in its own process, started by the command that an operator uses, from the
 * class path of this one. Its only interfaces are its command line and HTTP.
 */
public final class ServerProcess implements AutoCloseable {
  /** A server that lives for minutes starts faster without the second compiler. */
  private static final List<String> QUICK_START = List.of("-XX:TieredStopAtLevel=1");

  private final OrphanReaper orphanReaper;
  private final JavaProgramSpec program;
  private JavaProcess process;

  private ServerProcess(OrphanReaper orphanReaper, JavaProgramSpec program) {
    this.orphanReaper = orphanReaper;
    this.program = program;
    this.process = JavaProcess.start(program, orphanReaper);
  }

  /**
   * Starts a server and waits until it is ready.
   *
   * @param arguments as after {@code ./convoke}, for example {@code serve --roles api}
   * @param environment its settings; it inherits none from this process
   * @param log its output file
   * @throws ChildProcessException with the end of its log if it does not become ready
   */
  public static ServerProcess start(
      OrphanReaper orphanReaper,
      List<String> arguments,
      Map<String, String> environment,
      Path log) {
    return new ServerProcess(
        orphanReaper,
        JavaProgramSpec.server("server", arguments, environment, log).withFlags(QUICK_START));
  }

  /** Where it listens. */
  public String url() {
    return process.url().toString();
  }

  public long pid() {
    return process.pid();
  }

  /** Ends it as an operator would, with time to drain. */
  public void stop() {
    int _ = process.stop();
  }

  /** Ends it with kill -9. */
  public void kill() {
    process.kill();
  }

  /** Suspends it, as a hung virtual machine, or resumes it. */
  public void pause(boolean paused) {
    process.pause(paused);
  }

  /** Starts it again with the same settings; a fixed port stays the same. */
  public void restart() {
    process = JavaProcess.start(program, orphanReaper);
  }

  @Override
  public void close() {
    process.close();
  }
}
