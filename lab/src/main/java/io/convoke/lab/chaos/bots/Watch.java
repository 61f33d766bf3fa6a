package io.convoke.lab.chaos.bots;

import io.convoke.lab.chaos.bots.Processes.Body;
import io.convoke.lab.chaos.bots.Processes.Seen;
import io.convoke.lab.chaos.bots.verdict.Bot;
import io.convoke.lab.chaos.bots.verdict.Deed;
import io.convoke.lab.chaos.bots.verdict.RunsOn;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Looks at rows and processes side by side, many times a second: notes processes behind rows that
 * are over, and does to bots what their fate says. Used by one thread.
 */
final class Watch {
  private static final Duration CUT_OFF = Terms.DEADLINES.active().plusSeconds(4);

  private final Rows rows;
  private final Processes processes;
  private final FaultyRelay relay;
  private final Map<String, Fate> fates = new HashMap<>();
  private final Set<Long> done = new HashSet<>();
  private final Map<Long, RunsOn> runsOn = new HashMap<>();
  private final List<Deed> deeds = new ArrayList<>();
  private final Map<String, Instant> cut = new HashMap<>();
  private final Set<Instant> countedFrom = new TreeSet<>();

  Watch(Rows rows, Processes processes, FaultyRelay relay, List<Step.Wish> wishes) {
    this.rows = rows;
    this.processes = processes;
    this.relay = relay;
    wishes.forEach(wish -> fates.putIfAbsent(wish.room(), wish.fate()));
  }

  /** One look. Rows come first: what is over there must be gone from the machine. */
  List<Bot> look() throws SQLException {
    List<Bot> bots = rows.bots();
    Map<Long, Seen> running = processes.look();
    Instant now = Instant.now();
    rows.upSince().ifPresent(countedFrom::add);
    for (Bot bot : bots) {
      Seen seen = running.get(bot.meetingId());
      if (seen != null && bot.over()) {
        RunsOn before = runsOn.get(bot.meetingId());
        runsOn.put(
            bot.meetingId(),
            new RunsOn(
                bot.meetingId(),
                before == null ? now : before.first(),
                now,
                seen.recorded() || (before != null && before.known())));
      } else if (seen != null) {
        strike(bot, seen, now);
      }
    }
    cut.entrySet()
        .removeIf(
            entry -> {
              boolean over = now.isAfter(entry.getValue().plus(CUT_OFF));
              if (over) {
                relay.cut(entry.getKey(), false);
              }
              return over;
            });
    return bots;
  }

  /** Which processes run; nobody when all is over. */
  List<String> running() {
    return processes.look().values().stream().map(Seen::name).sorted().toList();
  }

  List<Deed> deeds() {
    return List.copyOf(deeds);
  }

  List<RunsOn> runsOn() {
    return List.copyOf(runsOn.values());
  }

  List<Instant> countedFrom() {
    return List.copyOf(countedFrom);
  }

  private void strike(Bot bot, Seen seen, Instant now) {
    Fate fate = fates.getOrDefault(bot.room(), Fate.NONE);
    if (fate == Fate.NONE || !fate.state().equals(bot.status()) || !done.add(bot.meetingId())) {
      return;
    }
    switch (fate) {
      case KILLED_BOOTING, KILLED_STARTING, KILLED_ACTIVE, KILLED_STOPPING ->
          seen.bodies().forEach(Body::kill);
      case HUNG -> seen.bodies().forEach(Body::hang);
      case CUT_OFF -> {
        relay.cut(bot.connectionId(), true);
        cut.put(bot.connectionId(), now);
      }
      case NONE -> throw new IllegalStateException("filtered before");
    }
    deeds.add(new Deed(now, bot.meetingId(), fate.words()));
  }
}
