package io.convoke.chaos.bots;

import io.convoke.chaos.bots.BotProcesses.BotProcessHandle;
import io.convoke.chaos.bots.BotProcesses.BotProcessState;
import io.convoke.chaos.bots.rules.BotEndState;
import io.convoke.chaos.bots.rules.InjectedFault;
import io.convoke.chaos.bots.rules.OrphanProcess;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Polls rows and processes many times a second: records processes that outlive their row's end, and
 * injects the planned bot faults. Single-threaded.
 */
final class BotObserver {
  private static final Duration CUT_OFF = BotRunConfig.DEADLINES.active().plusSeconds(4);

  private final BotRows botRows;
  private final BotProcesses botProcesses;
  private final CallbackFaultProxy relay;
  private final Map<String, BotFault> faults = new HashMap<>();
  private final Set<Long> done = new HashSet<>();
  private final Map<Long, OrphanProcess> runsOn = new HashMap<>();
  private final List<InjectedFault> injectedFaults = new ArrayList<>();
  private final Map<String, Instant> cut = new HashMap<>();

  BotObserver(
      BotRows botRows,
      BotProcesses botProcesses,
      CallbackFaultProxy relay,
      List<BotPlanStep.RequestBot> requests) {
    this.botRows = botRows;
    this.botProcesses = botProcesses;
    this.relay = relay;
    requests.forEach(requestBot -> faults.putIfAbsent(requestBot.room(), requestBot.fault()));
  }

  /** One poll. Reads rows first: a bot that is over in its row must not have a process. */
  List<BotEndState> observe() throws SQLException {
    List<BotEndState> bots = botRows.bots();
    Map<Long, BotProcessState> running = botProcesses.list();
    Instant now = Instant.now();
    for (BotEndState botEndState : bots) {
      BotProcessState botProcessState = running.get(botEndState.meetingId());
      if (botProcessState != null && botEndState.over()) {
        OrphanProcess before = runsOn.get(botEndState.meetingId());
        runsOn.put(
            botEndState.meetingId(),
            new OrphanProcess(
                botEndState.meetingId(),
                before == null ? now : before.first(),
                now,
                botProcessState.recorded() || (before != null && before.known())));
      } else if (botProcessState != null) {
        injectFault(botEndState, botProcessState, now);
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
    return botProcesses.list().values().stream().map(BotProcessState::name).sorted().toList();
  }

  /** Rooms of bots that only the sweeper may end. */
  Set<String> leftToSweeper() {
    return faults.entrySet().stream()
        .filter(
            entry ->
                entry.getValue() == BotFault.HUNG_STARTING || entry.getValue() == BotFault.HUNG)
        .map(Map.Entry::getKey)
        .collect(Collectors.toSet());
  }

  List<InjectedFault> injectedFaults() {
    return List.copyOf(injectedFaults);
  }

  List<OrphanProcess> runsOn() {
    return List.copyOf(runsOn.values());
  }

  private void injectFault(BotEndState botEndState, BotProcessState botProcessState, Instant now) {
    BotFault botFault = faults.getOrDefault(botEndState.room(), BotFault.NONE);
    if (botFault == BotFault.NONE
        || !botFault.state().equals(botEndState.status())
        || !done.add(botEndState.meetingId())) {
      return;
    }
    switch (botFault) {
      case KILLED_BOOTING, KILLED_STARTING, KILLED_ACTIVE, KILLED_STOPPING ->
          botProcessState.bodies().forEach(BotProcessHandle::kill);
      case HUNG, HUNG_STARTING -> botProcessState.bodies().forEach(BotProcessHandle::hang);
      case CUT_OFF -> {
        relay.cut(botEndState.connectionId(), true);
        cut.put(botEndState.connectionId(), now);
      }
      case NONE -> throw new IllegalStateException("filtered before");
    }
    injectedFaults.add(new InjectedFault(now, botEndState.meetingId(), botFault.description()));
  }
}
