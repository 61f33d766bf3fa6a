package io.convoke.server.simulator;

import io.convoke.server.simulator.Invariant.InvariantViolation;
import io.convoke.server.simulator.SimulatorState.LostWebhook;
import io.convoke.server.simulator.StoredState.FollowedRoom;
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
 * Compares the stored rows with the simulator's state. Pure: the same input gives the same result.
 *
 * <p>A difference starts when it occurred, but not before the meeting was followed or this server
 * started. The rows are read after the simulator's state and may be newer: a session that changed
 * after that state is no difference.
 */
final class InvariantChecker {
  private final SimulatorState simulatorState;
  private final StoredState storedState;
  private final Instant started;
  private final StalenessBounds stalenessBounds;
  private final Instant now;
  private final Map<String, SimulatorState.SimulatedSession> real = new HashMap<>();
  private final Map<String, List<FollowedRoom>> rooms;
  private final Map<ViolationKey, List<StoredState.StoredSession>> stays;

  /**
   * Maximum staleness.
   *
   * @param presence of presence, when every webhook is lost
   * @param recordings of the list of recordings
   */
  record StalenessBounds(Duration presence, Duration recordings) {}

  private record ViolationKey(long meeting, String session) {}

  private InvariantChecker(
      SimulatorState simulatorState,
      StoredState storedState,
      Instant started,
      StalenessBounds stalenessBounds,
      Instant now) {
    this.simulatorState = simulatorState;
    this.storedState = storedState;
    this.started = started;
    this.stalenessBounds = stalenessBounds;
    this.now = now;
    simulatorState
        .stays()
        .forEach(simulatedSession -> real.put(simulatedSession.sessionId(), simulatedSession));
    rooms = storedState.followed().stream().collect(Collectors.groupingBy(FollowedRoom::room));
    stays =
        storedState.stays().stream()
            .collect(
                Collectors.groupingBy(
                    storedSession ->
                        new ViolationKey(storedSession.meetingId(), storedSession.sessionId())));
  }

  static List<Invariant> judge(
      SimulatorState simulatorState,
      StoredState storedState,
      Instant started,
      StalenessBounds stalenessBounds,
      Instant now) {
    InvariantChecker all =
        new InvariantChecker(simulatorState, storedState, started, stalenessBounds, now);
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
    for (SimulatorState.SimulatedSession simulatedSession : simulatorState.stays()) {
      if (simulatedSession.leftAt().isPresent() || !simulatedSession.visible()) {
        continue;
      }
      for (FollowedRoom room : rooms.getOrDefault(simulatedSession.room(), List.of())) {
        checked++;
        missingSince(room, simulatedSession)
            .map(
                since ->
                    new InvariantViolation(
                        simulatedSession.name() + " in " + simulatedSession.room(), since))
            .ifPresent(missing::add);
      }
    }
    return Invariant.of(
        "present_are_known",
        "Every participant of a followed room has an open session.",
        checked,
        stalenessBounds.presence(),
        missing,
        now);
  }

  /** Since when the session is missing in the rows; empty if it is not. */
  private Optional<Instant> missingSince(
      FollowedRoom room, SimulatorState.SimulatedSession simulatedSession) {
    List<StoredState.StoredSession> ours = ours(room, simulatedSession.sessionId());
    if (ours.stream().anyMatch(this::openThen)) {
      return Optional.empty();
    }
    Instant since = later(simulatedSession.joinedAt(), room.since());
    for (StoredState.StoredSession closed : ours) {
      since = later(since, closed.leftAt().orElse(since));
    }
    return Optional.of(later(since, started));
  }

  private Invariant goneAreGone() {
    Map<Long, FollowedRoom> meetings =
        storedState.followed().stream()
            .collect(Collectors.toMap(FollowedRoom::meetingId, each -> each));
    List<InvariantViolation> lingering = new ArrayList<>();
    int checked = 0;
    for (StoredState.StoredSession storedSession : storedState.stays()) {
      Optional<FollowedRoom> room = Optional.ofNullable(meetings.get(storedSession.meetingId()));
      if (storedSession.leftAt().isPresent()
          || room.isEmpty()
          || storedSession.joinedAt().isAfter(simulatorState.at())) {
        continue;
      }
      checked++;
      Optional<SimulatorState.SimulatedSession> seen =
          Optional.ofNullable(real.get(storedSession.sessionId()));
      String who = seen.map(SimulatorState.SimulatedSession::name).orElse("an unknown session");
      // A session that the simulator does not list ended before the requested period.
      seen.map(SimulatorState.SimulatedSession::leftAt)
          .orElse(Optional.of(storedSession.joinedAt()))
          .map(
              left ->
                  new InvariantViolation(who + " in " + room.get().room(), later(left, started)))
          .ifPresent(lingering::add);
    }
    return Invariant.of(
        "gone_are_gone",
        "No participant who has left has an open session.",
        checked,
        stalenessBounds.presence(),
        lingering,
        now);
  }

  private Invariant nobodyIsThereTwice() {
    List<InvariantViolation> twice =
        stays.values().stream()
            .map(
                of ->
                    of.stream().filter(storedSession -> storedSession.leftAt().isEmpty()).toList())
            .filter(open -> open.size() > 1)
            .map(
                open ->
                    new InvariantViolation(
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
    List<InvariantViolation> wrong =
        storedState.followed().stream()
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
        storedState.followed().size(),
        Duration.ZERO,
        wrong,
        now);
  }

  private Invariant lostWebhooksAreMadeGood() {
    List<InvariantViolation> open = new ArrayList<>();
    int checked = 0;
    for (LostWebhook lostWebhook : simulatorState.lost()) {
      for (FollowedRoom room : rooms.getOrDefault(lostWebhook.room(), List.of())) {
        checked++;
        if (!madeGood(lostWebhook, room)) {
          Instant since = later(later(lostWebhook.at(), room.since()), started);
          open.add(
              new InvariantViolation(
                  lostWebhook.type() + " in " + lostWebhook.room() + ", " + lostWebhook.fate(),
                  since));
        }
      }
    }
    return Invariant.of(
        "lost_webhooks_are_made_good",
        "The change of a lost webhook is found by other means.",
        checked,
        stalenessBounds.presence(),
        open,
        now);
  }

  /**
   * Whether a lost webhook is compensated: a lost join's participant is stored, has left, or is not
   * visible in presence; a lost leave's session is closed.
   */
  private boolean madeGood(LostWebhook lostWebhook, FollowedRoom room) {
    Optional<SimulatorState.SimulatedSession> stay =
        Optional.ofNullable(real.get(lostWebhook.sessionId()));
    return switch (lostWebhook.type()) {
      case "participant.joined" ->
          stay.isEmpty()
              || !stay.get().visible()
              || stay.get().leftAt().isPresent()
              || missingSince(room, stay.get()).isEmpty();
      case "participant.left" ->
          ours(room, lostWebhook.sessionId()).stream().noneMatch(each -> each.leftAt().isEmpty());
      default -> true;
    };
  }

  private Invariant recordingsAreKnown() {
    Set<String> known = Set.copyOf(storedState.recordings());
    List<InvariantViolation> unknown =
        simulatorState.recordings().stream()
            .filter(recording -> !known.contains(recording.recordingId()))
            .map(
                recording ->
                    new InvariantViolation(
                        "one of " + recording.room(), later(recording.endedAt(), started)))
            .toList();
    return Invariant.of(
        "recordings_are_known",
        "Every finished recording is stored.",
        simulatorState.recordings().size(),
        stalenessBounds.recordings(),
        unknown,
        now);
  }

  private List<StoredState.StoredSession> ours(FollowedRoom room, String session) {
    return stays.getOrDefault(new ViolationKey(room.meetingId(), session), List.of());
  }

  /** Whether the session was open at the time of the simulator's state. */
  private boolean openThen(StoredState.StoredSession storedSession) {
    return storedSession.leftAt().map(left -> left.isAfter(simulatorState.at())).orElse(true);
  }

  private static Instant later(Instant one, Instant other) {
    return one.isAfter(other) ? one : other;
  }
}
