package io.convoke.chaos.bots.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.chaos.bots.rules.BotHistory.BotCall;
import io.convoke.chaos.bots.rules.BotHistory.BotEndState;
import io.convoke.chaos.bots.rules.BotHistory.BotEvidence;
import io.convoke.chaos.bots.rules.BotHistory.BotShown;
import io.convoke.chaos.bots.rules.BotHistory.BotTransition;
import io.convoke.chaos.bots.rules.BotHistory.InjectedFault;
import io.convoke.chaos.bots.rules.BotHistory.OrphanProcess;
import io.convoke.chaos.bots.rules.BotHistory.ReplayResult;
import io.convoke.chaos.bots.rules.BotHistory.ScheduledStart;
import io.convoke.chaos.bots.rules.BotHistory.UserCall;
import io.convoke.chaos.kernel.RuleViolation;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What rules for the life of one bot, c1, find and excuse, at their exact times. */
final class BotLifeRulesTest {
  private static final Instant T = Instant.parse("2026-01-01T10:00:00Z");
  private static final Optional<Instant> ENDED = Optional.of(at(20));
  private static final Optional<String> REASON = Optional.of("reason");

  private final List<BotEndState> bots = new ArrayList<>();
  private final List<BotTransition> transitions = new ArrayList<>();
  private final List<UserCall> asked = new ArrayList<>();
  private final List<BotCall> calls = new ArrayList<>();
  private final List<InjectedFault> faults = new ArrayList<>();
  private final List<Instant> countedFrom = new ArrayList<>();
  private final List<OrphanProcess> runsOn = new ArrayList<>();
  private final List<ScheduledStart> scheduled = new ArrayList<>();

  @Test
  void aBotEndsWithATimeAndAReason() {
    bot("active", 0, Optional.empty(), Optional.empty(), Optional.empty());
    only(true, BotLifeRules.botEnd(history()), "is still active");
    bot("failed", 0, Optional.empty(), Optional.empty(), REASON);
    only(true, BotLifeRules.botEnd(history()), "ended without an end time or an outcome");
    bot("failed", 0, Optional.empty(), ENDED, Optional.empty());
    only(true, BotLifeRules.botEnd(history()), "ended without an end time or an outcome");
    bot("failed", 0, Optional.empty(), ENDED, REASON);
    only(false, BotLifeRules.botEnd(history()), "");
  }

  @ParameterizedTest
  @CsvSource({
    "1, kill -9 in the meeting, true",
    "2, kill -9 in the meeting, false",
    "1, hangs in the meeting, false"
  })
  void aBotThatWasKilledIsNotCompleted(long meeting, String fault, boolean found) {
    bot("completed", 0, Optional.empty(), ENDED, REASON);
    faults.add(new InjectedFault(at(5), meeting, fault));
    only(found, BotLifeRules.botEnd(history()), "bot 1 died and is completed");
  }

  @ParameterizedTest
  @CsvSource({"12, false", "12.001, true"})
  void aStoppedBotEndsInTime(double end, boolean found) {
    bot("failed", 0, Optional.of(at(2)), Optional.of(at(end)), REASON);
    only(found, BotLifeRules.botDeadline(history()), "too late after its stop");
  }

  @ParameterizedTest
  @CsvSource({"1, 15, false", "1, 15.001, true", "2, 15, true"})
  void aScheduledBotIsReservedUntilItsOwnTime(long meeting, double left, boolean found) {
    bot("failed", 0, Optional.empty(), ENDED, REASON);
    scheduled.add(new ScheduledStart(meeting, at(1), at(9), List.of()));
    move("", "reserved", 0, "reason", "");
    move("reserved", "failed", left, "reason", "");
    only(found, BotLifeRules.botDeadline(history()), "left reserved");
  }

  @ParameterizedTest
  @CsvSource({"3, 13, false", "3, 13.001, true", "1, 12, false", "14, 13, true"})
  void anActiveBotLastsUntilItsLastSignBeforeItsEndIsOld(double sign, double end, boolean found) {
    bot("failed", 0, Optional.empty(), ENDED, REASON);
    calls.add(sign(sign));
    move("starting", "active", 2, "reason", "");
    move("active", "failed", end, "reason", "");
    only(found, BotLifeRules.botDeadline(history()), "left active");
  }

  @ParameterizedTest
  @CsvSource({
    "crashed, '', true",
    "heartbeat_lost, gone, true",
    "heartbeat_lost, running, false",
    "never_started, gone, false"
  })
  void aProcessIsNotGoneWithoutAFault(String reason, String process, boolean found) {
    bot("failed", 0, Optional.empty(), ENDED, REASON);
    move("active", "failed", 20, reason, process);
    only(found, BotLifeRules.falseTimeout(history()), "without an injected fault");
  }

  @ParameterizedTest
  @CsvSource({
    "14.4, 14.4, 0, false",
    "14.401, 14.401, 0, true",
    "10, 18, 0, false",
    "10, 18, 14, true",
    "18, 27, 14, true"
  })
  void aBotIsEndedThatWasSilentBefore(double sign, double last, double counted, boolean found) {
    bot("failed", 10, Optional.empty(), ENDED, REASON);
    calls.addAll(List.of(sign(sign), sign(last)));
    countedFrom.add(at(counted));
    move("active", "failed", 20, "heartbeat_lost", "running");
    only(found, BotLifeRules.falseTimeout(history()), "although it sent heartbeats");
  }

  @ParameterizedTest
  @CsvSource({"9.6, false", "9.599, true"})
  void aBotThatStartsWhenItIsOverdueMayBeEnded(double started, boolean found) {
    bot("failed", started, Optional.empty(), Optional.of(at(12)), REASON);
    faults.add(new InjectedFault(T, 1, "something"));
    for (int second = 0; second <= 12; second++) {
      calls.add(sign(second));
    }
    move("", "reserved", 0, "reason", "");
    move("reserved", "starting", started, "reason", "");
    move("starting", "stopping", 11, "terminated", "");
    move("stopping", "failed", 12, "never_started", "leaving");
    only(found, BotChecker.check(history()), "was ended (terminated) although it sent heartbeats");
  }

  @ParameterizedTest
  @CsvSource({"4.5, true", "4.501, false", "9.499, false", "9.5, true"})
  void aUserIsRefusedABotOnlyWhileTheLimitIsReached(double refused, boolean found) {
    move("", "reserved", 5, "reason", "");
    move("reserved", "starting", 6, "reason", "");
    move("starting", "stopping", 9, "reason", "");
    asked.add(new UserCall(at(refused), "start", "r", 429, 0, 1, "server-0", at(refused)));
    only(found, BotLifeRules.botLimit(history()), "user 1 was refused a bot");
  }

  @ParameterizedTest
  @CsvSource({"c1, 27, false", "c1, 27.001, true", "c2, 27.001, false"})
  void anOrphanRunsUntilItIsRefusedItself(String refused, double last, boolean found) {
    bot("failed", 0, Optional.empty(), ENDED, REASON);
    move("active", "failed", 1, "reason", "");
    calls.add(new BotCall(at(2), refused, "heartbeat", 410));
    bots.add(state(2, "failed", 0, Optional.empty(), ENDED, REASON));
    runsOn.add(new OrphanProcess(1, at(2), at(last), false));
    only(found, BotLifeRules.botProcess(history()), "the process of bot 1 ran for");
  }

  /** Whether there is one violation, this one, or none. */
  private static void only(boolean found, List<RuleViolation> violations, String text) {
    assertThat(violations)
        .hasSize(found ? 1 : 0)
        .allSatisfy(it -> assertThat(it.text()).contains(text));
  }

  private static Instant at(double seconds) {
    return T.plusMillis(Math.round(seconds * 1000));
  }

  private static BotCall sign(double seconds) {
    return new BotCall(at(seconds), "c1", "heartbeat", 200);
  }

  private void move(String from, String to, double at, String reason, String process) {
    String actor = process.isEmpty() ? "bot" : "sweeper";
    transitions.add(
        new BotTransition(transitions.size() + 1, 1, 1, from, to, reason, actor, at(at), process));
  }

  /** The bot, instead of the one before. */
  private void bot(
      String status,
      double start,
      Optional<Instant> stop,
      Optional<Instant> end,
      Optional<String> reason) {
    bots.clear();
    bots.add(state(1, status, start, stop, end, reason));
  }

  private static BotEndState state(
      long meeting,
      String status,
      double start,
      Optional<Instant> stop,
      Optional<Instant> end,
      Optional<String> reason) {
    return new BotEndState(
        meeting,
        1,
        "room",
        status,
        "c" + meeting,
        Optional.of(at(start)),
        Optional.of(T),
        end,
        stop,
        reason,
        status.equals("active") ? 0 : 1,
        true);
  }

  private BotHistory history() {
    return new BotHistory(
        BotCheckerTest.DEADLINES,
        Map.of(1L, 1),
        bots,
        transitions,
        asked,
        calls,
        faults,
        countedFrom,
        runsOn,
        List.of(),
        ReplayResult.NONE,
        List.of(),
        BotEvidence.of(
            new BotShown(List.of(), List.of(), List.of(), Map.of(), List.of(), scheduled)));
  }
}
