package io.convoke.agent;

import io.convoke.agent.room.RoomEvent;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import tools.jackson.databind.JsonNode;

/**
 * Tracks the other participants and decides whether an automatic-leave rule applies. Deterministic:
 * the time is passed in, in monotonic nanoseconds.
 */
final class LeaveRuleMonitor {
  private final AutomaticLeave rules;
  private final String self;
  private final Set<String> others = ConcurrentHashMap.newKeySet();
  private boolean anybodyEver;
  private long aloneSince;

  LeaveRuleMonitor(AutomaticLeave rules, String self, long now) {
    this.rules = rules;
    this.self = self;
    this.aloneSince = now;
  }

  /** Takes an event in. */
  void see(RoomEvent event, long now) {
    boolean alone = others.isEmpty();
    switch (event.name()) {
      case "snapshot" -> {
        others.clear();
        for (JsonNode person : event.data().path("participants")) {
          add(person.path("session_id").asString(""));
        }
      }
      case "participant-joined" -> add(event.text("session_id"));
      case "participant-left" -> others.remove(event.text("session_id"));
      default -> {}
    }
    anybodyEver |= !others.isEmpty();
    if (!alone && others.isEmpty()) {
      aloneSince = now;
    }
  }

  /** How many other participants there are. For any thread. */
  int others() {
    return others.size();
  }

  /** The reason to go now, if there is one. */
  Optional<String> reason(long now) {
    return others.isEmpty() && now - aloneSince >= limit().toNanos()
        ? Optional.of(anybodyEver ? "everyone_left" : "no_one_joined")
        : Optional.empty();
  }

  /** How long nothing can change without an event. */
  Duration until(long now) {
    return others.isEmpty()
        ? Duration.ofNanos(Math.max(0, aloneSince + limit().toNanos() - now)).plusMillis(1)
        : Duration.ofMinutes(1);
  }

  private Duration limit() {
    return anybodyEver ? rules.everyoneLeft() : rules.noOneJoined();
  }

  private void add(String sessionId) {
    if (!sessionId.isEmpty() && !sessionId.equals(self)) {
      others.add(sessionId);
    }
  }
}
