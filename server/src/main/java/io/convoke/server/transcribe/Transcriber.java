package io.convoke.server.transcribe;

import io.convoke.server.transcribe.AudioPiece.PieceLimits;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Transcribes audio: WAV files of 16 kHz, one channel and 16 bits, whatever the platform gave. */
public interface Transcriber {

  /** Its name: {@code command}, {@code openai}, {@code whisperlive}. */
  String name();

  /** Its name and all that changes what it returns, as the model; it may hold secrets. */
  default String configuration() {
    return name();
  }

  /** How long a file it takes; longer audio comes in pieces. Empty: any length. */
  default Optional<PieceLimits> limits() {
    return Optional.empty();
  }

  /**
   * Transcribes a whole file. Blocks until it is done; an interrupt ends it.
   *
   * @throws IOException when a retry may succeed
   */
  TranscriptionResult transcribe(Path audio, TranscriptionListener transcriptionListener)
      throws IOException, InterruptedException;

  /** The result. */
  sealed interface TranscriptionResult {
    /** All segments, in order. */
    record AudioTranscribed(List<TranscriptSegment> segments) implements TranscriptionResult {
      public AudioTranscribed {
        segments = List.copyOf(segments);
      }
    }

    /** A permanent failure: this audio cannot be transcribed. */
    record AudioRefused(String reason) implements TranscriptionResult {}
  }

  /** Receives progress. Called on the transcribing thread. */
  interface TranscriptionListener {
    /** How much of the audio is done, 0 to 1. */
    void progress(double fraction) throws InterruptedException;

    /** Further segments that will not change any more, in order. */
    void onSegments(List<TranscriptSegment> more) throws InterruptedException;

    /** Ignores progress. */
    TranscriptionListener NONE =
        new TranscriptionListener() {
          @Override
          public void progress(double fraction) {}

          @Override
          public void onSegments(List<TranscriptSegment> more) {}
        };
  }
}
