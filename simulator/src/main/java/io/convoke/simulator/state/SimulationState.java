package io.convoke.simulator.state;

import io.convoke.simulator.time.SeededRandom;
import io.convoke.simulator.time.SimulationClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The state of the platform and all its changes.
 *
 * <p>One lock guards it. Observers are called while it is held, so that they see events in order;
 * they must only record them and return. Beyond a bound the oldest meetings and recordings are
 * dropped.
 */
public final class SimulationState {

  /** How many past meetings and recordings are remembered. */
  public static final int REMEMBERED = 100_000;

  private final ReentrantLock lock = new ReentrantLock();
  private final List<Consumer<SimulationEvent>> observers = new CopyOnWriteArrayList<>();
  private final RoomRegistry rooms;
  private final Map<String, MeetingState> meetings = new LinkedHashMap<>();
  private final RecordingRegistry recordingRegistry;
  private final SimulationClock time;
  private final SimulationTimings simulationTimings;
  private long forgotten;

  public SimulationState(
      SimulationClock time, SeededRandom seededRandom, SimulationTimings simulationTimings) {
    this.time = time;
    this.simulationTimings = simulationTimings;
    this.rooms = new RoomRegistry(seededRandom, this::tell);
    this.recordingRegistry = new RecordingRegistry(seededRandom, this::tell);
  }

  /** Tells this observer of everything that happens from now on, in order, under the lock. */
  public void subscribe(Consumer<SimulationEvent> observer) {
    observers.add(observer);
  }

  private void tell(SimulationEvent event) {
    observers.forEach(observer -> observer.accept(event));
  }

  private <T> T locked(Supplier<T> action) {
    lock.lock();
    try {
      return action.get();
    } finally {
      lock.unlock();
    }
  }

  /** Creates a room; absent if the name is taken. */
  public Optional<Room> create(RoomRequest wanted) {
    return locked(() -> rooms.create(wanted, time.instant()));
  }

  /** Makes a room unless there is one of that name, and returns it. */
  public Room ensure(RoomRequest wanted) {
    return locked(() -> create(wanted).orElseGet(() -> state(wanted.name()).orElseThrow().room()));
  }

  /**
   * Changes a room's privacy and merges properties into its config; absent if there is no such
   * room.
   */
  public Optional<Room> update(String name, Optional<String> privacy, Map<String, Object> config) {
    return locked(() -> rooms.update(name, privacy, config));
  }

  /** Removes a room and disconnects its participants first. False if there was none. */
  public boolean delete(String name) {
    return locked(
        () -> {
          state(name)
              .ifPresent(
                  s -> s.waiting().forEach(guest -> s.dismiss(guest, false, time.instant())));
          endMeeting(name);
          return rooms.remove(name);
        });
  }

  public Optional<Room> room(String name) {
    return locked(() -> state(name).map(RoomState::room));
  }

  /** All rooms, newest first. */
  public List<Room> rooms() {
    return locked(() -> rooms.all().stream().map(RoomState::room).toList()).reversed();
  }

  /** Reads one room; {@code seen} runs before the room's next event. */
  public Optional<RoomView> observe(String name, Consumer<RoomView> seen) {
    return locked(
        () -> {
          Optional<RoomView> view = state(name).map(SimulationState::view);
          view.ifPresent(seen);
          return view;
        });
  }

  /** Reads one room. */
  public Optional<RoomView> roomViews(String name) {
    return observe(name, seen -> {});
  }

  /** Reads every room, newest first. */
  public List<RoomView> roomViews() {
    return locked(() -> rooms.all().stream().map(SimulationState::view).toList()).reversed();
  }

  private static RoomView view(RoomState state) {
    return new RoomView(
        state.room(), state.current().map(m -> m.meetingId), state.present(), state.waiting());
  }

  /** Lets a visitor in, or into the lobby. */
  public JoinResult join(String name, Visitor visitor) {
    return join(name, visitor, visitor.owner());
  }

  /** Lets an expected visitor in, past the lobby. */
  public JoinResult welcome(String name, Visitor visitor) {
    return join(name, visitor, true);
  }

  private JoinResult join(String name, Visitor visitor, boolean expected) {
    return locked(
        () -> {
          Optional<RoomState> found = state(name);
          if (found.isEmpty()) {
            return new JoinResult.RoomNotFound();
          }
          RoomState state = found.get();
          if (state.full()) {
            return new JoinResult.RoomFull();
          }
          if (expected || state.room().lobby() instanceof Lobby.OpenLobby) {
            return new JoinResult.JoinedMeeting(enter(state, state.guest(visitor, time.instant())));
          }
          RoomState.LobbyGuest lobbyGuest = state.arrive(visitor, time.instant());
          switch (state.room().lobby()) {
            case Lobby.AdmitAfter(Duration span) ->
                time.after(time.scaled(span), () -> decide(name, lobbyGuest.sessionId(), true));
            case Lobby.DenyAfter(Duration span) ->
                time.after(time.scaled(span), () -> decide(name, lobbyGuest.sessionId(), false));
            case Lobby.OpenLobby openLobby -> {}
            case Lobby.ClosedLobby closedLobby -> {}
          }
          return new JoinResult.WaitingInLobby(lobbyGuest.sessionId());
        });
  }

  /** Admits a visitor from the lobby or rejects them; false if there is none with that id. */
  public boolean decide(String name, String sessionId, boolean admitted) {
    return locked(
        () -> {
          Optional<RoomState> state = state(name);
          Optional<RoomState.LobbyGuest> guest =
              state.flatMap(s -> s.dismiss(sessionId, admitted, time.instant()));
          if (admitted) {
            guest.ifPresent(g -> enter(state.orElseThrow(), g));
          }
          return guest.isPresent();
        });
  }

  private RoomSession enter(RoomState state, RoomState.LobbyGuest lobbyGuest) {
    RoomSession entered = state.join(lobbyGuest, time.instant(), this::remember);
    after(simulationTimings.alone(), () -> state.begin(entered.meetingId(), entered.sessionId()));
    return entered;
  }

  private void remember(MeetingState meeting) {
    meetings.put(meeting.meetingId, meeting);
    forgetOld();
  }

  /** Runs an action after a scripted span, under the lock; at once if there is none. */
  private void after(Duration span, Runnable action) {
    if (span.isZero()) {
      action.run();
      return;
    }
    time.after(
        time.scaled(span),
        () ->
            locked(
                () -> {
                  action.run();
                  return span;
                }));
  }

  /** Ends a connection, or the wait in the lobby; false if there is no such session. */
  public boolean leave(String name, String sessionId, LeaveReason reason) {
    return locked(
        () ->
            state(name)
                .map(
                    state ->
                        state.dismiss(sessionId, false, time.instant()).isPresent()
                            || depart(state, sessionId, reason))
                .orElse(false));
  }

  private boolean depart(RoomState state, String sessionId, LeaveReason reason) {
    boolean left = state.leave(sessionId, reason, time.instant());
    state
        .current()
        .filter(meeting -> left && meeting.empty())
        .ifPresent(
            meeting -> {
              int visits = meeting.visits();
              time.after(
                  time.scaled(simulationTimings.meetingEnd()), () -> close(state, meeting, visits));
            });
    state
        .leftAlone()
        .filter(alone -> left)
        .ifPresent(
            alone ->
                after(
                    simulationTimings.leftAlone(),
                    () -> state.startOver(alone, time.instant(), this::remember)));
    return left;
  }

  /**
   * Ends a meeting that is empty, unless it has had another visit: the allowance begins anew with
   * each leave.
   */
  private void close(RoomState state, MeetingState meeting, int visits) {
    locked(
        () -> {
          Instant now = time.instant();
          if (meeting.visits() == visits && state.endIfEmpty(meeting.meetingId, now)) {
            stopRecordings(state.room().name(), now);
          }
          return meeting;
        });
  }

  /** Disconnects all participants and ends the meeting at once; false if none runs. */
  public boolean endMeeting(String name) {
    return locked(
        () -> {
          Optional<RoomState> state = state(name);
          Optional<MeetingState> meeting = state.flatMap(RoomState::current);
          meeting.ifPresent(
              running -> {
                RoomState room = state.orElseThrow();
                Instant now = time.instant();
                room.present()
                    .forEach(s -> room.leave(s.sessionId(), LeaveReason.MEETING_ENDED, now));
                close(room, running, running.visits());
              });
          return meeting.isPresent();
        });
  }

  /** A participant speaks; false if there is no such session. */
  public boolean say(String name, String sessionId, String text) {
    return locked(
        () -> {
          Optional<RoomSession> speaker =
              state(name).stream()
                  .flatMap(s -> s.present().stream())
                  .filter(s -> s.sessionId().equals(sessionId))
                  .findFirst();
          speaker.ifPresent(
              roomSession -> {
                Instant now = time.instant();
                recordingRegistry.recordLine(roomSession, text, now);
                tell(new SimulationEvent.LineSpoken(roomSession, text, now));
              });
          return speaker.isPresent();
        });
  }

  /**
   * Starts recording the running meeting of a room; absent if none runs, or if one with the same
   * instance id (or, without an id, any) is running.
   */
  public Optional<Recording> startRecording(RecordingRequest wanted) {
    return locked(
        () -> {
          List<Recording> running = recordingRegistry.running(wanted.room());
          boolean taken =
              wanted
                  .instanceId()
                  .map(id -> running.stream().anyMatch(r -> r.instanceId().equals(id)))
                  .orElse(!running.isEmpty());
          return state(wanted.room())
              .flatMap(RoomState::current)
              .filter(meeting -> !taken)
              .map(meeting -> recordingRegistry.start(meeting, wanted, time.instant()));
        });
  }

  /** A start in a room fails: the platform reports the error, and has no recording. */
  public boolean failRecordingStart(String name) {
    return locked(
        () -> {
          boolean there = state(name).isPresent();
          if (there) {
            recordingRegistry.failStart(name, time.instant());
          }
          return there;
        });
  }

  /** Stops the running recordings of a room, or the one with this instance id; returns how many. */
  public int stopRecording(String name, Optional<String> instanceId) {
    return locked(
        () -> {
          List<Recording> stopped =
              recordingRegistry.running(name).stream()
                  .filter(r -> instanceId.map(r.instanceId()::equals).orElse(true))
                  .toList();
          stopped.forEach(r -> stop(r, time.instant()));
          return stopped.size();
        });
  }

  private void stopRecordings(String name, Instant now) {
    recordingRegistry.running(name).forEach(recording -> stop(recording, now));
  }

  private void stop(Recording recording, Instant now) {
    MeetingState meeting = meetings.get(recording.meetingId());
    int participants = meeting == null ? recording.maxParticipants() : meeting.maxParticipants();
    recordingRegistry.stop(recording, participants, now);
    time.after(
        time.scaled(simulationTimings.processing()),
        () ->
            locked(
                () -> {
                  recordingRegistry.settle(recording.recordingId(), time.instant());
                  return recording;
                }));
  }

  /** The participants of a room at a recent instant, without hidden ones. */
  public Optional<List<RoomSession>> presence(String name, Instant at) {
    return locked(() -> state(name).map(state -> state.presence(at)));
  }

  /** The same for every room, empty rooms left out. */
  public Map<String, List<RoomSession>> presence(Instant at) {
    return locked(
        () -> {
          Map<String, List<RoomSession>> all = new LinkedHashMap<>();
          rooms
              .all()
              .forEach(
                  state -> {
                    List<RoomSession> present = state.presence(at);
                    if (!present.isEmpty()) {
                      all.put(state.room().name(), present);
                    }
                  });
          return all;
        });
  }

  /** All remembered meetings, newest first. */
  public List<Meeting> meetings() {
    return locked(() -> meetings.values().stream().map(MeetingState::snapshot).toList()).reversed();
  }

  public Optional<Meeting> meeting(String meetingId) {
    return locked(() -> Optional.ofNullable(meetings.get(meetingId)).map(MeetingState::snapshot));
  }

  /** All remembered recordings, newest first. */
  public List<Recording> recordings() {
    return locked(recordingRegistry::newestFirst);
  }

  public Optional<Recording> recording(String recordingId) {
    return locked(() -> recordingRegistry.find(recordingId));
  }

  /** How many old meetings were dropped to keep memory bounded. */
  public long forgotten() {
    return locked(() -> forgotten);
  }

  private void forgetOld() {
    recordingRegistry.trimTo(REMEMBERED);
    List<String> old = new ArrayList<>();
    if (meetings.size() > REMEMBERED) {
      meetings.values().stream()
          .filter(MeetingState::ended)
          .limit(REMEMBERED / 10)
          .forEach(meeting -> old.add(meeting.meetingId));
      old.forEach(meetings::remove);
      forgotten += old.size();
    }
  }

  private Optional<RoomState> state(String name) {
    return rooms.find(name);
  }
}
