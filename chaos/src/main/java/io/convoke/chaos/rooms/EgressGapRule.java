package io.convoke.chaos.rooms;

import io.convoke.chaos.kernel.FaultWindow;
import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import io.convoke.chaos.rooms.RoomHistory.EgressStory;
import io.convoke.chaos.rooms.RoomHistory.EncoderBreak;
import io.convoke.chaos.rooms.RoomHistory.ReportedGap;
import io.convoke.chaos.rooms.RoomHistory.StoredSegment;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A recording can be played, and tells each of its gaps: one for each encoder that died, from at
 * most a segment before its end until the next one began, and none without a cause; gaps and length
 * together are the time from its first to its last second.
 */
final class EgressGapRule implements Rule<RoomHistory> {
  private static final Duration SEGMENT = Duration.ofSeconds(4);
  private static final Duration SECOND = Duration.ofSeconds(1);

  /** From a sound to its place in a segment, on a slow machine. */
  private static final Duration ENCODING = Duration.ofSeconds(2);

  /** From the start of ffmpeg to its first output, on a slow machine. */
  private static final Duration BEGINNING = Duration.ofSeconds(6);

  /** How far an encoder may be behind when its part ends, on a slow machine. */
  private static final Duration BEHIND = Duration.ofSeconds(15);

  /** A pause that is too short to be told. */
  private static final double SMALLEST = 1.5;

  /** Seconds by which containers differ. */
  private static final double EXACT = 1;

  @Override
  public List<RuleViolation> check(RoomHistory history) {
    List<RuleViolation> found = new ArrayList<>();
    history.files().stream()
        .filter(file -> file.played().filter(it -> Math.abs(it - file.told()) < EXACT).isEmpty())
        .map(file -> new RuleViolation(ViolationKind.ILLEGAL, "not as long as told: " + file))
        .forEach(found::add);
    history.recordings().entrySet().stream()
        .filter(it -> !List.of("done", "empty").contains(it.getValue()))
        .map(it -> new RuleViolation(ViolationKind.OPEN, "recording " + it))
        .forEach(found::add);
    EgressStory egress = history.egress();
    if (!egress.state().equals("SUCCESS")) {
      found.add(new RuleViolation(ViolationKind.OPEN, "the egress is " + egress.state()));
      return found;
    }
    egress.breaks().stream()
        .filter(it -> egress.gaps().stream().noneMatch(gap -> tells(gap, it)))
        .filter(it -> !seamless(egress.segments(), it))
        .map(
            it ->
                new RuleViolation(
                    ViolationKind.GAP, "no gap tells of " + it + ": " + egress.gaps()))
        .forEach(found::add);
    List<FaultWindow> causes = causes(egress);
    egress.gaps().stream()
        .filter(gap -> !covered(gap, causes))
        .map(gap -> new RuleViolation(ViolationKind.GAP, "nothing caused all of " + gap))
        .forEach(found::add);
    if (egress.last().isBefore(egress.stopped().minus(SEGMENT).minus(SECOND))) {
      found.add(
          new RuleViolation(
              ViolationKind.GAP,
              "it ends at %s, and people left at %s".formatted(egress.last(), egress.stopped())));
    }
    lengths(history).forEach(found::add);
    return found;
  }

  private static boolean tells(ReportedGap gap, EncoderBreak real) {
    return gap.from().isBefore(real.killed().plus(SECOND))
        && gap.to().isAfter(real.encoding().minus(SECOND));
  }

  /** Whether the segments before and after the death of an encoder are too close for a gap. */
  private static boolean seamless(List<StoredSegment> segments, EncoderBreak real) {
    Optional<Instant> before =
        segments.stream()
            .map(StoredSegment::to)
            .filter(it -> it.isBefore(real.killed().plus(SECOND)))
            .max(Comparator.naturalOrder());
    Optional<Instant> after =
        segments.stream()
            .map(StoredSegment::from)
            .filter(it -> it.isAfter(real.encoding().minus(SECOND)))
            .min(Comparator.naturalOrder());
    return before.isPresent()
        && after.isPresent()
        && Duration.between(before.get(), after.get()).toMillis() <= 1000 * SMALLEST;
  }

  /** The times in which nothing could be stored. */
  private static List<FaultWindow> causes(EgressStory egress) {
    List<FaultWindow> all = new ArrayList<>();
    for (EncoderBreak real : egress.breaks()) {
      // One that had stored nothing yet leaves nothing of its time.
      boolean young = real.killed().isBefore(real.began().plus(SEGMENT).plus(BEGINNING));
      Instant from = young ? real.began() : real.killed();
      all.add(cause(from.minus(SEGMENT).minus(ENCODING), real.encoding()));
    }
    for (FaultWindow pause : egress.pauses()) {
      all.add(cause(pause.from().minus(SEGMENT).minus(BEHIND), pause.to()));
    }
    return all;
  }

  private static FaultWindow cause(Instant from, Instant to) {
    return new FaultWindow(
        "cause", "", from, to.equals(Instant.MAX) ? Instant.MAX : to.plus(BEGINNING));
  }

  private static boolean covered(ReportedGap gap, List<FaultWindow> causes) {
    Instant until = gap.from();
    for (boolean grows = true; grows && until.isBefore(gap.to()); ) {
      Instant before = until;
      until =
          causes.stream()
              .filter(cause -> !cause.from().isAfter(before))
              .map(FaultWindow::to)
              .filter(before::isBefore)
              .max(Comparator.naturalOrder())
              .orElse(before);
      grows = until.isAfter(before);
    }
    return !until.isBefore(gap.to());
  }

  private static Stream<RuleViolation> lengths(RoomHistory history) {
    EgressStory egress = history.egress();
    double gaps =
        egress.gaps().stream()
                .mapToLong(gap -> Duration.between(gap.from(), gap.to()).toMillis())
                .sum()
            / 1000.0;
    double whole = Duration.between(egress.first(), egress.last()).toMillis() / 1000.0;
    double small = 1 + SMALLEST * egress.parts();
    return history.files().stream()
        .filter(file -> file.name().equals("recording.mp4"))
        .flatMap(file -> file.played().stream())
        .filter(played -> Math.abs(whole - gaps - played) > small)
        .map(
            played ->
                new RuleViolation(
                    ViolationKind.GAP,
                    String.format(
                        Locale.ROOT,
                        "%.1f s can be played and %.1f s are told as gaps of %.1f s",
                        played,
                        gaps,
                        whole)));
  }
}
