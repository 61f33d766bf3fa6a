package io.convoke.simulator.control;

import io.convoke.simulator.state.Meeting;
import io.convoke.simulator.state.Recording;
import io.convoke.simulator.state.RoomSession;
import io.convoke.simulator.webhook.WebhookDelivery;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The simulator's own state, for comparison with a server's view.
 *
 * @param meetings every meeting with every connection, oldest first
 * @param webhooks every event with its deliveries, in order
 * @param requests API requests by route and status
 * @param forgotten how many old meetings were dropped
 */
public record SimulationTruth(
    long seed,
    Instant at,
    List<Meeting> meetings,
    List<Recording> recordings,
    List<WebhookDelivery> webhooks,
    Map<String, Map<Integer, Long>> requests,
    long forgotten) {

  /**
   * Without meetings that ended before then: a meeting stays complete while one of its connections
   * lasted, so that a poller need not read a whole day each time.
   */
  public SimulationTruth after(Instant then) {
    return new SimulationTruth(
        seed,
        at,
        meetings.stream().filter(meeting -> lasted(meeting.endedAt(), then)).toList(),
        recordings.stream().filter(recording -> lasted(recording.endedAt(), then)).toList(),
        webhooks.stream().filter(sent -> !sent.envelope().eventAt().isBefore(then)).toList(),
        requests,
        forgotten);
  }

  private static boolean lasted(Optional<Instant> end, Instant then) {
    return end.map(ended -> !ended.isBefore(then)).orElse(true);
  }

  /**
   * Every connection ever made, by meeting and in order of joining; one that lasted over several
   * meetings once, as it was in the last of them.
   */
  public List<RoomSession> sessions() {
    Map<String, RoomSession> sessions = new LinkedHashMap<>();
    for (Meeting meeting : meetings) {
      meeting.sessions().forEach(session -> sessions.put(session.sessionId(), session));
    }
    return List.copyOf(sessions.values());
  }
}
