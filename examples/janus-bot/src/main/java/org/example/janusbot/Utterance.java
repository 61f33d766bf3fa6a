package org.example.janusbot;

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

  private static final double LONGEST = 60;

  private final DoubleSupplier clock;
  private final Deque<Words> pending = new ArrayDeque<>();
  private double draftFrom = Double.NaN;

  /** Seconds of the session. */
  record Words(double from, double to) {}

  /** {@code clock}: seconds since the session began. */
  Utterance(DoubleSupplier clock) {
    this.clock = clock;
  }

  /** Takes sound of 16 bits, little endian, one channel. */
  synchronized void heard(byte[] pcm) {
    int loudest = 0;
    for (int i = 0; i + 1 < pcm.length; i += 2) {
      loudest = Math.max(loudest, Math.abs((short) ((pcm[i] & 0xff) | (pcm[i + 1] << 8))));
    }
    if (loudest < LOUD) {
      return;
    }
    double now = clock.getAsDouble();
    Words last = pending.peekLast();
    if (last != null && now - last.to() < PAUSE) {
      pending.removeLast();
      pending.add(new Words(last.from(), now));
    } else {
      pending.add(new Words(now, now));
    }
    while (pending.size() > 1 && pending.getFirst().from() < now - LONGEST) {
      pending.removeFirst();
    }
  }

  /** The times of words that are not final yet. */
  synchronized Words draft(String text) {
    Words guess = guess(text);
    if (Double.isNaN(draftFrom)) {
      draftFrom = pending.isEmpty() ? guess.from() : pending.getFirst().from();
    }
    return new Words(draftFrom, Math.max(draftFrom, guess.to()));
  }

  /** The times of the words that have just become final; what is still being said is not theirs. */
  synchronized Words said(String text) {
    Words guess = guess(text);
    double from = pending.isEmpty() ? guess.from() : pending.getFirst().from();
    double to = guess.to();
    boolean first = true;
    while (!pending.isEmpty() && (first || guess.to() - pending.getFirst().to() > PAUSE / 2)) {
      to = pending.removeFirst().to();
      first = false;
    }
    Words words = new Words(Double.isNaN(draftFrom) ? from : draftFrom, Math.max(from, to));
    draftFrom = Double.NaN;
    return words;
  }

  /** By the length of the text: some 15 letters a second, until now. */
  private Words guess(String text) {
    double now = clock.getAsDouble();
    return new Words(Math.max(0, now - text.length() / 15.0), now);
  }
}
