package io.convoke.agent.meeting;

import io.convoke.agent.TranscriptSegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.OptionalDouble;
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
  private final Deque<LoudSound> pending = new ArrayDeque<>();
  private double draftFrom = Double.NaN;

  /** Pieces that were loud since the last pause. */
  private int loudPieces;

  private double lastLoud = Double.NEGATIVE_INFINITY;

  /**
   * When a person speaks, in seconds of the session.
   *
   * @param level how loud, see {@link TranscriptSegment#level}; empty when no sound was loud enough
   */
  record SpeechTimes(double from, double to, OptionalDouble level) {}

  /**
   * Sound without a pause.
   *
   * @param power mean power of its loud pieces, 1 for the loudest that 16 bits hold
   * @param pieces how many those were
   */
  private record LoudSound(double from, double to, double power, int pieces) {
    /** Both as one. */
    LoudSound and(LoudSound later) {
      int all = pieces + later.pieces;
      return new LoudSound(
          from, later.to, (power * pieces + later.power * later.pieces) / all, all);
    }

    LoudSound notBefore(double earliest) {
      return new LoudSound(Math.max(from, earliest), to, power, pieces);
    }

    OptionalDouble level() {
      return OptionalDouble.of(Math.round(100 * Math.log10(power)) / 10.0);
    }
  }

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
    LoudSound last = pending.peekLast();
    boolean goesOn = now - lastLoud < PAUSE;
    lastLoud = now;
    loudPieces = goesOn ? loudPieces + 1 : 1;
    LoudSound piece = new LoudSound(now, now, SpeechSound.power(pcm), 1);
    if (last != null && now - last.to() < PAUSE) {
      pending.removeLast();
      pending.add(last.and(piece).notBefore(now - LONGEST));
    } else {
      pending.add(piece);
    }
    // The last one begins within that time.
    while (pending.getFirst().from() < now - LONGEST) {
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
    OptionalDouble level = pending.isEmpty() ? OptionalDouble.empty() : pending.getFirst().level();
    return new SpeechTimes(draftFrom, Math.max(draftFrom, guess.to()), level);
  }

  /** The times of the words that have just become final; what is still being said is not theirs. */
  synchronized SpeechTimes said(String text) {
    SpeechTimes guess = guess(text);
    LoudSound sound = pending.pollFirst();
    while (sound != null
        && !pending.isEmpty()
        && guess.to() - pending.getFirst().to() > PAUSE / 2) {
      sound = sound.and(pending.removeFirst());
    }
    SpeechTimes heard =
        sound == null ? guess : new SpeechTimes(sound.from(), sound.to(), sound.level());
    SpeechTimes words =
        new SpeechTimes(
            Double.isNaN(draftFrom) ? heard.from() : draftFrom, heard.to(), heard.level());
    draftFrom = Double.NaN;
    return words;
  }

  /** By the length of the text: some 15 letters a second, until now. */
  private SpeechTimes guess(String text) {
    double now = clock.getAsDouble();
    return new SpeechTimes(Math.max(0, now - text.length() / 15.0), now, OptionalDouble.empty());
  }
}
