package io.convoke.chaos.bots;

import io.convoke.chaos.bots.BotProcesses.BotProcessHandle;
import io.convoke.chaos.bots.BotProcesses.BotProcessState;
import io.convoke.chaos.bots.rules.BotHistory.BotEndState;
import io.convoke.chaos.bots.rules.BotHistory.InjectedFault;
import io.convoke.chaos.bots.rules.BotHistory.OrphanProcess;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Polls rows and processes many times a second: records processes that outlive their row's end, and
 * injects the planned bot faults. Single-threaded.
 */
final class BotObserver {
  private static final Duration CUT_OFF = BotRunConfig.DEADLINES.active().plusSeconds(4);

  private final BotRows rows;
  private final BotProcesses processes;
  private final CallbackFaultProxy relay;
  private final Map<String, BotFault> faults = new HashMap<>();
  private final Set<Long> done = new HashSet<>();

  /** Rooms of bots that hang. */
  private final Set<String> hung = new HashSet<>();

  private final Map<Long, OrphanProcess> runsOn = new HashMap<>();
  private final List<InjectedFault> injectedFaults = new ArrayList<>();
  private final Map<String, Instant> cut = new HashMap<>();

  BotObserver(
      BotRows rows,
      BotProcesses processes,
      CallbackFaultProxy relay,
      List<BotPlanStep.RequestBot> requests,
      Map<String, BotFault> more) {
    this.rows = rows;
    this.processes = processes;
    this.relay = relay;
    requests.forEach(request -> faults.putIfAbsent(request.room(), request.fault()));
    faults.putAll(more);
  }

  /** One poll. Reads rows first: a bot that is over in its row must not have a process. */
  List<BotEndState> observe() throws SQLException {
    List<BotEndState> bots = rows.bots();
    Map<Long, BotProcessState> running = processes.list();
    Instant now = Instant.now();
    for (BotEndState bot : bots) {
      BotProcessState process = running.get(bot.meetingId());
      if (process != null && bot.over()) {
        OrphanProcess before = runsOn.get(bot.meetingId());
        runsOn.put(
            bot.meetingId(),
            new OrphanProcess(
                bot.meetingId(),
                before == null ? now : before.first(),
                now,
                process.recorded() || (before != null && before.known())));
      } else if (process != null) {
        injectFault(bot, process, now);
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

  /** Names of the processes still running; empty when all have ended. */
  List<String> running() {
    return processes.list().values().stream().map(BotProcessState::name).sorted().toList();
  }

  /** Rooms of bots that only the sweeper may end. */
  Set<String> leftToSweeper() {
    return Set.copyOf(hung);
  }

  List<InjectedFault> injectedFaults() {
    return List.copyOf(injectedFaults);
  }

  List<OrphanProcess> runsOn() {
    return List.copyOf(runsOn.values());
  }

  private void injectFault(BotEndState bot, BotProcessState process, Instant now) {
    BotFault fault = faults.getOrDefault(bot.room(), BotFault.NONE);
    if (fault == BotFault.NONE
        || !fault.state().equals(bot.status())
        || !done.add(bot.meetingId())) {
      return;
    }
    switch (fault) {
      case KILLED_BOOTING, KILLED_STARTING, KILLED_ACTIVE, KILLED_STOPPING ->
          process.bodies().forEach(BotProcessHandle::kill);
      case HUNG, HUNG_STARTING -> {
        process.bodies().forEach(BotProcessHandle::hang);
        boolean _ = hung.add(bot.room());
      }
      case CUT_OFF -> {
        relay.cut(bot.connectionId(), true);
        cut.put(bot.connectionId(), now);
      }
      case DEAF_TO_COMMANDS -> relay.withholdCommands(bot.connectionId());
      case LEAVES_SLOWLY -> relay.delayExit(bot.connectionId());
      case NONE -> throw new IllegalStateException("filtered before");
    }
    injectedFaults.add(new InjectedFault(now, bot.meetingId(), fault.description()));
  }
}
