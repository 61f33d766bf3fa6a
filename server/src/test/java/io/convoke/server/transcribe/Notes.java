package io.convoke.server.transcribe;

import java.util.ArrayList;
import java.util.List;

/** A listener that writes everything down. */
final class Notes implements Transcriber.Listener {
  final List<Segment> heard = new ArrayList<>();
  final List<Double> progress = new ArrayList<>();

  @Override
  public void progress(double fraction) {
    progress.add(fraction);
  }

  @Override
  public void heard(List<Segment> more) {
    heard.addAll(more);
  }
}
