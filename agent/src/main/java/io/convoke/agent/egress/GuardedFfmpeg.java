package io.convoke.agent.egress;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * An ffmpeg that ends with this process, however that ends: a shell beside it passes on what we
 * write, and ends it when nothing can follow.
 */
final class GuardedFfmpeg implements AutoCloseable {
  private static final Duration ENDING_MAX = Duration.ofSeconds(8);
  private static final int WORDS_MAX = 300;

  private static final String GUARD =
      """
      mkfifo commands || exit 1
      exec 3<&0
      "$@" <commands &
      child=$!
      { cat <&3 >commands; kill -TERM $child; sleep 4; kill -KILL $child; } 2>/dev/null &
      guard=$!
      exec 3<&-
      wait $child
      code=$?
      kill $guard 2>/dev/null
      exit $code
      """;

  private final long started = System.nanoTime();
  private final Process process;
  private final FfmpegPlan plan;
  private final Thread reader;
  private volatile String lastWords = "";
  private volatile long endedAt;
  private Duration cpu = Duration.ZERO;

  private GuardedFfmpeg(Process process, FfmpegPlan plan) {
    this.process = process;
    this.plan = plan;
    this.reader = Thread.ofPlatform().daemon().name("ffmpeg-errors").start(this::read);
  }

  /** Starts it in a folder. */
  static GuardedFfmpeg start(String program, FfmpegPlan plan, Path folder) throws IOException {
    List<String> line = new ArrayList<>(List.of("sh", "-c", GUARD, "sh", program));
    line.addAll(plan.arguments());
    ProcessBuilder builder = new ProcessBuilder(line).directory(folder.toFile());
    builder.environment().keySet().retainAll(List.of("PATH"));
    builder.redirectOutput(ProcessBuilder.Redirect.DISCARD);
    return new GuardedFfmpeg(builder.start(), plan);
  }

  boolean alive() {
    return process.isAlive();
  }

  /** How long it has run; after {@link #end}, how long it ran. */
  Duration age() {
    return Duration.ofNanos((reader.isAlive() ? System.nanoTime() : endedAt) - started);
  }

  /** Sends a command to a filter, as the keyboard of ffmpeg would. */
  void command(String filter, String command) throws IOException {
    OutputStream keyboard = process.getOutputStream();
    keyboard.write("c%s -1 %s\n".formatted(filter, command).getBytes(StandardCharsets.US_ASCII));
    keyboard.flush();
  }

  /** The last line of its errors, without the key of a push. */
  String lastWords() {
    return lastWords;
  }

  /** The processor time that it has used, as far as was seen. */
  Duration cpu() {
    Duration now =
        process
            .descendants()
            .map(child -> child.info().totalCpuDuration().orElse(Duration.ZERO))
            .reduce(Duration.ZERO, Duration::plus);
    cpu = now.compareTo(cpu) > 0 ? now : cpu;
    return cpu;
  }

  /** Ends it so that its last segment is complete. */
  void end() throws InterruptedException {
    closeInput();
    if (!process.waitFor(ENDING_MAX.toMillis(), TimeUnit.MILLISECONDS)) {
      kill();
    }
    boolean _ = reader.join(Duration.ofSeconds(1));
  }

  @Override
  public void close() {
    if (process.isAlive()) {
      kill();
    }
    closeInput();
  }

  private void kill() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    var _ = process.destroyForcibly();
  }

  private void closeInput() {
    try {
      process.getOutputStream().close();
    } catch (IOException closed) {
      // It has ended.
    }
  }

  private void read() {
    try (BufferedReader errors = process.errorReader()) {
      for (String line = errors.readLine(); line != null; line = errors.readLine()) {
        if (!line.isBlank()
            && !line.startsWith("Enter command")
            && !line.startsWith("Command reply")) {
          String words = plan.redacted(line);
          lastWords = words.substring(0, Math.min(words.length(), WORDS_MAX));
        }
      }
    } catch (IOException ended) {
      // Its last words stay.
    } finally {
      endedAt = System.nanoTime();
    }
  }
}
