package io.convoke.agent.meeting;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.DoubleSupplier;

/**
 * When one person speaks, by how loud the sound is: a transcriber that writes lines tells no times.
 */
final class Utterance {
  /** Of 32,768: louder than a quiet room, quieter than a voice. */
  private static final int LOUD = 500;

  /** Seconds of silence between two utterances. */
  private static final double PAUSE = 0.8;

  /** Seconds of speech without words after which its beginning is forgotten. */
  private static final double LONGEST = 60;

  /** Pieces of 10 ms; a click is shorter. */
  private static final int SPEECH = 20;

  private final DoubleSupplier clock;
  private final Deque<SpeechTimes> pending = new ArrayDeque<>();
  private double draftFrom = Double.NaN;

  /** Pieces that were loud since the last pause. */
  private int loudPieces;

  private double lastLoud = Double.NEGATIVE_INFINITY;

  /** When a person speaks, in seconds of the session. */
  record SpeechTimes(double from, double to) {}

  /** {@code clock} tells seconds since the session began. */
  Utterance(DoubleSupplier clock) {
    this.clock = clock;
  }

  /** Takes the next 10 ms; returns whether the person speaks. */
  synchronized boolean heard(byte[] pcm) {
    double now = clock.getAsDouble();
    if (SpeechSound.loudest(pcm) < LOUD) {
      return false;
    }
    SpeechTimes last = pending.peekLast();
    boolean goesOn = now - lastLoud < PAUSE;
    lastLoud = now;
    loudPieces = goesOn ? loudPieces + 1 : 1;
    if (last != null && now - last.to() < PAUSE) {
      pending.removeLast();
      pending.add(new SpeechTimes(Math.max(last.from(), now - LONGEST), now));
    } else {
      pending.add(new SpeechTimes(now, now));
    }
    while (pending.size() > 1 && pending.getFirst().from() < now - LONGEST) {
      pending.removeFirst();
    }
    return loudPieces >= SPEECH;
  }

  /** The times of words that are not final yet. */
  synchronized SpeechTimes draft(String text) {
    SpeechTimes guess = guess(text);
    if (Double.isNaN(draftFrom)) {
      draftFrom = pending.isEmpty() ? guess.from() : pending.getFirst().from();
    }
    return new SpeechTimes(draftFrom, Math.max(draftFrom, guess.to()));
  }

  /** The times of the words that have just become final; what is still being said is not theirs. */
  synchronized SpeechTimes said(String text) {
    SpeechTimes guess = guess(text);
    double from = pending.isEmpty() ? guess.from() : pending.getFirst().from();
    double to = guess.to();
    boolean first = true;
    while (!pending.isEmpty() && (first || guess.to() - pending.getFirst().to() > PAUSE / 2)) {
      to = pending.removeFirst().to();
      first = false;
    }
    SpeechTimes words =
        new SpeechTimes(Double.isNaN(draftFrom) ? from : draftFrom, Math.max(from, to));
    draftFrom = Double.NaN;
    return words;
  }

  /** By the length of the text: some 15 letters a second, until now. */
  private SpeechTimes guess(String text) {
    double now = clock.getAsDouble();
    return new SpeechTimes(Math.max(0, now - text.length() / 15.0), now);
  }
}
