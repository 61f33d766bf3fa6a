package io.convoke.server.transcribe;

import java.util.ArrayList;
import java.util.List;

/** A listener that records every call. */
final class TranscriptionNotes implements Transcriber.TranscriptionListener {
  final List<TranscriptSegment> heard = new ArrayList<>();
  final List<Double> progress = new ArrayList<>();

  @Override
  public void progress(double fraction) {
    progress.add(fraction);
  }

  @Override
  public void onSegments(List<TranscriptSegment> more) {
    heard.addAll(more);
  }
}
