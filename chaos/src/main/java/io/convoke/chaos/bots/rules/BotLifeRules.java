package io.convoke.chaos.bots.rules;

import io.convoke.chaos.bots.rules.BotHistory.BotCall;
import io.convoke.chaos.bots.rules.BotHistory.BotEndState;
import io.convoke.chaos.bots.rules.BotHistory.BotStateLimits;
import io.convoke.chaos.bots.rules.BotHistory.BotTransition;
import io.convoke.chaos.bots.rules.BotHistory.OrphanProcess;
import io.convoke.chaos.bots.rules.BotHistory.UserCall;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The lives of bots: each ends, in time, for a reason, and none beyond a limit. */
final class BotLifeRules {
  /** Reasons with which a server ends a running bot. */
  private static final Set<String> ENDED = Set.of("heartbeat_lost", "terminated");

  /** Reasons that imply that the process died. */
  private static final Set<String> DIED = Set.of("crashed", "vanished", "out_of_memory");

  /** Beginning of the description of a kill. */
  private static final String KILLED = "kill -9";

  /** Maximum difference between the local clock and the database's. */
  private static final Duration CLOSE = Duration.ofMillis(400);

  private static final Set<String> COUNTED = Set.of("reserved", "starting", "active");

  /** Times of a call and of the journal may differ by this. */
  private static final Duration CLOCKS = Duration.ofMillis(500);

  private static final Set<String> OVER = Set.of("completed", "failed");

  /** Actors that end a bot, and may record its end only once the process is gone. */
  private static final Set<String> ENDERS = Set.of("sweeper", "stop");

  /** Grace for a bot's final callbacks, which need a server. */
  private static final Duration GOODBYE = Duration.ofSeconds(15);

  /** Grace for an orphan, from the first 410, whose response may be dropped. */
  private static final Duration FINDING_OUT = Duration.ofSeconds(25);

  /** Grace for an orphan that received no response: its retries back off. */
  private static final Duration UNHEARD = Duration.ofSeconds(60);

  private BotLifeRules() {}

  /**
   * Every bot ended, no reservation is left, post-processing is enqueued exactly once, only
   * admitted bots are completed, and one that died is not; one that left when it was told to is.
   */
  static List<RuleViolation> botEnd(BotHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    for (BotEndState bot : history.bots()) {
      if (!bot.over()) {
        findings.add(
            ViolationKind.OPEN.found(
                "bot %d (%s) is still %s", bot.meetingId(), bot.room(), bot.status()));
      } else if (bot.endTime().isEmpty() || bot.reason().isEmpty()) {
        findings.add(
            ViolationKind.ILLEGAL.found(
                "bot %d ended without an end time or an outcome", bot.meetingId()));
      }
      int orders = bot.over() ? 1 : 0;
      if (bot.orders() != orders) {
        findings.add(
            (bot.orders() == 0 ? ViolationKind.LOST : ViolationKind.DUPLICATED)
                .found(
                    "bot %d is %s and its follow-up is enqueued %d times",
                    bot.meetingId(), bot.status(), bot.orders()));
      }
      if (bot.status().equals("completed") && bot.admittedAt().isEmpty()) {
        findings.add(
            ViolationKind.ILLEGAL.found(
                "bot %d is completed and was never admitted", bot.meetingId()));
      }
      if (bot.status().equals("completed") && died(history, bot)) {
        findings.add(ViolationKind.ILLEGAL.found("bot %d died and is completed", bot.meetingId()));
      }
      if (bot.status().equals("failed") && left(history, bot)) {
        findings.add(
            ViolationKind.ILLEGAL.found(
                "bot %d left its meeting when told to and is failed", bot.meetingId()));
      }
    }
    return findings;
  }

  /** Whether it was in its meeting, and told its end itself after a stop, without a fault. */
  private static boolean left(BotHistory history, BotEndState bot) {
    List<BotTransition> mine = history.transitionsByBot().getOrDefault(bot.meetingId(), List.of());
    return bot.honest()
        && bot.admittedAt().isPresent()
        && !mine.isEmpty()
        && mine.getLast().actor().equals("bot")
        && mine.getLast().reason().equals("stopped")
        && !history.touched(bot.meetingId());
  }

  /** Whether it was killed before it was stopped, and had not told its end. */
  private static boolean died(BotHistory history, BotEndState bot) {
    return bot.stopRequestedAt().isEmpty()
        && history.injectedFaults().stream()
            .anyMatch(
                fault -> fault.meetingId() == bot.meetingId() && fault.what().startsWith(KILLED))
        && history.calls().stream()
            .noneMatch(
                call ->
                    call.connectionId().equals(bot.connectionId()) && call.name().equals("exited"));
  }

  /**
   * No bot exceeds the deadline of its status: from entering it, while reserved from its time to
   * start, while active from the last callback, and from the stop request to the end; all counted
   * from the end of the control plane's last outage.
   */
  static List<RuleViolation> botDeadline(BotHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    Map<Long, List<BotTransition>> transitions = history.transitionsByBot();
    for (BotEndState bot : history.bots()) {
      List<BotTransition> mine = transitions.getOrDefault(bot.meetingId(), List.of());
      for (int i = 0; i + 1 < mine.size(); i++) {
        BotTransition in = mine.get(i);
        Instant out = mine.get(i + 1).at();
        allowed(history.deadlines(), in.to())
            .flatMap(most -> late(history, since(history, bot, in, out), out, most))
            .ifPresent(by -> findings.add(lost(bot, "left " + in.to() + " " + by + " too late")));
      }
      Duration leaves = history.deadlines().stopping();
      bot.stopRequestedAt()
          .flatMap(asked -> bot.endTime().flatMap(end -> late(history, asked, end, leaves)))
          .ifPresent(by -> findings.add(lost(bot, "ended " + by + " too late after its stop")));
    }
    return findings;
  }

  private static Instant since(BotHistory history, BotEndState bot, BotTransition in, Instant out) {
    Stream<Instant> later =
        switch (in.to()) {
          case "reserved" ->
              history.evidence().shown().scheduled().stream()
                  .filter(start -> start.meetingId() == bot.meetingId())
                  .map(BotHistory.ScheduledStart::at);
          case "active" ->
              history.signs(bot.connectionId()).stream().filter(sign -> !sign.isAfter(out));
          default -> Stream.empty();
        };
    return Stream.concat(Stream.of(in.at()), later).max(Instant::compareTo).orElseThrow();
  }

  private static Optional<Duration> allowed(BotStateLimits limits, String state) {
    return switch (state) {
      case "reserved" -> Optional.of(limits.reserved());
      case "starting" -> Optional.of(limits.starting());
      case "active" -> Optional.of(limits.active());
      case "stopping" -> Optional.of(limits.stopping());
      default -> Optional.empty();
    };
  }

  private static Optional<String> late(
      BotHistory history, Instant since, Instant at, Duration most) {
    Instant latest = history.counted(since, at).plus(most).plus(history.deadlines().late());
    return at.isAfter(latest)
        ? Optional.of(
            String.format(Locale.ROOT, "%.1f s", Duration.between(latest, at).toMillis() / 1e3))
        : Optional.empty();
  }

  private static RuleViolation lost(BotEndState bot, String what) {
    return ViolationKind.LOST.found("bot %d (%s) %s", bot.meetingId(), bot.room(), what);
  }

  /**
   * No healthy bot is ended: a bot that a server ended without a stop request had sent nothing for
   * the whole timeout while the control plane was up, and a bot whose process died was hit by an
   * injected fault.
   */
  static List<RuleViolation> falseTimeout(BotHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    Map<Long, List<BotTransition>> transitions = history.transitionsByBot();
    for (BotEndState bot : history.bots()) {
      boolean wanted = bot.stopRequestedAt().isPresent();
      List<BotTransition> moves = transitions.getOrDefault(bot.meetingId(), List.of());
      for (BotTransition transition : moves) {
        boolean ran = transition.found().equals("running") || transition.found().isEmpty();
        if (!wanted
            && ENDED.contains(transition.reason())
            && ran
            && !silent(history, bot, transition)
            && !startedLate(history, bot, moves)) {
          findings.add(
              illegal(
                  bot,
                  "was ended (%s) although it sent heartbeats".formatted(transition.reason())));
        }
        boolean died =
            DIED.contains(transition.reason()) || (ENDED.contains(transition.reason()) && !ran);
        if (!wanted && bot.honest() && died && !history.touched(bot.meetingId())) {
          findings.add(
              illegal(bot, "ended as %s without an injected fault".formatted(transition.reason())));
        }
      }
    }
    return findings;
  }

  /**
   * Whether the bot made its first call only when servers had waited for it for the whole deadline,
   * so that one of them may already have begun to end it: its call takes nothing back.
   */
  private static boolean startedLate(
      BotHistory history, BotEndState bot, List<BotTransition> moves) {
    Instant reserved = moves.getFirst().at();
    Instant started = bot.startTime().orElse(reserved);
    Duration waited =
        Duration.between(reserved, started).minus(history.withoutServer(reserved, started));
    return moves.getLast().reason().equals("never_started")
        && waited.plus(CLOSE).compareTo(history.deadlines().reserved()) >= 0;
  }

  /**
   * Whether, shortly before the end, there was a gap as long as the deadline without a callback and
   * without an outage of the control plane.
   */
  private static boolean silent(BotHistory history, BotEndState bot, BotTransition end) {
    BotStateLimits limits = history.deadlines();
    Instant from = end.at().minus(limits.late());
    List<Instant> marks =
        Stream.of(history.signs(bot.connectionId()), history.countedFrom(), List.of(end.at()))
            .flatMap(List::stream)
            .filter(mark -> !mark.isAfter(end.at()))
            .sorted()
            .toList();
    Instant before = bot.startTime().orElse(end.at());
    for (Instant mark : marks) {
      Duration gap = Duration.between(before, mark).minus(history.withoutServer(before, mark));
      boolean enough = gap.plus(CLOSE).compareTo(limits.active()) >= 0;
      if (enough && mark.isAfter(from)) {
        return true;
      }
      before = mark.isAfter(before) ? mark : before;
    }
    return false;
  }

  private static RuleViolation illegal(BotEndState bot, String what) {
    return ViolationKind.ILLEGAL.found("bot %d (%s) %s", bot.meetingId(), bot.room(), what);
  }

  /**
   * At no point of the journal does a user have more bots in reserved, starting and active than the
   * limit, or two live ones in one meeting; and none is refused a bot below it. A bot that waits
   * for its time or its place takes none until it is launched.
   */
  static List<RuleViolation> botLimit(BotHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    Map<Long, String> rooms = new HashMap<>();
    history.bots().forEach(bot -> rooms.put(bot.meetingId(), bot.room()));
    Set<Long> waiting =
        history.evidence().shown().scheduled().stream()
            .map(BotHistory.ScheduledStart::meetingId)
            .collect(Collectors.toSet());
    Map<Long, Map<Long, String>> states = new HashMap<>();
    for (BotTransition transition : history.transitions()) {
      Map<Long, String> mine = states.computeIfAbsent(transition.userId(), user -> new HashMap<>());
      mine.put(transition.meetingId(), transition.to());
      long counted =
          mine.entrySet().stream()
              .filter(it -> COUNTED.contains(it.getValue()))
              .filter(it -> !it.getValue().equals("reserved") || !waiting.contains(it.getKey()))
              .count();
      int limit = history.limits().getOrDefault(transition.userId(), 0);
      if (COUNTED.contains(transition.to()) && counted > limit) {
        findings.add(
            ViolationKind.DUPLICATED.found(
                "at event %d user %d has %d bots, the limit is %d",
                transition.seq(), transition.userId(), counted, limit));
      }
      String room = rooms.getOrDefault(transition.meetingId(), "");
      mine.forEach(
          (other, state) -> {
            if (other != transition.meetingId()
                && transition.from().isEmpty()
                && !OVER.contains(state)
                && rooms.getOrDefault(other, "").equals(room)) {
              findings.add(
                  ViolationKind.DUPLICATED.found(
                      "at event %d bots %d and %d of one user live in %s",
                      transition.seq(), other, transition.meetingId(), room));
            }
          });
    }
    for (UserCall call : history.userCalls()) {
      if (call.userId() != 0 && call.status() == 429) {
        long most = most(history, call);
        int limit = history.limits().getOrDefault(call.userId(), 0);
        if (most < limit) {
          findings.add(
              ViolationKind.REFUSED.found(
                  "user %d was refused a bot at %s with %d of %d",
                  call.userId(), call.at(), most, limit));
        }
      }
    }
    return findings;
  }

  /** The largest number of the user's counted bots at any time during a call. */
  private static long most(BotHistory history, UserCall call) {
    Map<Long, String> states = new HashMap<>();
    long most = 0;
    for (BotTransition transition : history.transitions()) {
      if (transition.userId() == call.userId()
          && transition.at().isBefore(call.at().plus(CLOCKS))) {
        boolean during = transition.at().isAfter(call.sent().minus(CLOCKS));
        most = during ? Math.max(most, counted(states)) : most;
        states.put(transition.meetingId(), transition.to());
      }
    }
    return Math.max(most, counted(states));
  }

  private static long counted(Map<Long, String> states) {
    return states.values().stream().filter(COUNTED::contains).count();
  }

  /**
   * No bot process outlives its row. A bot that a server ended is gone before its row says so; one
   * that reported its own exit has a moment to exit; an orphan exits when a server answers 410.
   */
  static List<RuleViolation> botProcess(BotHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    Map<Long, List<BotTransition>> transitions = history.transitionsByBot();
    for (OrphanProcess seen : history.runsOn()) {
      List<BotTransition> mine = transitions.getOrDefault(seen.meetingId(), List.of());
      Instant end = mine.isEmpty() ? seen.first() : mine.getLast().at();
      boolean byUs = !mine.isEmpty() && ENDERS.contains(mine.getLast().actor());
      if (byUs && seen.known()) {
        findings.add(
            open(
                "bot %d was ended by the %s, but its process still runs"
                    .formatted(seen.meetingId(), mine.getLast().actor())));
      } else if (seen.last().isAfter(mayRunUntil(history, seen, end))) {
        findings.add(
            open(
                "the process of bot %d ran for %d s after its end"
                    .formatted(seen.meetingId(), Duration.between(end, seen.last()).toSeconds())));
      }
    }
    history.processes().forEach(name -> findings.add(open(name + " still runs at the end")));
    return findings;
  }

  private static Instant mayRunUntil(BotHistory history, OrphanProcess seen, Instant end) {
    if (seen.known()) {
      Instant until = end.plus(GOODBYE);
      return until.plus(history.withoutServer(end, until));
    }
    return history.bots().stream()
        .filter(bot -> bot.meetingId() == seen.meetingId())
        .flatMap(bot -> history.calls().stream().filter(call -> call.refuses(bot)))
        .map(BotCall::at)
        .min(Instant::compareTo)
        .map(observedEnd -> observedEnd.plus(FINDING_OUT))
        .orElse(end.plus(UNHEARD));
  }

  private static RuleViolation open(String text) {
    return ViolationKind.OPEN.found(text);
  }
}
