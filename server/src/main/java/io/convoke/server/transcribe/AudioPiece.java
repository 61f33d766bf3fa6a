package io.convoke.server.transcribe;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A part of an audio that is transcribed on its own.
 *
 * @param number from 1 on
 * @param start seconds from the beginning of the audio
 * @param end seconds from the beginning of the audio
 */
public record AudioPiece(int number, double start, double end) {
  /**
   * How long a file a transcriber takes.
   *
   * @param longest seconds of a piece
   * @param overlap seconds that a piece has in common with the one before
   */
  public record PieceLimits(double longest, double overlap) {
    public PieceLimits {
      if (overlap <= 0 || longest <= 2 * overlap) {
        throw new IllegalArgumentException("a piece must be longer than two overlaps");
      }
    }
  }

  /** The pieces of an audio, of which each but the first begins before the end of the last. */
  public static List<AudioPiece> of(double seconds, Optional<PieceLimits> limits) {
    List<AudioPiece> pieces = new ArrayList<>();
    double longest = limits.map(PieceLimits::longest).orElse(seconds);
    double start = 0;
    double end = Math.min(longest, seconds);
    pieces.add(new AudioPiece(1, start, end));
    while (end < seconds) {
      start = end - limits.orElseThrow().overlap();
      end = Math.min(start + longest, seconds);
      pieces.add(new AudioPiece(pieces.size() + 1, start, end));
    }
    return List.copyOf(pieces);
  }
}
