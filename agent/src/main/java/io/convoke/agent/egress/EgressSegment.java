package io.convoke.agent.egress;

import io.convoke.agent.blobs.BlobKey;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A stored segment of an egress; its key tells all, so that another pod goes on from the list of
 * keys: {@code egress/TASK/ATTEMPT-PART/STREAM-NUMBER-STARTMS-LENGTHMS.EXT}. Its numbers are padded
 * to three or five digits and may have more.
 *
 * @param attempt of the task
 * @param part of the attempt, from 1: a new one begins when the publishers change
 * @param stream {@code segment} of the whole, or {@code voice-N} of a speaker
 * @param began by the clock of its pod
 */
record EgressSegment(
    String task,
    int attempt,
    int part,
    String stream,
    int number,
    Instant began,
    Duration length,
    String extension) {
  /** The stream of the whole. */
  static final String WHOLE = "segment";

  /** Pauses between segments that are none: clocks and encoders are not exact. */
  private static final Duration SMALLEST_GAP = Duration.ofMillis(1500);

  private static final Pattern KEY =
      Pattern.compile(
          "egress/([^/]+)/(\\d{3,9})-(\\d{3,9})/(segment|voice-\\d+)-(\\d{5,9})-(\\d{13})"
              + "-(\\d{1,15})\\.([a-z]+)");

  /** Within a stream; clocks of pods differ, and that of a later attempt may be behind. */
  static final Comparator<EgressSegment> ORDER =
      Comparator.comparingInt(EgressSegment::attempt)
          .thenComparingInt(EgressSegment::part)
          .thenComparingInt(EgressSegment::number);

  /** A time of which nothing was stored. */
  record EgressGap(Instant from, Instant to, String reason) {}

  /**
   * Its name in the blob store.
   *
   * @throws IllegalStateException if {@link #of} would not read it: it would never be joined
   */
  BlobKey key() {
    String key =
        "%s%s-%05d-%013d-%d.%s"
            .formatted(
                folder(task, attempt, part),
                stream,
                number,
                began.toEpochMilli(),
                length.toMillis(),
                extension);
    if (!KEY.matcher(key).matches()) {
      throw new IllegalStateException("no key of a segment: " + key);
    }
    return new BlobKey(key);
  }

  /** The prefix of all that belongs to a task. */
  static String folder(String task) {
    return "egress/" + task + "/";
  }

  /** The prefix of all that belongs to a part. */
  static String folder(String task, int attempt, int part) {
    return "%s%03d-%03d/".formatted(folder(task), attempt, part);
  }

  /** The segment of a key; empty for the key of anything else. */
  static Optional<EgressSegment> of(String key) {
    Matcher form = KEY.matcher(key);
    return form.matches()
        ? Optional.of(
            new EgressSegment(
                form.group(1),
                Integer.parseInt(form.group(2)),
                Integer.parseInt(form.group(3)),
                form.group(4),
                Integer.parseInt(form.group(5)),
                Instant.ofEpochMilli(Long.parseLong(form.group(6))),
                Duration.ofMillis(Long.parseLong(form.group(7))),
                form.group(8)))
        : Optional.empty();
  }

  /** Those of the whole, in their order. */
  static List<EgressSegment> whole(List<EgressSegment> all) {
    return all.stream().filter(segment -> segment.stream().equals(WHOLE)).sorted(ORDER).toList();
  }

  /**
   * The gaps between segments that are in order, and behind the last one.
   *
   * @param until when someone published at last
   */
  static List<EgressGap> gaps(List<EgressSegment> whole, Instant until) {
    List<EgressGap> gaps = new ArrayList<>();
    for (int i = 1; i < whole.size(); i++) {
      EgressSegment before = whole.get(i - 1);
      EgressSegment after = whole.get(i);
      Instant end = before.began().plus(before.length());
      if (Duration.between(end, after.began()).compareTo(SMALLEST_GAP) > 0) {
        gaps.add(
            new EgressGap(
                end,
                after.began(),
                before.attempt() == after.attempt()
                    ? "the publishers changed, none published, or ffmpeg ended"
                    : "the pod of attempt " + before.attempt() + " was lost"));
      }
    }
    if (!whole.isEmpty()) {
      Instant end = whole.getLast().began().plus(whole.getLast().length());
      if (Duration.between(end, until).compareTo(SMALLEST_GAP) > 0) {
        gaps.add(new EgressGap(end, until, "ffmpeg was behind when it ended"));
      }
    }
    return gaps;
  }

  /** The playlist of segments that are in order, as HLS players read it (RFC 8216). */
  static String playlist(List<EgressSegment> whole, boolean ended) {
    long longest = whole.stream().mapToLong(segment -> segment.length().toMillis()).max().orElse(0);
    StringBuilder text =
        new StringBuilder("#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-PLAYLIST-TYPE:EVENT\n");
    StringBuilder _ =
        text.append("#EXT-X-TARGETDURATION:")
            .append(Math.max(FfmpegPlan.SEGMENT, (longest + 999) / 1000))
            .append("\n#EXT-X-MEDIA-SEQUENCE:0\n");
    for (int i = 0; i < whole.size(); i++) {
      EgressSegment segment = whole.get(i);
      if (i > 0 && !segment.samePart(whole.get(i - 1))) {
        StringBuilder _ = text.append("#EXT-X-DISCONTINUITY\n");
      }
      StringBuilder _ =
          text.append(
              String.format(
                  Locale.ROOT,
                  "#EXTINF:%.3f,%n%s%n",
                  segment.length().toMillis() / 1000.0,
                  segment.key().text().substring(folder(segment.task()).length())));
    }
    return text + (ended ? "#EXT-X-ENDLIST\n" : "");
  }

  private boolean samePart(EgressSegment other) {
    return attempt == other.attempt && part == other.part;
  }
}
