package io.convoke.server.transcribe;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Transcribes audio. */
public interface Transcriber {

  /** Its name: {@code command}, {@code openai}, {@code whisperlive}. */
  String name();

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
