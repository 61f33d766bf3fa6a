package io.convoke.chaos.history;

import io.convoke.chaos.kernel.AvailabilityRule;
import io.convoke.chaos.kernel.FaultTimeline;
import io.convoke.chaos.kernel.FaultWindow;
import io.convoke.chaos.kernel.LifecycleRule;
import io.convoke.chaos.kernel.ReadBackRule.ReadBack;
import io.convoke.chaos.kernel.StreamRule.Streams;
import io.convoke.chaos.kernel.TimedReply;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Everything observed in one run.
 *
 * @param visits the platform's own record
 * @param rows session rows after the run
 * @param meetings meeting rows after the run
 * @param observations API responses, in request order
 * @param streams what the readers of the event stream received, and the whole journal
 * @param journal events about participants and meetings in the database, by sequence
 * @param calls webhooks and their answers
 * @param reads users' requests and their answers
 * @param windows the injected faults
 * @param end what was read and known at the end
 */
public record PresenceHistory(
    PresenceBounds bounds,
    List<ActualVisit> visits,
    List<SessionRow> rows,
    List<MeetingRow> meetings,
    List<ObservedPresence> observations,
    Streams streams,
    List<ObservedEvent> journal,
    List<TimedReply> calls,
    List<TimedReply> reads,
    List<FaultWindow> windows,
    PresenceEnd end) {

  /** Without what was read and known at the end. */
  public PresenceHistory(
      PresenceBounds bounds,
      List<ActualVisit> visits,
      List<SessionRow> rows,
      List<MeetingRow> meetings,
      List<ObservedPresence> observations,
      Streams streams,
      List<ObservedEvent> journal,
      List<TimedReply> calls,
      List<TimedReply> reads,
      List<FaultWindow> windows) {
    this(
        bounds,
        visits,
        rows,
        meetings,
        observations,
        streams,
        journal,
        calls,
        reads,
        windows,
        PresenceEnd.NONE);
  }

  /** What was read and known at the end. */
  public record PresenceEnd(List<RoomMeetings> rooms, List<ReadBack> reads) {
    public static final PresenceEnd NONE = new PresenceEnd(List.of(), List.of());
  }

  /** The statuses that the tracked meetings of a room must have, oldest first. */
  public record RoomMeetings(String room, List<String> statuses) {}

  /** Transitions of bots' meetings. */
  private static final Map<String, Set<String>> BOT_EDGES =
      Map.of(
          LifecycleRule.NONE,
          Set.of("reserved"),
          "reserved",
          Set.of("starting", "failed"),
          "starting",
          Set.of("active", "stopping", "failed"),
          "active",
          Set.of("stopping", "completed", "failed"),
          "stopping",
          Set.of("completed", "failed"));

  /** Transitions of meetings that are tracked without a bot. */
  private static final Map<String, Set<String>> EDGES =
      Map.of(
          LifecycleRule.NONE,
          Set.of("active"),
          "active",
          Set.of("stopping", "completed", "failed"));

  /** The room of a meeting; empty for an unknown meeting. */
  String room(long meetingId) {
    return rooms().getOrDefault(meetingId, "");
  }

  Map<Long, String> rooms() {
    return meetings.stream()
        .collect(Collectors.toMap(MeetingRow::meetingId, MeetingRow::room, (one, other) -> one));
  }

  /** Number of actions and responses. */
  public int operations() {
    return visits.size() * 2 + observations.size() + calls.size();
  }

  /** The lives of the tracked meetings, each of which begins in the journal. */
  LifecycleRule.Lives lives() {
    return lives(true, EDGES);
  }

  /** The lives of bots' meetings. */
  LifecycleRule.Lives botLives() {
    return lives(false, BOT_EDGES);
  }

  private LifecycleRule.Lives lives(boolean tracked, Map<String, Set<String>> edges) {
    Set<Long> others =
        meetings.stream()
            .filter(row -> row.tracked() != tracked)
            .map(MeetingRow::meetingId)
            .collect(Collectors.toSet());
    return new LifecycleRule.Lives(
        "meeting",
        edges,
        journal.stream()
            .filter(event -> event.type().equals(ObservedEvent.STATUS))
            .filter(event -> !others.contains(event.meetingId()))
            .map(
                event ->
                    new LifecycleRule.JournaledMove(
                        event.seq(),
                        Long.toString(event.meetingId()),
                        event.from().orElse(LifecycleRule.NONE),
                        event.to().orElse(LifecycleRule.NONE)))
            .toList(),
        meetings.stream()
            .filter(row -> row.tracked() == tracked)
            .collect(
                Collectors.toMap(
                    row -> Long.toString(row.meetingId()), MeetingRow::status, (one, _) -> one)));
  }

  /** A webhook needs one of the stores alone. */
  AvailabilityRule.Calls webhooks() {
    return new AvailabilityRule.Calls(calls, windows, Set.of(), false);
  }

  AvailabilityRule.Calls api() {
    return new AvailabilityRule.Calls(reads, windows, Set.of(FaultTimeline.POSTGRES), false);
  }

  /**
   * A meeting's row after the run.
   *
   * @param since from when on visits to the room are its own
   * @param endedAt until when; empty for a live meeting
   */
  public record MeetingRow(
      long meetingId,
      String room,
      String status,
      int numClients,
      long userId,
      boolean tracked,
      Instant since,
      Optional<Instant> endedAt) {
    /** A tracked meeting of which no times are known. */
    public MeetingRow(long meetingId, String room, String status, int numClients) {
      this(meetingId, room, status, numClients, 0, true, Instant.EPOCH, Optional.empty());
    }
  }

  /**
   * A journal event, from the stream or from the database.
   *
   * @param sessionId of participant events
   * @param numClients participant count of a participant event
   * @param from the status before, of status events; empty for a new meeting
   * @param to the status after, of status events
   * @param details of participant events from the database
   */
  public record ObservedEvent(
      long seq,
      String type,
      long meetingId,
      Optional<String> sessionId,
      Optional<Integer> numClients,
      Optional<String> from,
      Optional<String> to,
      Optional<EventDetails> details) {

    /** An event without details. */
    public ObservedEvent(
        long seq,
        String type,
        long meetingId,
        Optional<String> sessionId,
        Optional<Integer> numClients,
        Optional<String> from,
        Optional<String> to) {
      this(seq, type, meetingId, sessionId, numClients, from, to, Optional.empty());
    }

    static final String JOINED = "participant.joined";
    static final String LEFT = "participant.left";
    static final String STATUS = "meeting.status_changed";
  }

  /**
   * What a participant event tells besides.
   *
   * @param transaction that wrote it
   * @param userId the user of the meeting
   */
  public record EventDetails(
      String transaction,
      long meetingId,
      long userId,
      Optional<String> participantId,
      Optional<String> userName,
      Instant at,
      Instant joinedAt,
      Optional<Instant> leftAt,
      String source) {}

  /**
   * An API response with the participants of a meeting.
   *
   * @param askedAt when the request was sent; the response was true at some time until {@code
   *     answered}
   * @param present the sessions it lists as open
   */
  public record ObservedPresence(
      Instant askedAt, Instant answered, long meetingId, int numClients, List<String> present) {}

  /**
   * Tolerances of the presence rules.
   *
   * @param exact error of a time taken from an event
   * @param coarse error of a join time taken from the platform's presence API
   * @param lag how long the platform may still list a participant that left
   * @param freshness time until a change without an event is detected
   * @param recorded how long a visit lasts at least that is in the platform's own history
   */
  public record PresenceBounds(
      Duration exact, Duration coarse, Duration lag, Duration freshness, Duration recorded) {}

  /** A session's row after the run. */
  public record SessionRow(
      long meetingId,
      String sessionId,
      Instant joinedAt,
      Optional<Instant> leftAt,
      Optional<String> userId,
      Optional<String> userName) {
    /** The session of an unknown person. */
    public SessionRow(
        long meetingId, String sessionId, Instant joinedAt, Optional<Instant> leftAt) {
      this(meetingId, sessionId, joinedAt, leftAt, Optional.empty(), Optional.empty());
    }
  }
}
