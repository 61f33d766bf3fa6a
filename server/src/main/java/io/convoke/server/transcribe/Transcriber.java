package io.convoke.server.transcribe;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Transcribes audio. */
public interface Transcriber {

  /** Its name: {@code command}, {@code openai}, {@code whisperlive}. */
  String name();

  /**
   * Listens to a whole file. Blocks as long as that takes; an interrupt ends it.
   *
   * @throws IOException when it did not work this time and may work the next
   */
  Outcome transcribe(Path audio, Listener listener) throws IOException, InterruptedException;

  /** What came of it. */
  sealed interface Outcome {
    /** All segments, in order. */
    record Heard(List<Segment> segments) implements Outcome {
      public Heard {
        segments = List.copyOf(segments);
      }
    }

    /** This audio cannot be transcribed here, however often it is tried. */
    record Refused(String reason) implements Outcome {}
  }

  /** Receives progress. Called on the transcribing thread. */
  interface Listener {
    /** How much of the audio is done, 0 to 1. */
    void progress(double fraction) throws InterruptedException;

    /** Further segments that will not change any more, in order. */
    void heard(List<Segment> more) throws InterruptedException;

    /** Ignores progress. */
    Listener NONE =
        new Listener() {
          @Override
          public void progress(double fraction) {}

          @Override
          public void heard(List<Segment> more) {}
        };
  }
}
