package io.convoke.agent.meeting;

import io.convoke.agent.CommandRefusedException;
import java.time.Instant;
import java.util.List;

/** A meeting with sound: who is in it, and what each of them says, apart from the others. */
public interface MeetingAudio extends AutoCloseable {

  /** A participant's connection. */
  record Person(String id, String name, Instant joinedAt) {}

  /** Sound of one person: 16 bits, little endian, one channel. */
  @FunctionalInterface
  interface SoundSink {
    /** Takes the next piece, 10 ms long; called on a thread of the media library. */
    void samples(byte[] pcm, int sampleRate);
  }

  /** What happens in the meeting; called on one thread, in order. */
  interface MeetingListener {
    /** Someone is there, or came. */
    void joined(Person person);

    /** Someone left. */
    void left(String id, Instant at);

    /** Sound of a person begins, or begins again on another track; returns where it goes. */
    SoundSink heard(Person person);

    /** A person wrote into the chat. */
    default void wrote(Person person, String text) {}

    /**
     * The meeting is over for us: {@code meeting_ended}, {@code removed} or {@code platform_gone}.
     */
    void ended(String reason);
  }

  /**
   * Joins without a sound of our own; returns those who are there.
   *
   * @throws JoinRefused when we may not
   */
  List<Person> join(String name, MeetingListener listener) throws Exception;

  /**
   * Where sound of our own goes, in pieces of 10 ms with 48 kHz; they are sent as they come. Waits
   * until the others can hear it.
   *
   * @throws CommandRefusedException if it cannot be sent
   */
  default SoundSink voice() throws Exception {
    throw new CommandRefusedException("this bot does not speak");
  }

  /**
   * Writes into the chat.
   *
   * @throws CommandRefusedException if it cannot
   */
  default void write(String text) throws Exception {
    throw new CommandRefusedException("this bot does not write into the chat");
  }

  /** Our own id in the meeting. */
  String self();

  /** Leaves; nothing is reported afterwards. */
  @Override
  void close();

  /** The meeting does not let us in. */
  final class JoinRefused extends Exception {
    /** With what the platform said. */
    public JoinRefused(String reason) {
      super(reason);
    }
  }
}
