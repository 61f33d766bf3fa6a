package io.convoke.server.recordings;

import io.convoke.server.transcribe.Transcriber;
import io.convoke.server.transcribe.TranscriptSegment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** Returns two lines for any audio, once it is released. */
final class FakeTranscriber implements Transcriber {
  static final List<TranscriptSegment> LINES =
      List.of(
          TranscriptSegment.of(0, 2, "Good morning."),
          TranscriptSegment.of(2, 4, "Shall we begin?"));

  final AtomicInteger calls = new AtomicInteger();
  final CountDownLatch halfway = new CountDownLatch(1);
  private final CountDownLatch gate;
  private final Deque<Exception> troubles = new ArrayDeque<>();

  private FakeTranscriber(int locks) {
    gate = new CountDownLatch(locks);
  }

  static FakeTranscriber willing() {
    return new FakeTranscriber(0);
  }

  /** One that stops halfway until {@link #let} is called. */
  static FakeTranscriber waiting() {
    return new FakeTranscriber(1);
  }

  void let() {
    gate.countDown();
  }

  synchronized void fail(Exception trouble) {
    troubles.add(trouble);
  }

  @Override
  public String name() {
    return "fake";
  }

  @Override
  public TranscriptionResult transcribe(Path audio, TranscriptionListener transcriptionListener)
      throws IOException, InterruptedException {
    int _ = calls.incrementAndGet();
    if (Files.size(audio) == 0) {
      return new TranscriptionResult.AudioRefused("an empty file");
    }
    transcriptionListener.onSegments(LINES.subList(0, 1));
    halfway.countDown();
    gate.await();
    synchronized (this) {
      switch (troubles.poll()) {
        case null -> {}
        case IOException again -> throw again;
        case Exception refusal -> {
          return new TranscriptionResult.AudioRefused(String.valueOf(refusal.getMessage()));
        }
      }
    }
    transcriptionListener.onSegments(LINES.subList(1, 2));
    return new TranscriptionResult.AudioTranscribed(LINES);
  }
}
