package io.convoke.agent;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Tracks the other participants and decides whether an automatic-leave rule applies. Deterministic:
 * the time is passed in, in monotonic nanoseconds.
 */
public final class LeaveRuleMonitor {
  private final AutomaticLeave rules;
  private final String self;
  private final Set<String> others = ConcurrentHashMap.newKeySet();
  private boolean anybodyEver;
  private long aloneSince;

  /** {@code self} is the bot's own session in the meeting. */
  public LeaveRuleMonitor(AutomaticLeave rules, String self, long now) {
    this.rules = rules;
    this.self = self;
    this.aloneSince = now;
  }

  /** Takes an event in; returns whether it changed who is there. */
  public boolean see(ParticipantEvent event, long now) {
    boolean alone = others.isEmpty();
    boolean changed =
        switch (event) {
          case ParticipantEvent.ParticipantSnapshot(List<Attendee> people, var _) -> {
            others.clear();
            people.forEach(person -> add(person.sessionId()));
            yield true;
          }
          case ParticipantEvent.ParticipantJoined(Attendee person) -> add(person.sessionId());
          case ParticipantEvent.ParticipantLeft(String sessionId, var _) ->
              others.remove(sessionId);
        };
    anybodyEver |= !others.isEmpty();
    if (!alone && others.isEmpty()) {
      aloneSince = now;
    }
    return changed;
  }

  /** How many other participants there are. For any thread. */
  public int others() {
    return others.size();
  }

  /** The reason to go now, if there is one. */
  public Optional<String> reason(long now) {
    return others.isEmpty() && now - aloneSince >= limit().toNanos()
        ? Optional.of(anybodyEver ? "everyone_left" : "no_one_joined")
        : Optional.empty();
  }

  /** How long nothing can change without an event. */
  public Duration until(long now) {
    return others.isEmpty()
        ? Duration.ofNanos(Math.max(0, aloneSince + limit().toNanos() - now)).plusMillis(1)
        : Duration.ofMinutes(1);
  }

  private Duration limit() {
    return anybodyEver ? rules.everyoneLeft() : rules.noOneJoined();
  }

  private boolean add(String sessionId) {
    return !sessionId.isEmpty() && !sessionId.equals(self) && others.add(sessionId);
  }
}
