package io.convoke.agent.meeting;

import io.convoke.agent.meeting.MeetingAudio.Person;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** A meeting without a network, in which a test says who comes and what is heard. */
final class HeardMeeting implements MeetingAudio {
  private static final int PIECE = 960;

  private final List<Person> there;
  private volatile @Nullable MeetingListener listener;
  volatile boolean closed;

  /** Counted down when the bot begins to leave. */
  final CountDownLatch leaving = new CountDownLatch(1);

  /** What the bot then waits for. */
  volatile CountDownLatch answer = new CountDownLatch(0);

  /** The name that the bot joined with. */
  volatile String shown = "";

  /** With those who are there before the bot. */
  HeardMeeting(String... names) {
    there = Arrays.stream(names).map(HeardMeeting::person).toList();
  }

  static Person person(String name) {
    return new Person("id-of-" + name, name, Instant.EPOCH);
  }

  @Override
  public List<Person> join(String name, MeetingListener itsListener) {
    listener = itsListener;
    shown = name;
    return there;
  }

  MeetingListener listener() {
    return Optional.ofNullable(listener).orElseThrow();
  }

  /** Sound of 48 kHz and one value. */
  static void hear(SoundSink sink, int seconds, char value) {
    byte[] pcm = new byte[PIECE];
    Arrays.fill(pcm, (byte) value);
    for (int i = 0; i < seconds * 100; i++) {
      sink.samples(pcm, 48_000);
    }
  }

  @Override
  public String self() {
    return "us";
  }

  @Override
  public void close() {
    leaving.countDown();
    try {
      answer.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    closed = true;
  }
}
