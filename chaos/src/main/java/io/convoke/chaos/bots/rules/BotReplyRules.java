package io.convoke.chaos.bots.rules;

import static java.util.Comparator.naturalOrder;

import io.convoke.chaos.bots.rules.BotHistory.BotCall;
import io.convoke.chaos.bots.rules.BotHistory.BotEndState;
import io.convoke.chaos.bots.rules.BotHistory.CommandExchange;
import io.convoke.chaos.bots.rules.BotHistory.ReplayResult;
import io.convoke.chaos.bots.rules.BotHistory.SentLine;
import io.convoke.chaos.bots.rules.BotHistory.UserCall;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BinaryOperator;
import java.util.stream.Collectors;

/** What servers answer to users and bots, and that they keep what they acknowledged. */
final class BotReplyRules {
  /** Status 0: the server was killed before it answered. */
  private static final Map<String, Set<Integer>> ANSWERS =
      Map.of("start", Set.of(0, 201, 409, 429), "stop", Set.of(0, 202, 404));

  /** Responses bots may get; 503 while a store or server is unreachable. */
  private static final Set<Integer> TO_BOTS = Set.of(200, 404, 409, 410, 503);

  private static final BinaryOperator<Instant> EARLIER = BinaryOperator.minBy(naturalOrder());

  private BotReplyRules() {}

  /**
   * Users get only documented responses, every accepted bot has a row, and every accepted stop is
   * written there.
   */
  static List<RuleViolation> botRequest(BotHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    Set<Long> known =
        history.bots().stream().map(BotEndState::meetingId).collect(Collectors.toSet());
    for (UserCall call : history.userCalls()) {
      boolean refused =
          call.status() == 503
              && history.refusing().anyMatch(it -> it.touches(call.sent(), call.at()));
      if (!refused && !ANSWERS.getOrDefault(call.what(), Set.of()).contains(call.status())) {
        findings.add(
            ViolationKind.REFUSED.found(
                "%s of %s was answered %d", call.what(), call.room(), call.status()));
      }
      if (call.status() == 201 && !known.contains(call.meetingId())) {
        findings.add(
            ViolationKind.LOST.found("bot %d was accepted and has no row", call.meetingId()));
      }
      history.bots().stream()
          .filter(_ -> call.status() == 202)
          .filter(bot -> bot.meetingId() == call.meetingId() && bot.stopRequestedAt().isEmpty())
          .filter(bot -> bot.endTime().map(end -> end.isAfter(call.at())).orElse(true))
          .forEach(
              bot ->
                  findings.add(
                      ViolationKind.LOST.found(
                          "the stop of bot %d was accepted and is not written", bot.meetingId())));
    }
    for (BotCall call : history.calls()) {
      if (!TO_BOTS.contains(call.status())) {
        findings.add(
            ViolationKind.REFUSED.found(
                "callback %s of %s was answered %d",
                call.name(), call.connectionId(), call.status()));
      }
    }
    return findings;
  }

  /**
   * Terminal states are final: a call replayed long after the end is refused with 410, or
   * acknowledged as a repeated exit report, and changes no row. Late transcript lines are refused
   * too.
   */
  static List<RuleViolation> lateCallback(BotHistory history) {
    ReplayResult replayResult = history.replayResult();
    List<RuleViolation> findings = new ArrayList<>();
    for (BotCall replay : replayResult.replays()) {
      boolean known = replay.status() == 200 && replay.name().equals("exited");
      if (replay.status() != 410 && !known) {
        findings.add(
            ViolationKind.REFUSED.found(
                "the late %s of %s was answered %d",
                replay.name(), replay.connectionId(), replay.status()));
      }
    }
    Set<String> tables = new TreeSet<>(replayResult.before().keySet());
    tables.addAll(replayResult.after().keySet());
    for (String table : tables) {
      List<String> before = replayResult.before().getOrDefault(table, List.of());
      List<String> after = replayResult.after().getOrDefault(table, List.of());
      without(after, before)
          .forEach(row -> findings.add(changed("late callbacks changed " + table + ": " + row)));
      without(before, after)
          .forEach(row -> findings.add(changed("late calls took from " + table + ": " + row)));
    }
    return findings;
  }

  private static List<String> without(List<String> rows, List<String> others) {
    Set<String> known = new HashSet<>(others);
    return rows.stream().filter(row -> !known.contains(row)).toList();
  }

  private static RuleViolation changed(String text) {
    return ViolationKind.ILLEGAL.found(text);
  }

  /**
   * Every transcript line that a server acknowledged is stored with its bot's meeting, none is left
   * out before one that was acknowledged, and a segment that a bot sends again is not published
   * again.
   */
  static List<RuleViolation> botTranscript(BotHistory history) {
    Map<String, Long> meetings = new HashMap<>();
    history.bots().forEach(bot -> meetings.put(bot.connectionId(), bot.meetingId()));
    List<RuleViolation> findings = new ArrayList<>();
    Map<String, List<SentLine>> byBot =
        history.evidence().lines().stream().collect(Collectors.groupingBy(SentLine::connectionId));
    byBot.forEach(
        (bot, lines) -> {
          List<SentLine> acknowledged = lines.stream().filter(SentLine::acknowledged).toList();
          acknowledged.stream()
              .filter(
                  line ->
                      !history.evidence().stored().contains(meetings.get(bot) + " " + line.text()))
              .forEach(line -> findings.add(ViolationKind.LOST.found(line + " was answered 200")));
          lines.stream()
              .limit(acknowledged.isEmpty() ? 0 : lines.indexOf(acknowledged.getLast()))
              .filter(SentLine::open)
              .forEach(
                  line ->
                      findings.add(
                          ViolationKind.LOST.found(
                              line + " was left out before " + acknowledged.getLast())));
        });
    Set<String> once = new HashSet<>();
    history.evidence().published().stream()
        .filter(segment -> !once.add(segment))
        .forEach(
            segment -> findings.add(ViolationKind.DUPLICATED.found("published again: " + segment)));
    return findings;
  }

  /**
   * A command is in every answer to its bot, from the first that has it until the bot acknowledges
   * it (docs/spec/contract.md, Bot callbacks).
   */
  static List<RuleViolation> botCommand(BotHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    Map<String, List<CommandExchange>> byBot =
        history.evidence().commands().stream()
            .collect(Collectors.groupingBy(CommandExchange::connectionId));
    byBot.forEach(
        (bot, exchanges) -> {
          Map<String, Instant> told = new HashMap<>();
          Map<String, Instant> taken = new HashMap<>();
          for (CommandExchange exchange : exchanges) {
            exchange.acknowledged().ifPresent(id -> taken.merge(id, exchange.sent(), EARLIER));
            exchange
                .commands()
                .ifPresent(ids -> ids.forEach(id -> told.merge(id, exchange.answered(), EARLIER)));
          }
          for (CommandExchange exchange : exchanges) {
            exchange
                .commands()
                .ifPresent(
                    ids ->
                        told.forEach(
                            (id, since) -> {
                              if (since.isBefore(exchange.sent())
                                  && !taken
                                      .getOrDefault(id, Instant.MAX)
                                      .isBefore(exchange.answered())
                                  && !ids.contains(id)) {
                                findings.add(
                                    ViolationKind.LOST.found(
                                        "command %s of bot %s, told at %s and not acknowledged, is"
                                            + " not in the answer of %s",
                                        id, bot, since, exchange.answered()));
                              }
                            }));
          }
        });
    return findings;
  }

  /** {@code convoke replay} finds no difference between journal and tables. */
  static List<RuleViolation> botReplay(BotHistory history) {
    return history.replay().stream()
        .map(difference -> ViolationKind.ILLEGAL.found("replay: " + difference))
        .toList();
  }
}
