package io.convoke.chaos.bots.rules;

import io.convoke.chaos.bots.rules.BotHistory.BotAnswer;
import io.convoke.chaos.bots.rules.BotHistory.BotEndState;
import io.convoke.chaos.bots.rules.BotHistory.BotTransition;
import io.convoke.chaos.bots.rules.BotHistory.CommandExchange;
import io.convoke.chaos.bots.rules.BotHistory.GivenCommand;
import io.convoke.chaos.bots.rules.BotHistory.ListedBots;
import io.convoke.chaos.bots.rules.BotHistory.ScheduledStart;
import io.convoke.chaos.kernel.FaultTimeline;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Whether answers to bots and users agree with the journal at the moment of the answer. */
final class BotAnswerRules {
  /**
   * From the decision of a change, whose time the journal has, to its commit, on a busy machine.
   */
  private static final Duration COMMITTED = Duration.ofSeconds(3);

  /** Times of a call and of the journal may differ by this, on a busy machine. */
  private static final Duration CLOCKS = Duration.ofSeconds(1);

  /** A start may be late after an outage that ended so long before. */
  private static final Duration SETTLED = Duration.ofSeconds(8);

  private static final Set<String> OVER = Set.of("completed", "failed");

  private BotAnswerRules() {}

  /**
   * An answer to a bot names its meeting and a state that this has then; 410 is for bots that are
   * over alone; and a call that was answered 200 is not refused when it comes again before the end.
   */
  static List<RuleViolation> botAnswer(BotHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    Map<String, BotEndState> bots =
        history.bots().stream()
            .collect(Collectors.toMap(BotEndState::connectionId, bot -> bot, (one, _) -> one));
    Map<Long, List<BotTransition>> moves = history.transitionsByBot();
    Map<String, Instant> taken = new HashMap<>();
    history.evidence().shown().answers().stream()
        .filter(answer -> answer.status() == 200)
        .forEach(answer -> taken.putIfAbsent(answer.call(), answer.answered()));
    for (BotAnswer answer : history.evidence().shown().answers()) {
      BotEndState bot = bots.get(answer.connectionId());
      if (bot == null) {
        continue;
      }
      Set<String> states =
          states(moves.getOrDefault(bot.meetingId(), List.of()), answer.sent(), answer.answered());
      boolean told = Set.of(200, 409, 410).contains(answer.status());
      if (told && !answer.state().isEmpty() && !states.contains(answer.state())) {
        findings.add(wrong(answer, "the journal has " + states));
      }
      if (answer.status() == 200 && answer.meetingId() != bot.meetingId()) {
        findings.add(wrong(answer, "its meeting is " + bot.meetingId()));
      }
      if (answer.status() == 410 && states.stream().noneMatch(OVER::contains)) {
        findings.add(wrong(answer, "it is not over"));
      }
      boolean again = taken.getOrDefault(answer.call(), Instant.MAX).isBefore(answer.sent());
      boolean goodbye = answer.call().contains(" exited ") && !endedForIt(history, bot);
      if (again && (answer.status() == 409 || (goodbye && answer.status() == 410))) {
        findings.add(wrong(answer, "the same call was answered 200 before"));
      }
    }
    return findings;
  }

  /** Whether a server may have been about to end it, so that its own report counts no more. */
  private static boolean endedForIt(BotHistory history, BotEndState bot) {
    return history.touched(bot.meetingId())
        || bot.endTime()
            .map(end -> end.minus(history.deadlines().stopping()))
            .filter(late -> bot.stopRequestedAt().filter(late::isAfter).isPresent())
            .isPresent();
  }

  private static RuleViolation wrong(BotAnswer answer, String why) {
    return ViolationKind.ILLEGAL.found("%s: %s", answer, why);
  }

  /** The states that a bot had at some time of a period; empty before it was reserved. */
  private static Set<String> states(List<BotTransition> moves, Instant from, Instant to) {
    Set<String> states = new TreeSet<>();
    String before = "";
    for (BotTransition move : moves) {
      if (move.at().isAfter(to.plus(CLOCKS))) {
        break;
      }
      if (move.at().isAfter(from.minus(CLOCKS))) {
        states.add(before);
      }
      before = move.to();
    }
    states.add(before);
    return states;
  }

  /**
   * The list of active bots has those that live all the time of the call, and none that is over.
   */
  static List<RuleViolation> activeBots(BotHistory history) {
    Map<Long, List<BotTransition>> moves = history.transitionsByBot();
    List<RuleViolation> findings = new ArrayList<>();
    for (ListedBots list : settled(history)) {
      for (BotEndState bot : history.bots()) {
        Set<String> states =
            states(
                moves.getOrDefault(bot.meetingId(), List.of()),
                list.sent().minus(COMMITTED),
                list.answered());
        boolean lives = states.stream().noneMatch(it -> OVER.contains(it) || it.isEmpty());
        boolean mine = bot.userId() == list.userId();
        boolean shown = list.meetings().contains(bot.meetingId());
        if (lives && mine && !shown) {
          findings.add(ViolationKind.GAP.found("%s does not show bot %d", list, bot.meetingId()));
        } else if (shown && (!mine || OVER.containsAll(states))) {
          findings.add(ViolationKind.GAP.found("%s shows bot %d", list, bot.meetingId()));
        }
      }
    }
    return findings;
  }

  /** The lists of times in which what the journal tells was committed when it was decided. */
  private static List<ListedBots> settled(BotHistory history) {
    return history.evidence().shown().lists().stream()
        .filter(
            list ->
                history.evidence().windows().stream()
                    .filter(window -> window.touches(list.sent().minus(COMMITTED), list.answered()))
                    .noneMatch(window -> window.target().equals(FaultTimeline.POSTGRES)))
        .toList();
  }

  /**
   * A command that a user was answered is in each answer to its bot until the bot acknowledges it,
   * as it was given and in the order in which it was given.
   */
  static List<RuleViolation> givenCommand(BotHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    List<GivenCommand> given = history.evidence().shown().given();
    Map<String, GivenCommand> byId =
        given.stream()
            .collect(Collectors.toMap(GivenCommand::id, Function.identity(), (one, _) -> one));
    history
        .evidence()
        .shown()
        .texts()
        .forEach(
            (id, texts) -> {
              if (texts.size() > 1) {
                findings.add(ViolationKind.ILLEGAL.found("command %s changes: %s", id, texts));
              }
              GivenCommand command = byId.get(id);
              if (command != null && !texts.stream().allMatch(it -> it.contains(command.text()))) {
                findings.add(ViolationKind.ILLEGAL.found("%s was told as %s", command, texts));
              }
            });
    Map<Long, String> connections =
        history.bots().stream()
            .collect(Collectors.toMap(BotEndState::meetingId, BotEndState::connectionId));
    for (CommandExchange exchange : history.evidence().commands()) {
      List<String> told = exchange.commands().orElse(List.of());
      for (GivenCommand command : given) {
        boolean known =
            exchange.connectionId().equals(connections.getOrDefault(command.meetingId(), ""))
                && exchange.commands().isPresent()
                && command.answered().isBefore(exchange.sent())
                && !acknowledged(history, command.id(), exchange.answered());
        if (known && !told.contains(command.id())) {
          findings.add(
              ViolationKind.LOST.found(
                  "%s is not in the answer of %s", command, exchange.answered()));
        }
        List<String> before = told.subList(0, Math.max(0, told.indexOf(command.id())));
        given.stream()
            .filter(later -> later.sent().isAfter(command.answered()))
            .filter(later -> before.contains(later.id()))
            .forEach(
                later ->
                    findings.add(
                        ViolationKind.SEQUENCE.found("%s was told before %s", later, command)));
      }
    }
    return findings;
  }

  private static boolean acknowledged(BotHistory history, String command, Instant by) {
    return history.evidence().commands().stream()
        .filter(exchange -> exchange.acknowledged().filter(command::equals).isPresent())
        .anyMatch(exchange -> exchange.sent().isBefore(by));
  }

  /**
   * A bot is not launched before its time, nor given up before it, and it is launched soon after it
   * while nothing is wrong.
   */
  static List<RuleViolation> scheduledStart(BotHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    for (ScheduledStart start : history.evidence().shown().scheduled()) {
      history.bots().stream()
          .filter(bot -> bot.meetingId() == start.meetingId())
          .filter(bot -> bot.reason().filter("never_started"::equals).isPresent())
          .filter(bot -> bot.endTime().filter(start.at()::isAfter).isPresent())
          .forEach(
              bot -> findings.add(ViolationKind.ILLEGAL.found("%s was given up early", start)));
      boolean disturbed =
          history.evidence().windows().stream()
              .anyMatch(it -> it.touches(start.at().minus(SETTLED), start.by()));
      for (Instant launch : start.launches()) {
        if (launch.isBefore(start.at())) {
          findings.add(ViolationKind.ILLEGAL.found("%s was launched early", start));
        } else if (!disturbed && launch.isAfter(start.by())) {
          findings.add(ViolationKind.LATE.found("%s was launched late", start));
        }
      }
    }
    return findings;
  }
}
