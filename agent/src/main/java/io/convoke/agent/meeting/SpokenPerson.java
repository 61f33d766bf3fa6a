package io.convoke.agent.meeting;

import io.convoke.agent.meeting.Utterance.SpeechTimes;
import java.io.IOException;
import java.util.Optional;
import java.util.function.DoubleSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One person's sound on its way to a transcriber of its own, whose lines get the times at which the
 * person spoke. A track that begins again goes on here.
 */
final class SpokenPerson implements MeetingAudio.SoundSink, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(SpokenPerson.class);

  /** What a draft begins with, on the line of a transcriber. */
  private static final String DRAFT = "~";

  private final Utterance utterance;
  private final SpeechListener words;
  private final SoundListener sound;
  private final Optional<SpeechProcess> transcriber;

  /** Takes words of the person. */
  @FunctionalInterface
  interface SpeechListener {
    void said(String words, SpeechTimes times, boolean draft);
  }

  /** Takes each piece of sound, of 16 kHz. */
  @FunctionalInterface
  interface SoundListener {
    void heard(byte[] pcm, boolean speaking);
  }

  /** {@code clock}: seconds since the session began. */
  SpokenPerson(
      MeetingAudio.Person person,
      Optional<String> command,
      DoubleSupplier clock,
      SpeechListener words,
      SoundListener sound) {
    this.utterance = new Utterance(clock);
    this.words = words;
    this.sound = sound;
    this.transcriber = command.flatMap(it -> transcriber(person, it));
  }

  private Optional<SpeechProcess> transcriber(MeetingAudio.Person person, String command) {
    try {
      return Optional.of(new SpeechProcess(command, person.id(), this::line));
    } catch (IOException failed) {
      log.warn("{} has no transcriber: {}", person.id(), failed.getMessage());
      return Optional.empty();
    }
  }

  @Override
  public void samples(byte[] pcm, int sampleRate) {
    byte[] speech = SpeechSound.of(pcm, sampleRate);
    boolean speaking = utterance.heard(speech);
    transcriber.ifPresent(process -> process.samples(speech));
    sound.heard(speech, speaking);
  }

  /** A line is final words, or a draft of them. */
  private void line(String line) {
    boolean draft = line.startsWith(DRAFT);
    String text = draft ? line.substring(DRAFT.length()).strip() : line;
    if (!text.isEmpty()) {
      words.said(text, draft ? utterance.draft(text) : utterance.said(text), draft);
    }
  }

  /** Ends the sound and waits for the last words, a minute at most. */
  @Override
  public void close() {
    transcriber.ifPresent(SpeechProcess::close);
  }
}
