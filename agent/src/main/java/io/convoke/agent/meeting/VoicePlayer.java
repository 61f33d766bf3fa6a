package io.convoke.agent.meeting;

import io.convoke.agent.CommandRefusedException;
import io.convoke.agent.meeting.MeetingAudio.SoundSink;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a bot says, one speech after the other: each piece of 10 ms goes to the meeting when its
 * time has come.
 */
final class VoicePlayer implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(VoicePlayer.class);
  private static final int WAITING_MAX = 20;
  private static final long PIECE_NANOS = Duration.ofMillis(10).toNanos();

  /** Pieces of silence behind each speech. */
  private static final int PAUSE = 30;

  /** What was not sent in this time is not sent at once later. */
  private static final long LATE_NANOS = Duration.ofMillis(100).toNanos();

  private final BlockingQueue<Speech> waiting = new ArrayBlockingQueue<>(WAITING_MAX);
  private final CountDownLatch closing = new CountDownLatch(1);
  private final Thread thread;

  /** When the next piece is to be sent. */
  private long due = System.nanoTime();

  /** A sound, and where it goes. */
  private record Speech(PlayedSound sound, SoundSink sink) {}

  VoicePlayer() {
    thread = Thread.ofVirtual().name("voice").start(this::run);
  }

  /**
   * Takes a sound, which it closes.
   *
   * @throws CommandRefusedException if too much waits
   */
  void add(PlayedSound sound, SoundSink sink) throws CommandRefusedException {
    if (closing.getCount() == 0 || !waiting.offer(new Speech(sound, sink))) {
      sound.close();
      throw new CommandRefusedException(
          closing.getCount() == 0 ? "the bot leaves" : "too much waits to be said");
    }
  }

  /** Ends in the middle of a word. */
  @Override
  public void close() {
    closing.countDown();
    thread.interrupt();
    waiting.forEach(speech -> speech.sound().close());
  }

  private void run() {
    try {
      while (closing.getCount() > 0) {
        Speech speech = waiting.take();
        try (PlayedSound sound = speech.sound()) {
          play(sound, speech.sink());
        } catch (IOException | RuntimeException e) {
          log.warn("a speech ended early: {}", e.toString());
        }
      }
    } catch (InterruptedException stopped) {
      log.trace("nothing more is said");
    }
  }

  private void play(PlayedSound sound, SoundSink sink) throws IOException, InterruptedException {
    due = Math.max(due, System.nanoTime());
    for (var piece = sound.next(); piece.isPresent(); piece = sound.next()) {
      send(piece.get(), sink);
    }
    for (int i = 0; i < PAUSE; i++) {
      send(new byte[2 * PlayedSound.PIECE], sink);
    }
  }

  /** Sends a piece at its time. */
  private void send(byte[] piece, SoundSink sink) throws InterruptedException {
    long early = due - System.nanoTime();
    if (early > 0 && closing.await(early, TimeUnit.NANOSECONDS)) {
      throw new InterruptedException("closed");
    }
    sink.samples(piece, PlayedSound.RATE);
    due = (early < -LATE_NANOS ? System.nanoTime() : due) + PIECE_NANOS;
  }
}
