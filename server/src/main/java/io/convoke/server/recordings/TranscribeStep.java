package io.convoke.server.recordings;

import io.convoke.agent.blobs.BlobKey;
import io.convoke.agent.blobs.BlobStore;
import io.convoke.agent.blobs.Sha256;
import io.convoke.agent.process.WorkFolder;
import io.convoke.engine.durable.ActivityContext;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Tx;
import io.convoke.server.media.MediaTool;
import io.convoke.server.media.MediaTool.MediaResult;
import io.convoke.server.media.SpeechWav;
import io.convoke.server.media.Waveform;
import io.convoke.server.media.Waveform.WaveformTrack;
import io.convoke.server.meetings.MeetingTranscriptStore;
import io.convoke.server.recordings.RecordingRow.StoredAudio;
import io.convoke.server.recordings.RecordingTracks.StoredTrack;
import io.convoke.server.recordings.SpokenTracks.SpokenTrack;
import io.convoke.server.transcribe.Transcriber;
import io.convoke.server.transcribe.TranscriptSegment;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Turns a recording's audio, or that of each of its tracks, into transcript rows. What the platform
 * gave is first converted to the form that transcribers get. Until a transcript is complete,
 * segments are readable as they arrive; the transaction that completes the step replaces them with
 * the full transcript.
 */
final class TranscribeStep implements StepHandler {
  private static final int BUFFER = 1 << 16;

  private final Database database;
  private final BlobStore blobs;
  private final MediaTool mediaTool;
  private final Optional<Transcriber> transcriber;
  private final MeetingTranscriptStore meetingTranscriptStore;
  private final StepStore ledger;
  private final TranscriptCompletion completion;

  TranscribeStep(
      Database database,
      BlobStore blobs,
      MediaTool mediaTool,
      Optional<Transcriber> transcriber,
      MeetingTranscriptStore meetingTranscriptStore,
      StepStore ledger,
      TranscriptCompletion completion) {
    this.database = database;
    this.blobs = blobs;
    this.mediaTool = mediaTool;
    this.transcriber = transcriber;
    this.meetingTranscriptStore = meetingTranscriptStore;
    this.ledger = ledger;
    this.completion = completion;
  }

  /** What follows a complete transcript of a meeting, in the transaction that stores it. */
  @FunctionalInterface
  interface TranscriptCompletion {
    void transcribed(Tx tx, long meetingId);
  }

  @Override
  public StepName name() {
    return StepName.TRANSCRIBE;
  }

  @Override
  public boolean wanted() {
    return transcriber.isPresent();
  }

  /** The audio of a recording as it was stored: whole, or a track. */
  private record TrackFile(
      int number, Optional<String> speaker, Duration offset, StoredAudio audio) {}

  /** The tracks that could be converted, or why the recording cannot be transcribed. */
  private record ConvertedTracks(
      List<SpokenTrack> tracks, int unreadable, boolean video, Optional<String> fault) {
    static ConvertedTracks failed(int unreadable, Optional<String> fault) {
      return new ConvertedTracks(List.of(), unreadable, false, fault);
    }

    Waveform waveform() throws IOException {
      List<WaveformTrack> all = new ArrayList<>();
      for (SpokenTrack track : tracks) {
        all.add(new WaveformTrack(track.wav(), track.offset()));
      }
      return Waveform.of(all);
    }
  }

  @Override
  public StepResult run(StepClaim claim, ActivityContext context)
      throws IOException, InterruptedException {
    if (transcriber.isEmpty()) {
      return new StepResult.StepSkipped("no transcriber is configured");
    }
    List<TrackFile> files = files(claim);
    if (files.isEmpty()) {
      return new StepResult.StepFailedForGood("there is no audio; download it again");
    }
    try (WorkFolder folder = WorkFolder.open()) {
      ConvertedTracks converted = convert(files, folder, context);
      if (converted.fault().isPresent()) {
        return new StepResult.StepFailedForGood(converted.fault().get());
      }
      Waveform waveform = converted.waveform();
      SpokenTracks spoken =
          new SpokenTracks(transcriber.get(), new PieceStore(database, ledger), folder);
      return switch (spoken.transcribe(
          claim, converted.tracks(), new TranscriptWriter(claim, context))) {
        case Transcriber.TranscriptionResult.AudioRefused(String why) ->
            new StepResult.StepFailedForGood(why);
        case Transcriber.TranscriptionResult.AudioTranscribed(List<TranscriptSegment> segments) ->
            done(claim, segments, converted, waveform);
      };
    }
  }

  private StepResult done(
      StepClaim claim,
      List<TranscriptSegment> segments,
      ConvertedTracks converted,
      Waveform waveform) {
    String tracks =
        (converted.tracks().size() > 1 ? " in " + converted.tracks().size() + " tracks" : "")
            + (converted.unreadable() > 0 ? ", " + converted.unreadable() + " unreadable" : "");
    return new StepResult.StepDone(
        segments.size() + " segments by " + transcriber.orElseThrow().name() + tracks,
        tx -> {
          meetingTranscriptStore.replace(
              tx, claim.meetingId(), session(claim), TranscriptStore.rows(segments));
          PieceStore.delete(tx, claim.recordingId());
          int _ =
              tx.sql(
                      """
                      update recordings set transcribed = true, transcript_open = false
                      where recording_id = ?
                      """)
                  .with(claim.recordingId())
                  .update();
          WaveformStore.write(
              tx,
              claim.recordingId(),
              converted.tracks().getFirst().sha256(),
              waveform,
              converted.video());
          completion.transcribed(tx, claim.meetingId());
        });
  }

  /** The tracks of a recording, which tell who speaks; of one without any, its only file. */
  private List<TrackFile> files(StepClaim claim) {
    List<TrackFile> files = new ArrayList<>();
    for (StoredTrack track : RecordingTracks.of(database, claim.recordingId(), claim.meetingId())) {
      track
          .audio()
          .ifPresent(
              audio ->
                  files.add(new TrackFile(track.number(), track.speaker(), track.offset(), audio)));
    }
    if (files.isEmpty()) {
      claim
          .row()
          .audio()
          .ifPresent(audio -> files.add(new TrackFile(0, Optional.empty(), Duration.ZERO, audio)));
    }
    return files;
  }

  /** A track without sound is left out, as long as another one has some. */
  private ConvertedTracks convert(List<TrackFile> files, WorkFolder folder, ActivityContext context)
      throws IOException, InterruptedException {
    List<SpokenTrack> tracks = new ArrayList<>();
    int unreadable = 0;
    boolean video = false;
    String why = "";
    for (TrackFile file : files) {
      Path original = folder.file("original-" + file.number());
      Optional<String> fault = copy(file.audio(), original);
      if (fault.isPresent()) {
        return ConvertedTracks.failed(0, fault);
      }
      video |= Waveform.hasPictures(original);
      Path wav = folder.file("audio-" + file.number() + ".wav");
      switch (mediaTool.speech(original, wav, context::heartbeat)) {
        case MediaResult.MediaReady(SpeechWav speech) ->
            tracks.add(
                new SpokenTrack(
                    file.number(),
                    file.speaker(),
                    file.offset(),
                    named(speech, original, wav),
                    file.audio().sha256()));
        case MediaResult.MediaFailed(String reason) -> {
          unreadable++;
          why = reason;
          if (reason.startsWith(MediaTool.MISSING)) {
            return ConvertedTracks.failed(unreadable, Optional.of(reason));
          }
          boolean _ = Files.deleteIfExists(original);
        }
      }
    }
    return new ConvertedTracks(
        tracks, unreadable, video, tracks.isEmpty() ? Optional.of(why) : Optional.empty());
  }

  /** A file that needed no conversion gets the name of its format; others are not needed. */
  private static SpeechWav named(SpeechWav speech, Path original, Path wav) throws IOException {
    if (!speech.file().equals(original)) {
      Files.delete(original);
      return speech;
    }
    return new SpeechWav(Files.move(original, wav), speech.dataAt(), speech.dataBytes());
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
