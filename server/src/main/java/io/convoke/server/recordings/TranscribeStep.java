package io.convoke.server.recordings;

import io.convoke.agent.blobs.BlobKey;
import io.convoke.agent.blobs.BlobStore;
import io.convoke.agent.blobs.Sha256;
import io.convoke.engine.durable.ActivityContext;
import io.convoke.server.meetings.MeetingTranscriptStore;
import io.convoke.server.recordings.RecordingRow.StoredAudio;
import io.convoke.server.transcribe.Transcriber;
import io.convoke.server.transcribe.Transcriber.TranscriptionResult;
import io.convoke.server.transcribe.TranscriptSegment;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Turns a recording's audio into transcript rows. Until a transcript is complete, segments are
 * readable as they arrive; the transaction that completes the step replaces them with the full
 * transcript.
 */
final class TranscribeStep implements StepHandler {
  private static final int BUFFER = 1 << 16;

  private final BlobStore blobs;
  private final Optional<Transcriber> transcriber;
  private final MeetingTranscriptStore meetingTranscriptStore;
  private final StepStore ledger;

  TranscribeStep(
      BlobStore blobs,
      Optional<Transcriber> transcriber,
      MeetingTranscriptStore meetingTranscriptStore,
      StepStore ledger) {
    this.blobs = blobs;
    this.transcriber = transcriber;
    this.meetingTranscriptStore = meetingTranscriptStore;
    this.ledger = ledger;
  }

  @Override
  public StepName name() {
    return StepName.TRANSCRIBE;
  }

  @Override
  public boolean wanted() {
    return transcriber.isPresent();
  }

  @Override
  public StepResult run(StepClaim claim, ActivityContext context)
      throws IOException, InterruptedException {
    if (transcriber.isEmpty()) {
      return new StepResult.StepSkipped("no transcriber is configured");
    }
    Optional<StoredAudio> audio = claim.row().audio();
    if (audio.isEmpty()) {
      return new StepResult.StepFailedForGood("there is no audio; download it again");
    }
    Path file = Files.createTempFile("convoke-", ".wav");
    try {
      Optional<String> fault = copy(audio.get(), file);
      if (fault.isPresent()) {
        return new StepResult.StepFailedForGood(fault.get());
      }
      return switch (transcriber.get().transcribe(file, new TranscriptWriter(claim, context))) {
        case TranscriptionResult.AudioRefused(String why) -> new StepResult.StepFailedForGood(why);
        case TranscriptionResult.AudioTranscribed(List<TranscriptSegment> segments) ->
            new StepResult.StepDone(
                segments.size() + " segments by " + transcriber.get().name(),
                tx -> {
                  meetingTranscriptStore.replace(
                      tx, claim.meetingId(), session(claim), TranscriptStore.rows(segments));
                  int _ =
                      tx.sql(
                              """
                              update recordings set transcribed = true, transcript_open = false
                              where recording_id = ?
                              """)
                          .with(claim.recordingId())
                          .update();
                });
      };
    } finally {
      boolean _ = Files.deleteIfExists(file);
    }
  }

  private static String session(StepClaim claim) {
    return MeetingTranscriptStore.ofRecording(claim.recordingId());
  }

  /** Copies the audio to a local file; returns why it is unusable. */
  private Optional<String> copy(StoredAudio storedAudio, Path file) throws IOException {
    Optional<InputStream> opened = blobs.open(new BlobKey(storedAudio.key()));
    if (opened.isEmpty()) {
      return Optional.of("the audio is not in the store any more; download it again");
    }
    Sha256 digest = new Sha256();
    try (InputStream stream = opened.get();
        OutputStream out = Files.newOutputStream(file)) {
      byte[] buffer = new byte[BUFFER];
      for (int read = stream.read(buffer); read >= 0; read = stream.read(buffer)) {
        digest.add(buffer, 0, read);
        out.write(buffer, 0, read);
      }
    }
    return digest.hex().equals(storedAudio.sha256())
        ? Optional.empty()
        : Optional.of("the audio in the store is damaged; download it again");
  }

  /**
   * Stores segments as they arrive; the first ones of an attempt replace those of the attempt
   * before.
   */
  private final class TranscriptWriter implements Transcriber.TranscriptionListener {
    private final StepClaim claim;
    private final ActivityContext context;
    private final StepProgressReporter shown;
    private boolean first = true;

    private TranscriptWriter(StepClaim claim, ActivityContext context) {
      this.claim = claim;
      this.context = context;
      this.shown = new StepProgressReporter(ledger, claim, Duration.ofSeconds(1));
    }

    @Override
    public void progress(double fraction) throws InterruptedException {
      context.heartbeat();
      shown.at(fraction);
    }

    @Override
    public void onSegments(List<TranscriptSegment> more) {
      if (claim.row().transcribed()) {
        return;
      }
      boolean anew = first;
      first = false;
      ledger.write(
          claim,
          tx -> {
            if (anew) {
              meetingTranscriptStore.replace(
                  tx, claim.meetingId(), session(claim), TranscriptStore.rows(more));
            } else {
              meetingTranscriptStore.add(
                  tx, claim.meetingId(), session(claim), TranscriptStore.rows(more));
            }
          });
    }
  }
}
