package io.convoke.agent.meeting;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A transcriber of one speaker: a process of its own that reads raw sound of 16 kHz, 16 bits and
 * one channel, and writes a line for each utterance, or drafts of it behind {@code ~}. Sound that
 * it does not take in time is dropped, so that no speaker keeps another one waiting.
 */
final class SpeechProcess implements AutoCloseable {
  /** Pieces of 10 ms: ten seconds. */
  private static final int WAITING_MAX = 1000;

  /** Pieces of sound; nothing ends it. */
  private final BlockingQueue<Optional<byte[]>> waiting = new ArrayBlockingQueue<>(WAITING_MAX);

  private final Process process;
  private final Thread reader;

  /** Starts it; {@code lines} gets each utterance on a thread of its own. */
  SpeechProcess(String command, Consumer<String> lines) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder("/bin/sh", "-c", "exec " + command)
            .redirectError(ProcessBuilder.Redirect.DISCARD);
    // Settings that keep the bot small are slow for a program of many threads.
    boolean _ = builder.environment().keySet().removeIf(name -> name.startsWith("MALLOC_"));
    process = builder.start();
    // Reading and writing pipes holds a virtual thread's carrier, of which there may be two.
    Thread _ = Thread.ofPlatform().daemon().name("sound").start(this::write);
    reader = Thread.ofPlatform().daemon().name("words").start(() -> read(lines));
  }

  /** Takes the next piece of sound. */
  void samples(byte[] pcm) {
    boolean _ = waiting.offer(Optional.of(pcm));
  }

  private void write() {
    try (OutputStream out = process.getOutputStream()) {
      for (Optional<byte[]> piece = waiting.take(); piece.isPresent(); piece = waiting.take()) {
        out.write(piece.get());
        if (waiting.isEmpty()) {
          out.flush();
        }
      }
    } catch (IOException | InterruptedException ended) {
      process.destroy();
    }
  }

  private void read(Consumer<String> lines) {
    try (BufferedReader in = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        if (!line.isBlank()) {
          lines.accept(line.strip());
        }
      }
    } catch (IOException ended) {
      // The process is gone.
    }
  }

  /** Ends the sound and waits for the last words, a few seconds at most. */
  @Override
  public void close() {
    try {
      if (!waiting.offer(Optional.empty(), 1, TimeUnit.SECONDS)) {
        process.destroy();
      }
      if (!process.waitFor(5, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
      reader.join(1000);
    } catch (InterruptedException stopped) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
