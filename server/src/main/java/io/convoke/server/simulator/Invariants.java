package io.convoke.server.simulator;

import io.convoke.server.simulator.Held.Followed;
import io.convoke.server.simulator.Invariant.Difference;
import io.convoke.server.simulator.Truth.Lost;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Holds what we believe against what really happened. Pure: the same truth and rows have the same
 * judgement.
 *
 * <p>A difference counts from when it came about, but not from before the meeting was followed or
 * this server started. The rows are read after the truth, so they may know what it does not: a stay
 * that changed after the truth was told is no difference.
 */
final class Invariants {
  private final Truth truth;
  private final Held held;
  private final Instant started;
  private final Bounds bounds;
  private final Instant now;
  private final Map<String, Truth.Stay> real = new HashMap<>();
  private final Map<String, List<Followed>> rooms;
  private final Map<Key, List<Held.Stay>> stays;

  /**
   * How old what we say may be.
   *
   * @param presence of who is there, when every webhook is lost
   * @param recordings of which ones there are
   */
  record Bounds(Duration presence, Duration recordings) {}

  private record Key(long meeting, String session) {}

  private Invariants(Truth truth, Held held, Instant started, Bounds bounds, Instant now) {
    this.truth = truth;
    this.held = held;
    this.started = started;
    this.bounds = bounds;
    this.now = now;
    truth.stays().forEach(stay -> real.put(stay.sessionId(), stay));
    rooms = held.followed().stream().collect(Collectors.groupingBy(Followed::room));
    stays =
        held.stays().stream()
            .collect(Collectors.groupingBy(stay -> new Key(stay.meetingId(), stay.sessionId())));
  }

  static List<Invariant> judge(
      Truth truth, Held held, Instant started, Bounds bounds, Instant now) {
    Invariants all = new Invariants(truth, held, started, bounds, now);
    return List.of(
        all.presentAreKnown(),
        all.goneAreGone(),
        all.nobodyIsThereTwice(),
        all.countsAgree(),
        all.lostWebhooksAreMadeGood(),
        all.recordingsAreKnown());
  }

  private Invariant presentAreKnown() {
    List<Difference> missing = new ArrayList<>();
    int checked = 0;
    for (Truth.Stay stay : truth.stays()) {
      if (stay.leftAt().isPresent() || !stay.visible()) {
        continue;
      }
      for (Followed room : rooms.getOrDefault(stay.room(), List.of())) {
        checked++;
        missingSince(room, stay)
            .map(since -> new Difference(stay.name() + " in " + stay.room(), since))
            .ifPresent(missing::add);
      }
    }
    return Invariant.of(
        "present_are_known",
        "Everybody who is in a followed room is present here.",
        checked,
        bounds.presence(),
        missing,
        now);
  }

  /** Since when we do not know that somebody is there; empty if we do. */
  private Optional<Instant> missingSince(Followed room, Truth.Stay stay) {
    List<Held.Stay> ours = ours(room, stay.sessionId());
    if (ours.stream().anyMatch(this::openThen)) {
      return Optional.empty();
    }
    Instant since = later(stay.joinedAt(), room.since());
    for (Held.Stay closed : ours) {
      since = later(since, closed.leftAt().orElse(since));
    }
    return Optional.of(later(since, started));
  }

  private Invariant goneAreGone() {
    Map<Long, Followed> meetings =
        held.followed().stream().collect(Collectors.toMap(Followed::meetingId, each -> each));
    List<Difference> lingering = new ArrayList<>();
    int checked = 0;
    for (Held.Stay stay : held.stays()) {
      Optional<Followed> room = Optional.ofNullable(meetings.get(stay.meetingId()));
      if (stay.leftAt().isPresent() || room.isEmpty() || stay.joinedAt().isAfter(truth.at())) {
        continue;
      }
      checked++;
      Optional<Truth.Stay> seen = Optional.ofNullable(real.get(stay.sessionId()));
      String who = seen.map(Truth.Stay::name).orElse("an unknown session");
      // A session that the simulator knows nothing of any more ended before what we asked for.
      seen.map(Truth.Stay::leftAt)
          .orElse(Optional.of(stay.joinedAt()))
          .map(left -> new Difference(who + " in " + room.get().room(), later(left, started)))
          .ifPresent(lingering::add);
    }
    return Invariant.of(
        "gone_are_gone",
        "Nobody is present here who has left.",
        checked,
        bounds.presence(),
        lingering,
        now);
  }

  private Invariant nobodyIsThereTwice() {
    List<Difference> twice =
        stays.values().stream()
            .map(of -> of.stream().filter(stay -> stay.leftAt().isEmpty()).toList())
            .filter(open -> open.size() > 1)
            .map(
                open ->
                    new Difference(
                        "session " + open.getFirst().sessionId(), open.getLast().joinedAt()))
            .toList();
    return Invariant.of(
        "nobody_is_there_twice",
        "No session is open twice in a meeting.",
        stays.size(),
        Duration.ZERO,
        twice,
        now);
  }

  private Invariant countsAgree() {
    List<Difference> wrong =
        held.followed().stream()
            .filter(room -> room.people() != room.open())
            .map(
                room ->
                    new Difference(
                        room.room() + " says " + room.people() + ", holds " + room.open(),
                        room.since()))
            .toList();
    return Invariant.of(
        "counts_agree",
        "A meeting's number of people is that of its open sessions.",
        held.followed().size(),
        Duration.ZERO,
        wrong,
        now);
  }

  private Invariant lostWebhooksAreMadeGood() {
    List<Difference> open = new ArrayList<>();
    int checked = 0;
    for (Lost lost : truth.lost()) {
      for (Followed room : rooms.getOrDefault(lost.room(), List.of())) {
        checked++;
        if (!madeGood(lost, room)) {
          Instant since = later(later(lost.at(), room.since()), started);
          open.add(new Difference(lost.type() + " in " + lost.room() + ", " + lost.fate(), since));
        }
      }
    }
    return Invariant.of(
        "lost_webhooks_are_made_good",
        "What a lost webhook would have told is found out otherwise.",
        checked,
        bounds.presence(),
        open,
        now);
  }

  /**
   * Whoever was announced in vain is known, or has gone, or is shown by nothing else; whoever left
   * unsaid is not there.
   */
  private boolean madeGood(Lost lost, Followed room) {
    Optional<Truth.Stay> stay = Optional.ofNullable(real.get(lost.sessionId()));
    return switch (lost.type()) {
      case "participant.joined" ->
          stay.isEmpty()
              || !stay.get().visible()
              || stay.get().leftAt().isPresent()
              || missingSince(room, stay.get()).isEmpty();
      case "participant.left" ->
          ours(room, lost.sessionId()).stream().noneMatch(each -> each.leftAt().isEmpty());
      default -> true;
    };
  }

  private Invariant recordingsAreKnown() {
    Set<String> known = Set.copyOf(held.recordings());
    List<Difference> unknown =
        truth.recordings().stream()
            .filter(recording -> !known.contains(recording.recordingId()))
            .map(
                recording ->
                    new Difference(
                        "one of " + recording.room(), later(recording.endedAt(), started)))
            .toList();
    return Invariant.of(
        "recordings_are_known",
        "Every recording that is finished is known here.",
        truth.recordings().size(),
        bounds.recordings(),
        unknown,
        now);
  }

  private List<Held.Stay> ours(Followed room, String session) {
    return stays.getOrDefault(new Key(room.meetingId(), session), List.of());
  }

  /** Whether we held it open when the truth was told. */
  private boolean openThen(Held.Stay stay) {
    return stay.leftAt().map(left -> left.isAfter(truth.at())).orElse(true);
  }

  private static Instant later(Instant one, Instant other) {
    return one.isAfter(other) ? one : other;
  }
}
