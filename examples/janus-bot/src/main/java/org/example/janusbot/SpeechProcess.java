package org.example.janusbot;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A transcriber of one speaker: a process of its own that reads raw sound of 16 kHz, 16 bits and
 * one channel, and writes a line for each utterance, or drafts of it behind {@code ~}. Sound that
 * it does not take in time is dropped, so that no speaker keeps another one waiting. One that ends
 * by itself is started again after a pause.
 */
final class SpeechProcess implements MeetingAudio.SoundSink, AutoCloseable {
  private static final int RATE = 16_000;

  /** Pieces of 10 ms: ten seconds. */
  private static final int WAITING_MAX = 1000;

  private static final byte[] END = new byte[0];
  private static final long PAUSE_MIN = 1;
  private static final long PAUSE_MAX = 30;

  private final BlockingQueue<byte[]> waiting = new ArrayBlockingQueue<>(WAITING_MAX);
  private final CountDownLatch closing = new CountDownLatch(1);
  private final String command;
  private final String person;
  private final Consumer<String> lines;
  private volatile Process process;
  private volatile Thread reader;

  /** Starts it; {@code lines} gets each utterance on a thread of its own. */
  SpeechProcess(String command, String person, Consumer<String> lines) throws IOException {
    this.command = command;
    this.person = person;
    this.lines = lines;
    start();
    Thread _ = Thread.ofVirtual().name("sound").start(this::keep);
  }

  private void start() throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder("/bin/sh", "-c", "exec " + command)
            .redirectError(ProcessBuilder.Redirect.DISCARD);
    // Settings that keep the bot small are slow for a program of many threads.
    boolean _ = builder.environment().keySet().removeIf(name -> name.startsWith("MALLOC_"));
    Process started = builder.start();
    process = started;
    reader = Thread.ofVirtual().name("words").start(() -> read(started));
  }

  @Override
  public void samples(byte[] pcm, int sampleRate) {
    boolean _ = waiting.offer(sampleRate == RATE ? pcm : slower(pcm, sampleRate));
  }

  /** Averages as many samples as become one. */
  private static byte[] slower(byte[] pcm, int sampleRate) {
    int step = sampleRate / RATE;
    byte[] less = new byte[pcm.length / step / 2 * 2];
    for (int i = 0; i < less.length / 2; i++) {
      int sum = 0;
      for (int j = 0; j < step; j++) {
        int at = 2 * (i * step + j);
        sum += (short) ((pcm[at] & 0xff) | (pcm[at + 1] << 8));
      }
      int value = sum / step;
      less[2 * i] = (byte) value;
      less[2 * i + 1] = (byte) (value >> 8);
    }
    return less;
  }

  /** Gives it the sound until the end, and starts it again where it ended before. */
  private void keep() {
    try {
      long pause = PAUSE_MIN;
      while (!write(process)) {
        System.err.println("the transcriber of " + person + " ended; again in " + pause + " s");
        if (closing.await(pause, TimeUnit.SECONDS)) {
          return;
        }
        pause = Math.min(2 * pause, PAUSE_MAX);
        start();
      }
    } catch (IOException failed) {
      System.err.println("no transcriber for " + person + ": " + failed.getMessage());
    } catch (InterruptedException stopped) {
      process.destroy();
    }
  }

  /** Returns whether the sound ended before the process. */
  private boolean write(Process listener) throws InterruptedException {
    try (OutputStream out = listener.getOutputStream()) {
      for (byte[] piece = waiting.take(); piece != END; piece = waiting.take()) {
        out.write(piece);
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

  /** Ends the sound and waits for the last words, a few seconds at most. */
  @Override
  public void close() {
    closing.countDown();
    try {
      if (!waiting.offer(END, 1, TimeUnit.SECONDS)) {
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
