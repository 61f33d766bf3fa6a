package io.convoke.simulator.control;

import io.convoke.simulator.control.Invariant.InvariantViolation;
import io.convoke.simulator.control.ServerRows.FollowedRoom;
import io.convoke.simulator.control.ServerRows.StoredSession;
import io.convoke.simulator.state.Recording;
import io.convoke.simulator.state.Recording.RecordingStatus;
import io.convoke.simulator.state.RoomSession;
import io.convoke.simulator.webhook.WebhookDelivery;
import io.convoke.simulator.webhook.WebhookEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Compares the rows that a server has stored with the simulator's state. Pure: the same input gives
 * the same result.
 *
 * <p>A difference starts when it occurred, but not before the server followed the meeting or
 * started. The rows may be newer than the compared state: a session that changed after it is no
 * difference.
 */
final class InvariantChecker {
  private final SimulationTruth truth;
  private final ServerRows rows;
  private final Instant now;
  private final Map<String, RoomSession> real = new HashMap<>();
  private final Map<String, List<FollowedRoom>> rooms;
  private final Map<SessionKey, List<StoredSession>> stored;

  private record SessionKey(long meeting, String session) {}

  private InvariantChecker(SimulationTruth truth, ServerRows rows, Instant now) {
    this.truth = truth;
    this.rows = rows;
    this.now = now;
    truth.sessions().stream()
        .filter(session -> !session.joinedAt().isAfter(rows.at()))
        .forEach(session -> real.put(session.sessionId(), session));
    rooms = rows.rooms().stream().collect(Collectors.groupingBy(FollowedRoom::room));
    stored =
        rows.sessions().stream()
            .collect(
                Collectors.groupingBy(
                    session -> new SessionKey(session.meetingId(), session.sessionId())));
  }

  /** All invariants; {@code truth} is at least as new as the rows' {@code at}. */
  static List<Invariant> check(SimulationTruth truth, ServerRows rows, Instant now) {
    InvariantChecker all = new InvariantChecker(truth.after(rows.since()), rows, now);
    return List.of(
        all.presentAreKnown(),
        all.goneAreGone(),
        all.nobodyIsThereTwice(),
        all.countsAgree(),
        all.lostWebhooksAreMadeGood(),
        all.recordingsAreKnown());
  }

  private Invariant presentAreKnown() {
    List<InvariantViolation> missing = new ArrayList<>();
    int checked = 0;
    for (RoomSession session : real.values()) {
      if (leftAt(session).isPresent() || !session.visitor().hasPresence()) {
        continue;
      }
      for (FollowedRoom room : rooms.getOrDefault(session.room(), List.of())) {
        checked++;
        missingSince(room, session)
            .map(since -> new InvariantViolation(name(session) + " in " + session.room(), since))
            .ifPresent(missing::add);
      }
    }
    return Invariant.of(
        "present_are_known",
        "Every participant of a followed room has an open session.",
        checked,
        rows.bounds().presence(),
        missing,
        now);
  }

  /** Since when the session is missing in the rows; empty if it is not. */
  private Optional<Instant> missingSince(FollowedRoom room, RoomSession session) {
    List<StoredSession> known = stored(room, session.sessionId());
    if (known.stream().anyMatch(this::openThen)) {
      return Optional.empty();
    }
    Instant since = later(session.joinedAt(), room.since());
    for (StoredSession closed : known) {
      since = later(since, closed.leftAt().orElse(since));
    }
    return Optional.of(later(since, rows.started()));
  }

  private Invariant goneAreGone() {
    Map<Long, FollowedRoom> meetings =
        rows.rooms().stream().collect(Collectors.toMap(FollowedRoom::meetingId, each -> each));
    List<InvariantViolation> lingering = new ArrayList<>();
    int checked = 0;
    for (StoredSession session : rows.sessions()) {
      Optional<FollowedRoom> room = Optional.ofNullable(meetings.get(session.meetingId()));
      if (session.leftAt().isPresent() || room.isEmpty() || session.joinedAt().isAfter(rows.at())) {
        continue;
      }
      checked++;
      Optional<RoomSession> seen = Optional.ofNullable(real.get(session.sessionId()));
      String who = seen.map(InvariantChecker::name).orElse("an unknown session");
      // A session that the simulator does not list ended before the compared period.
      seen.map(this::leftAt)
          .orElse(Optional.of(session.joinedAt()))
          .map(
              left ->
                  new InvariantViolation(
                      who + " in " + room.get().room(), later(left, rows.started())))
          .ifPresent(lingering::add);
    }
    return Invariant.of(
        "gone_are_gone",
        "No participant who has left has an open session.",
        checked,
        rows.bounds().presence(),
        lingering,
        now);
  }

  private Invariant nobodyIsThereTwice() {
    List<InvariantViolation> twice =
        stored.values().stream()
            .map(of -> of.stream().filter(session -> session.leftAt().isEmpty()).toList())
            .filter(open -> open.size() > 1)
            .map(
                open ->
                    new InvariantViolation(
                        "session " + open.getFirst().sessionId(), open.getLast().joinedAt()))
            .toList();
    return Invariant.of(
        "nobody_is_there_twice",
        "No session is open twice in a meeting.",
        stored.size(),
        Duration.ZERO,
        twice,
        now);
  }

  private Invariant countsAgree() {
    List<InvariantViolation> wrong =
        rows.rooms().stream()
            .filter(room -> room.people() != room.open())
            .map(
                room ->
                    new InvariantViolation(
                        room.room() + " counts " + room.people() + ", open sessions " + room.open(),
                        room.since()))
            .toList();
    return Invariant.of(
        "counts_agree",
        "A meeting's participant count equals its number of open sessions.",
        rows.rooms().size(),
        Duration.ZERO,
        wrong,
        now);
  }

  private Invariant lostWebhooksAreMadeGood() {
    List<InvariantViolation> open = new ArrayList<>();
    int checked = 0;
    for (WebhookDelivery delivery : truth.webhooks()) {
      WebhookEvent event = delivery.envelope();
      if (!lost(delivery) || event.eventAt().isAfter(rows.at())) {
        continue;
      }
      for (FollowedRoom room : rooms.getOrDefault(event.room(), List.of())) {
        checked++;
        if (!madeGood(event, room)) {
          String end = delivery.end().name().toLowerCase(Locale.ROOT);
          open.add(
              new InvariantViolation(
                  event.type() + " in " + event.room() + ", " + end,
                  later(later(event.eventAt(), room.since()), rows.started())));
        }
      }
    }
    return Invariant.of(
        "lost_webhooks_are_made_good",
        "The change of a lost webhook is found by other means.",
        checked,
        rows.bounds().presence(),
        open,
        now);
  }

  private static boolean lost(WebhookDelivery delivery) {
    boolean lost =
        switch (delivery.end()) {
          case DROPPED, FAILED, SUPPRESSED -> true;
          case PENDING, DELIVERED, UNWANTED -> false;
        };
    return lost && delivery.envelope().type().startsWith("participant.");
  }

  /**
   * Whether a lost webhook is compensated: a lost join's participant is stored, has left, or is not
   * visible in presence; a lost leave's session is closed.
   */
  private boolean madeGood(WebhookEvent event, FollowedRoom room) {
    String id = event.sessionId().orElse("");
    Optional<RoomSession> session = Optional.ofNullable(real.get(id));
    return switch (event.type()) {
      case "participant.joined" ->
          session.isEmpty()
              || !session.get().visitor().hasPresence()
              || leftAt(session.get()).isPresent()
              || missingSince(room, session.get()).isEmpty();
      case "participant.left" ->
          stored(room, id).stream().noneMatch(each -> each.leftAt().isEmpty());
      default -> true;
    };
  }

  private Invariant recordingsAreKnown() {
    List<Recording> finished =
        truth.recordings().stream()
            .filter(recording -> recording.type().equals("cloud"))
            .filter(recording -> recording.status() == RecordingStatus.FINISHED)
            .filter(recording -> endedBy(recording.endedAt(), rows.at()).isPresent())
            .toList();
    List<InvariantViolation> unknown =
        finished.stream()
            .filter(recording -> !rows.recordings().contains(recording.recordingId()))
            .map(
                recording ->
                    new InvariantViolation(
                        "one of " + recording.room(),
                        later(recording.endedAt().orElseThrow(), rows.started())))
            .toList();
    return Invariant.of(
        "recordings_are_known",
        "Every finished recording is stored.",
        finished.size(),
        rows.bounds().recordings(),
        unknown,
        now);
  }

  private List<StoredSession> stored(FollowedRoom room, String session) {
    return stored.getOrDefault(new SessionKey(room.meetingId(), session), List.of());
  }

  /** When the session had ended at the compared time. */
  private Optional<Instant> leftAt(RoomSession session) {
    return endedBy(session.leftAt(), rows.at());
  }

  /** Whether the stored session was open at the compared time. */
  private boolean openThen(StoredSession session) {
    return endedBy(session.leftAt(), rows.at()).isEmpty();
  }

  private static Optional<Instant> endedBy(Optional<Instant> end, Instant at) {
    return end.filter(ended -> !ended.isAfter(at));
  }

  private static String name(RoomSession session) {
    return session.visitor().userName().orElse("a participant without a name");
  }

  private static Instant later(Instant one, Instant other) {
    return one.isAfter(other) ? one : other;
  }
}
