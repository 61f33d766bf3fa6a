package io.convoke.server.recordings;

import io.convoke.agent.process.WorkFolder;
import io.convoke.engine.crypto.Sha256Hash;
import io.convoke.server.media.SpeechWav;
import io.convoke.server.recordings.PieceStore.PieceKey;
import io.convoke.server.transcribe.AudioPiece;
import io.convoke.server.transcribe.PieceMerge;
import io.convoke.server.transcribe.Transcriber;
import io.convoke.server.transcribe.Transcriber.TranscriptionListener;
import io.convoke.server.transcribe.Transcriber.TranscriptionResult;
import io.convoke.server.transcribe.TranscriptSegment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Transcribes the tracks of a recording piece by piece, as long as the transcriber takes them, into
 * one transcript in the times of the recording. The transcript of each piece is stored, so that a
 * later attempt begins with the first piece that is missing.
 */
final class SpokenTracks {
  /** Seconds; services refuse shorter files, and no word is as short. */
  private static final double SHORTEST = 0.1;

  private final Transcriber transcriber;
  private final PieceStore pieces;
  private final WorkFolder folder;

  SpokenTracks(Transcriber transcriber, PieceStore pieces, WorkFolder folder) {
    this.transcriber = transcriber;
    this.pieces = pieces;
    this.folder = folder;
  }

  /**
   * The sound of a recording, or of one of its tracks.
   *
   * @param number 0 for a recording without tracks
   * @param speaker who speaks in it, if it is one person
   * @param offset when it began, after the recording did
   * @param sha256 of the file that it was made from
   */
  record SpokenTrack(
      int number, Optional<String> speaker, Duration offset, SpeechWav wav, String sha256) {
    double offsetSeconds() {
      return offset.toMillis() / 1000.0;
    }
  }

  /** All segments in order; or why a piece was refused. */
  TranscriptionResult transcribe(
      StepClaim claim, List<SpokenTrack> tracks, TranscriptionListener listener)
      throws IOException, InterruptedException {
    double all = tracks.stream().mapToDouble(track -> track.wav().seconds()).sum();
    List<TranscriptSegment> segments = new ArrayList<>();
    double done = 0;
    for (SpokenTrack track : tracks) {
      if (track.wav().seconds() >= SHORTEST) {
        TrackRun run = new TrackRun(claim, track, tracks.size() > 1, listener, done, all);
        Optional<String> refusal = run.transcribe();
        if (refusal.isPresent()) {
          return new TranscriptionResult.AudioRefused(refusal.get());
        }
        segments.addAll(run.merged);
      }
      done += track.wav().seconds();
    }
    if (tracks.size() > 1) {
      segments.sort(Comparator.comparingDouble(TranscriptSegment::start));
    }
    return new TranscriptionResult.AudioTranscribed(segments);
  }

  /** The pieces of one track. */
  private final class TrackRun {
    private final StepClaim claim;
    private final SpokenTrack track;
    private final boolean several;
    private final TranscriptionListener listener;
    private final double before;
    private final double all;
    private final List<TranscriptSegment> merged = new ArrayList<>();

    /** Until when segments were passed on. */
    private double shownUntil = Double.NEGATIVE_INFINITY;

    /** Segments of stored pieces, passed on with the first new ones. */
    private final List<TranscriptSegment> resumed = new ArrayList<>();

    private TrackRun(
        StepClaim claim,
        SpokenTrack track,
        boolean several,
        TranscriptionListener listener,
        double before,
        double all) {
      this.claim = claim;
      this.track = track;
      this.several = several;
      this.listener = listener;
      this.before = before;
      this.all = all;
    }

    private Optional<String> transcribe() throws IOException, InterruptedException {
      List<AudioPiece> plan = AudioPiece.of(track.wav().seconds(), transcriber.limits());
      boolean keep = several || plan.size() > 1;
      for (AudioPiece piece : plan) {
        Optional<List<TranscriptSegment>> known =
            keep ? pieces.find(claim.recordingId(), key(piece)) : Optional.empty();
        if (known.isPresent()) {
          append(piece, known.get());
          resumed.clear();
          resumed.addAll(merged);
        } else {
          switch (transcriber.transcribe(file(piece, plan.size()), listener(piece))) {
            case TranscriptionResult.AudioRefused(String why) -> {
              return Optional.of(
                  plan.size() > 1
                      ? "piece %d of %d: %s".formatted(piece.number(), plan.size(), why)
                      : why);
            }
            case TranscriptionResult.AudioTranscribed(List<TranscriptSegment> found) -> {
              if (keep) {
                pieces.add(claim, key(piece), found);
              }
              append(piece, found);
            }
          }
        }
      }
      if (!resumed.isEmpty()) {
        listener.onSegments(List.copyOf(resumed));
      }
      return Optional.empty();
    }

    /** A hash of the configuration is stored, which may hold secrets. */
    private PieceKey key(AudioPiece piece) {
      return new PieceKey(
          track.number(),
          piece.number(),
          String.format(
              Locale.ROOT,
              "%s %s %.2f-%.2f",
              HexFormat.of().formatHex(Sha256Hash.of(transcriber.configuration())),
              track.sha256(),
              piece.start(),
              piece.end()));
    }

    /** The whole file, or a part of it under a name of its own. */
    private Path file(AudioPiece piece, int count) throws IOException {
      if (count == 1) {
        return track.wav().file();
      }
      Path last =
          folder.file("audio-%d-piece-%d.wav".formatted(track.number(), piece.number() - 1));
      boolean _ = Files.deleteIfExists(last);
      Path file = folder.file("audio-%d-piece-%d.wav".formatted(track.number(), piece.number()));
      return track.wav().cut(piece.start(), piece.end(), file).file();
    }

    private void append(AudioPiece piece, List<TranscriptSegment> found) {
      List<TranscriptSegment> placed =
          found.stream().map(segment -> placed(piece, segment)).toList();
      if (merged.isEmpty()) {
        merged.addAll(placed);
      } else {
        double overlap = transcriber.limits().orElseThrow().overlap();
        double from = track.offsetSeconds() + piece.start();
        List<TranscriptSegment> joined = PieceMerge.join(merged, placed, from, from + overlap);
        merged.clear();
        merged.addAll(joined);
      }
    }

    /** The segment in the times of the recording; the speaker of a track is known. */
    private TranscriptSegment placed(AudioPiece piece, TranscriptSegment segment) {
      TranscriptSegment shifted = segment.shifted(track.offsetSeconds() + piece.start());
      return track.speaker().isPresent() ? shifted.by(track.speaker()) : shifted;
    }

    /** Passes segments on without those of the overlap, which the piece before has brought. */
    private TranscriptionListener listener(AudioPiece piece) {
      return new TranscriptionListener() {
        @Override
        public void progress(double fraction) throws InterruptedException {
          double heard = piece.start() + fraction * (piece.end() - piece.start());
          listener.progress(all > 0 ? (before + heard) / all : 0);
        }

        @Override
        public void onSegments(List<TranscriptSegment> more) throws InterruptedException {
          List<TranscriptSegment> fresh = new ArrayList<>(resumed);
          resumed.clear();
          fresh.forEach(segment -> shownUntil = Math.max(shownUntil, segment.end()));
          double from = shownUntil;
          more.stream()
              .map(segment -> placed(piece, segment))
              .filter(segment -> piece.number() == 1 || segment.start() >= from)
              .forEach(fresh::add);
          fresh.forEach(segment -> shownUntil = Math.max(shownUntil, segment.end()));
          if (!fresh.isEmpty()) {
            listener.onSegments(fresh);
          }
        }
      };
    }
  }
}
