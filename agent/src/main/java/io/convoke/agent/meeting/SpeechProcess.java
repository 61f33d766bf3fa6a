package io.convoke.agent.meeting;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A transcriber of one speaker: a process of its own that reads raw sound of 16 kHz, 16 bits and
 * one channel, and writes a line for each utterance, or drafts of it behind {@code ~}. Sound that
 * it does not take in time is dropped, so that no speaker keeps another one waiting. One that ends
 * by itself is started again after a pause.
 */
final class SpeechProcess implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(SpeechProcess.class);

  /** Pieces of 10 ms: ten seconds. */
  private static final int WAITING_MAX = 1000;

  /** The time of a slow transcriber for what waits at the end of the sound. */
  private static final long LAST_WORDS_MAX_S = 60;

  private static final long PAUSE_MIN = 1;
  private static final long PAUSE_MAX = 30;

  /** Pieces of sound; nothing ends it. */
  private final BlockingQueue<Optional<byte[]>> waiting = new ArrayBlockingQueue<>(WAITING_MAX);

  private final CountDownLatch closing = new CountDownLatch(1);
  private final String command;
  private final String person;
  private final Consumer<String> lines;
  private volatile Listening listening;

  /** Nothing is taken from what waits any more. */
  private volatile boolean over;

  /** The program that runs, and what reads its lines. */
  private record Listening(Process process, Thread reader) {}

  /** Starts it; {@code lines} gets each utterance on a thread of its own. */
  SpeechProcess(String command, String person, Consumer<String> lines) throws IOException {
    this.command = command;
    this.person = person;
    this.lines = lines;
    this.listening = start();
    // Reading and writing pipes holds a virtual thread's carrier, of which there may be two.
    Thread _ = Thread.ofPlatform().daemon().name("sound").start(this::keep);
  }

  private Listening start() throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder("/bin/sh", "-c", "exec " + command)
            .redirectError(ProcessBuilder.Redirect.DISCARD);
    // Settings that keep the bot small are slow for a program of many threads.
    boolean _ = builder.environment().keySet().removeIf(name -> name.startsWith("MALLOC_"));
    Process process = builder.start();
    return new Listening(
        process, Thread.ofPlatform().daemon().name("words").start(() -> read(process)));
  }

  /** Takes the next piece of sound; none once it ends, so that the mark of the end finds room. */
  void samples(byte[] pcm) {
    if (!over && closing.getCount() > 0) {
      boolean _ = waiting.offer(Optional.of(pcm));
    }
  }

  /** Gives it the sound until the end, and starts it again where it ended before. */
  private void keep() {
    try {
      long pause = PAUSE_MIN;
      while (!write(listening.process())) {
        log.warn("The transcriber of {} ended; another one starts in {} s", person, pause);
        if (closing.await(pause, TimeUnit.SECONDS)) {
          return;
        }
        pause = Math.min(2 * pause, PAUSE_MAX);
        listening = start();
      }
    } catch (IOException failed) {
      log.warn("{} has no transcriber: {}", person, failed.getMessage());
    } catch (InterruptedException stopped) {
      listening.process().destroy();
    } finally {
      over = true;
      // The end of the sound may be waiting for room.
      waiting.clear();
    }
  }

  /** Returns whether the sound ended before the process. */
  private boolean write(Process listener) throws InterruptedException {
    try (OutputStream out = listener.getOutputStream()) {
      for (Optional<byte[]> piece = waiting.take(); piece.isPresent(); piece = waiting.take()) {
        out.write(piece.get());
        if (waiting.isEmpty()) {
          out.flush();
        }
      }
      return true;
    } catch (IOException ended) {
      listener.destroy();
      return closing.getCount() == 0;
    }
  }

  private void read(Process listener) {
    try (BufferedReader in = listener.inputReader(StandardCharsets.UTF_8)) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        if (!line.isBlank()) {
          lines.accept(line.strip());
        }
      }
    } catch (IOException ended) {
      // The process is gone.
    }
  }

  /** Ends the sound and waits for the last words, a minute at most. */
  @Override
  public void close() {
    closing.countDown();
    try {
      if (!over && !waiting.offer(Optional.empty(), LAST_WORDS_MAX_S, TimeUnit.SECONDS)) {
        listening.process().destroy();
      }
      if (!listening.process().waitFor(LAST_WORDS_MAX_S, TimeUnit.SECONDS)) {
        Process _ = listening.process().destroyForcibly();
      }
      boolean _ = listening.reader().join(Duration.ofSeconds(1));
    } catch (InterruptedException stopped) {
      Process _ = listening.process().destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
