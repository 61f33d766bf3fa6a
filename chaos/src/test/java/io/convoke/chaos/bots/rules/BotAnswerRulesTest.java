package io.convoke.chaos.bots.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.chaos.bots.rules.BotHistory.BotAnswer;
import io.convoke.chaos.bots.rules.BotHistory.BotEndState;
import io.convoke.chaos.bots.rules.BotHistory.BotEvidence;
import io.convoke.chaos.bots.rules.BotHistory.BotShown;
import io.convoke.chaos.bots.rules.BotHistory.BotStateLimits;
import io.convoke.chaos.bots.rules.BotHistory.BotTransition;
import io.convoke.chaos.bots.rules.BotHistory.CommandExchange;
import io.convoke.chaos.bots.rules.BotHistory.GivenCommand;
import io.convoke.chaos.bots.rules.BotHistory.ListedBots;
import io.convoke.chaos.bots.rules.BotHistory.ReplayResult;
import io.convoke.chaos.bots.rules.BotHistory.ScheduledStart;
import io.convoke.chaos.kernel.FaultTimeline;
import io.convoke.chaos.kernel.FaultWindow;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.StreamRule;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Answers that do not agree with the life of one bot, c1, which lives from 0 s to 20 s. */
final class BotAnswerRulesTest {
  private static final Instant T = Instant.parse("2026-01-01T10:00:00Z");

  private final List<BotAnswer> answers = new ArrayList<>();
  private final List<GivenCommand> given = new ArrayList<>();
  private final Map<String, Set<String>> texts = new HashMap<>();
  private final List<CommandExchange> exchanges = new ArrayList<>();
  private final List<ListedBots> lists = new ArrayList<>();
  private final List<ScheduledStart> scheduled = new ArrayList<>();
  private final List<FaultWindow> windows = new ArrayList<>();
  private Optional<Instant> stop = Optional.empty();
  private String reason = "reason";

  @Test
  void anAnswerHasTheBotsMeetingAndItsState() {
    answer("c1 started {}", 2, 200, 1, "starting");
    answer("c1 joined {}", 5, 200, 1, "active");
    answer("c1 exited {}", 20, 200, 1, "completed");
    answer("c1 heartbeat {}", 25, 410, 0, "completed");
    assertThat(BotAnswerRules.botAnswer(history())).isEmpty();
    answer("c1 heartbeat {}", 10, 200, 1, "starting");
    found(BotAnswerRules.botAnswer(history()), "the journal has [active]");
    answers.clear();
    answer("c1 heartbeat {}", 10, 200, 2, "active");
    found(BotAnswerRules.botAnswer(history()), "its meeting is 1");
    answers.clear();
    answer("c1 heartbeat {}", 10, 410, 0, "");
    found(BotAnswerRules.botAnswer(history()), "it is not over");
  }

  @Test
  void aCallThatComesAgainIsNotRefused() {
    answer("c1 joined {}", 5, 200, 1, "active");
    answer("c1 joined {}", 10, 409, 0, "active");
    found(BotAnswerRules.botAnswer(history()), "the same call was answered 200 before");
    answers.clear();
    answer("c1 exited {}", 20, 200, 1, "completed");
    answer("c1 exited {}", 30, 410, 0, "completed");
    found(BotAnswerRules.botAnswer(history()), "the same call was answered 200 before");
    stop = Optional.of(at(14));
    found(BotAnswerRules.botAnswer(history()), "the same call was answered 200 before");
    stop = Optional.of(at(13));
    assertThat(BotAnswerRules.botAnswer(history())).as("a server may have ended it").isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"200, 200, true", "200, 409, true", "409, 200, false", "409, 409, false"})
  void aCallIsRefusedOnlyBeforeItIsTaken(int first, int last, boolean found) {
    answer("c1 joined {}", 6, first, 1, "active");
    answer("c1 joined {}", 10, 409, 1, "active");
    answer("c1 joined {}", 14, last, 1, "active");
    assertThat(BotAnswerRules.botAnswer(history()).isEmpty()).isNotEqualTo(found);
  }

  @Test
  void theListOfActiveBotsHasThoseThatLive() {
    lists.add(list(1, Set.of(1L), 10));
    lists.add(list(1, Set.of(), 30));
    lists.add(list(2, Set.of(), 10));
    assertThat(BotAnswerRules.activeBots(history())).isEmpty();
    lists.add(list(1, Set.of(), 10));
    found(BotAnswerRules.activeBots(history()), "does not show bot 1");
    lists.set(3, list(1, Set.of(1L), 30));
    found(BotAnswerRules.activeBots(history()), "shows bot 1");
    lists.set(3, list(2, Set.of(1L), 10));
    found(BotAnswerRules.activeBots(history()), "shows bot 1");
  }

  @ParameterizedTest
  @CsvSource({"postgres, 8, true", "postgres, 7, false", "redis, 8, false"})
  void aListOfATimeWithoutPostgresProvesNothing(String target, int ends, boolean excused) {
    lists.add(list(1, Set.of(), 10));
    windows.add(new FaultWindow("away", target, at(5), at(ends)));
    assertThat(BotAnswerRules.activeBots(history()).isEmpty()).isEqualTo(excused);
  }

  @Test
  void aCommandIsToldAsItWasGivenUntilItIsAcknowledged() {
    given.add(new GivenCommand(1, "a", "\"de\"", at(6), at(7)));
    given.add(new GivenCommand(1, "b", "\"fr\"", at(8), at(9)));
    texts.put("a", Set.of("{\"language\":\"de\"}"));
    exchange(8, List.of("a"), Optional.empty());
    exchange(10, List.of("a", "b"), Optional.empty());
    exchange(11, List.of("b"), Optional.of("a"));
    exchange(12, List.of("b"), Optional.empty());
    assertThat(BotAnswerRules.givenCommand(history())).isEmpty();
    exchange(12, List.of(), Optional.empty());
    found(BotAnswerRules.givenCommand(history()), "is not in the answer of");
    exchanges.clear();
    exchange(10, List.of("b"), Optional.empty());
    exchange(11, List.of("b"), Optional.of("a"));
    found(BotAnswerRules.givenCommand(history()), "is not in the answer of");
    exchanges.clear();
    exchange(10, List.of("b", "a"), Optional.empty());
    found(BotAnswerRules.givenCommand(history()), "was told before");
    exchanges.clear();
    texts.put("a", Set.of("{\"language\":\"en\"}"));
    found(BotAnswerRules.givenCommand(history()), "was told as");
    texts.put("a", Set.of("{\"language\":\"de\"}", "{\"language\":\"de\",\"task\":\"x\"}"));
    found(BotAnswerRules.givenCommand(history()), "command a changes");
  }

  @Test
  void aScheduledBotStartsAtItsTime() {
    scheduled.add(new ScheduledStart(1, at(5), at(13), List.of(at(5), at(13))));
    scheduled.add(new ScheduledStart(1, at(3600), at(3608), List.of()));
    assertThat(BotAnswerRules.scheduledStart(history())).isEmpty();
    scheduled.add(new ScheduledStart(1, at(5), at(13), List.of(at(4))));
    found(BotAnswerRules.scheduledStart(history()), "was launched early");
    scheduled.set(2, new ScheduledStart(1, at(5), at(13), List.of(at(18))));
    found(BotAnswerRules.scheduledStart(history()), "was launched late");
  }

  @ParameterizedTest
  @CsvSource({"4, 7, true", "-9, -2, true", "-9, -3, false", "12, 15, true", "13, 15, false"})
  void aScheduledBotMayStartLateAfterAFault(int from, int to, boolean excused) {
    scheduled.add(new ScheduledStart(1, at(5), at(13), List.of(at(18))));
    windows.add(new FaultWindow(FaultTimeline.KILL, "server-0", at(from), at(to)));
    assertThat(BotAnswerRules.scheduledStart(history()).isEmpty()).isEqualTo(excused);
  }

  @ParameterizedTest
  @CsvSource({"1, 21, true", "1, 20, false", "2, 21, false"})
  void aScheduledBotIsNotGivenUpBeforeItsTime(long meeting, int start, boolean found) {
    reason = "never_started";
    scheduled.add(new ScheduledStart(meeting, at(start), at(start + 8), List.of()));
    assertThat(BotAnswerRules.scheduledStart(history()).isEmpty()).isNotEqualTo(found);
  }

  private static void found(List<RuleViolation> violations, String text) {
    assertThat(violations).anySatisfy(it -> assertThat(it.text()).contains(text));
  }

  private void answer(String call, int second, int status, long meeting, String state) {
    answers.add(
        new BotAnswer("c1", call, at(second), at(second).plusMillis(10), status, meeting, state));
  }

  private void exchange(int second, List<String> commands, Optional<String> acknowledged) {
    exchanges.add(
        new CommandExchange(
            "c1", at(second), at(second).plusMillis(10), Optional.of(commands), acknowledged));
  }

  private static ListedBots list(long user, Set<Long> meetings, int second) {
    return new ListedBots(user, meetings, at(second), at(second).plusMillis(10));
  }

  private static Instant at(int second) {
    return T.plusSeconds(second);
  }

  private static BotTransition move(long seq, String from, String to, int second) {
    return new BotTransition(seq, 1, 1, from, to, "reason", "bot", at(second), "");
  }

  private BotHistory history() {
    Duration minute = Duration.ofMinutes(1);
    return new BotHistory(
        new BotStateLimits(minute, minute, minute, Duration.ofSeconds(6), minute, minute),
        Map.of(1L, 1),
        List.of(
            new BotEndState(
                1,
                1,
                "room",
                "completed",
                "c1",
                Optional.of(at(2)),
                Optional.of(at(5)),
                Optional.of(at(20)),
                stop,
                Optional.of(reason),
                1,
                true)),
        List.of(
            move(1, "", "reserved", 0),
            move(2, "reserved", "starting", 2),
            move(3, "starting", "active", 5),
            move(4, "active", "completed", 20)),
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        ReplayResult.NONE,
        List.of(),
        new BotEvidence(
            windows,
            List.of(),
            List.of(),
            Set.of(),
            List.of(),
            exchanges,
            StreamRule.Streams.NONE,
            new BotShown(List.of(), answers, given, texts, lists, scheduled)));
  }
}
