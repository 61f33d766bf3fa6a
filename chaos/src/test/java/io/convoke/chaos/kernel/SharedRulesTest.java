package io.convoke.chaos.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.chaos.kernel.LifecycleRule.JournaledMove;
import io.convoke.chaos.kernel.LifecycleRule.Lives;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import io.convoke.chaos.kernel.StreamRule.ReadStream;
import io.convoke.chaos.kernel.StreamRule.SequencedEvent;
import io.convoke.chaos.kernel.StreamRule.Streams;
import io.convoke.chaos.kernel.TenantRule.TenantRead;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The rules that all scenarios share: each finds a part of a history that violates it. */
final class SharedRulesTest {
  private static final Instant NINE = Instant.parse("2026-01-05T09:00:00Z");

  private final List<TimedReply> replies = new ArrayList<>();
  private final List<FaultWindow> windows = new ArrayList<>();

  @Test
  void aServerThatRefusesWithoutAFaultIsNotAvailable() {
    calls(0, 60, 200);
    assertThat(available("postgres")).isEmpty();
    calls(60, 5, 503);
    assertThat(available("postgres")).containsExactly(ViolationKind.REFUSED);
    windows.add(new FaultWindow(FaultTimeline.POSTGRES_AWAY, "postgres", at(0), at(60)));
    assertThat(available("postgres")).as("before").containsExactly(ViolationKind.REFUSED);
  }

  @Test
  void anAnswer429IsARefusalUnlessTheScenarioExpectsIt() {
    calls(0, 4, 429);
    assertThat(available("postgres")).containsExactly(ViolationKind.REFUSED);
    assertThat(available("postgres", true)).isEmpty();
    calls(4, 4, 503);
    assertThat(available("postgres", true)).containsExactly(ViolationKind.REFUSED);
  }

  @Test
  void aFaultOfAServerExcusesACallThatAnyMayHaveAnswered() {
    replies.addAll(Collections.nCopies(4, new TimedReply("call", "", 503, at(1), at(2))));
    windows.add(new FaultWindow("Redis away", "redis", at(0), at(9)));
    assertThat(available("postgres")).containsExactly(ViolationKind.REFUSED);
    windows.add(new FaultWindow("kill -9", "server-1", at(0), at(9)));
    assertThat(available("postgres")).isEmpty();
  }

  @Test
  void fiveRefusalsOfOneServerInOneSecondAreNoChance() {
    calls(0, 1000, 200);
    Instant end = at(2);
    replies.addAll(refused("server-1", end.minusMillis(1)));
    replies.addAll(refused("", end));
    assertThat(available("postgres")).isEmpty();
    replies.addAll(refused("server-1", end));
    assertThat(available("postgres")).containsExactly(ViolationKind.REFUSED);
  }

  private static List<TimedReply> refused(String target, Instant answered) {
    return Collections.nCopies(5, new TimedReply("beat", target, 0, at(1), answered));
  }

  @Test
  void aKindOfCallThatAServerRefusesUntilTheEndIsFound() {
    calls(0, 1000, 200);
    replies.addAll(beats(0, 5, 0));
    assertThat(available("postgres")).containsExactly(ViolationKind.REFUSED);
    replies.addAll(beats(9, 1, 200));
    assertThat(available("postgres")).isEmpty();
    replies.addAll(beats(10, 4, 503));
    assertThat(available("postgres")).isEmpty();
    replies.addAll(beats(14, 1, 503));
    assertThat(available("postgres")).containsExactly(ViolationKind.REFUSED);
    windows.add(new FaultWindow("kill -9", "server-1", at(410), at(411)));
    assertThat(available("postgres")).isEmpty();
  }

  private static List<TimedReply> beats(int from, int number, int status) {
    return IntStream.range(from, from + number)
        .mapToObj(
            i ->
                new TimedReply(
                    "heartbeat of bot-" + i,
                    "server-1",
                    status,
                    at(400 + i),
                    at(400 + i).plusMillis(5)))
        .toList();
  }

  @Test
  void aFewRefusalsOfABusyMachineAreNotJudged() {
    calls(0, 60, 200);
    calls(60, 3, 0);
    assertThat(available("postgres")).isEmpty();
    calls(63, 1, 0);
    assertThat(available("postgres")).containsExactly(ViolationKind.REFUSED);
  }

  @Test
  void noFaultExcusesAnAnswer500() {
    calls(0, 60, 200);
    windows.add(new FaultWindow(FaultTimeline.POSTGRES_AWAY, "postgres", at(59), at(70)));
    calls(60, 1, 500);
    assertThat(available("postgres")).containsExactly(ViolationKind.REFUSED);
  }

  @Test
  void onlyAFaultThatTheCallNeedsExcusesItsRefusal() {
    calls(0, 60, 200);
    calls(60, 5, 503);
    windows.add(new FaultWindow("kill -9", "server-1", at(59), at(70)));
    windows.add(new FaultWindow("Redis away", "redis", at(59), at(70)));
    assertThat(available("postgres")).containsExactly(ViolationKind.REFUSED);
    windows.add(new FaultWindow(FaultTimeline.POSTGRES_AWAY, "postgres", at(59), at(70)));
    assertThat(available("postgres")).isEmpty();
    assertThat(available("")).containsExactly(ViolationKind.REFUSED);
    windows.add(new FaultWindow("kill -9", "server-0", at(59), at(70)));
    assertThat(available("")).isEmpty();
  }

  @Test
  void aStreamHasEachEventOfItsReaderOnceWithItsContent() {
    List<SequencedEvent> journal = List.of(event(1, 7, "a"), event(2, 8, "b"), event(3, 7, "c"));
    assertThat(stream(0, journal, event(1, 0, "a"), event(2, 0, "b"), event(3, 0, "c"))).isEmpty();
    assertThat(stream(7, journal, event(1, 0, "a"), event(3, 0, "c"))).isEmpty();
    assertThat(stream(7, journal, event(1, 0, "a"))).containsExactly(ViolationKind.GAP);
    assertThat(stream(7, journal, event(1, 0, "a"), event(2, 0, "b"), event(3, 0, "c")))
        .containsExactly(ViolationKind.ILLEGAL);
    assertThat(stream(7, journal, event(1, 0, "x"), event(3, 0, "c")))
        .containsExactly(ViolationKind.ILLEGAL);
    assertThat(stream(7, journal, event(3, 0, "c"), event(1, 0, "a")))
        .containsExactly(ViolationKind.SEQUENCE);
    assertThat(stream(7, journal, event(1, 0, "a"), event(1, 0, "a"), event(3, 0, "c")))
        .containsExactly(ViolationKind.SEQUENCE);
    assertThat(stream(9, journal)).isEmpty();
  }

  @Test
  void aLifeMakesValidTransitionsAndEndsInTheStateOfItsRow() {
    Map<String, Set<String>> edges = Map.of("", Set.of("open"), "open", Set.of("closed"));
    JournaledMove opened = new JournaledMove(1, "a", "", "open");
    JournaledMove closed = new JournaledMove(2, "a", "open", "closed");
    assertThat(lives(edges, List.of(closed, opened), Map.of("a", "closed"))).isZero();
    assertThat(lives(edges, List.of(opened), Map.of("a", "closed"))).isOne();
    assertThat(lives(edges, List.of(), Map.of("a", "open"))).isOne();
    assertThat(
            lives(edges, List.of(new JournaledMove(1, "a", "", "closed")), Map.of("a", "closed")))
        .isOne();
    assertThat(
            lives(edges, List.of(opened, new JournaledMove(2, "a", "other", "closed")), Map.of()))
        .isOne();
  }

  @Test
  void aRunBelowAFloorIsVacuous() {
    Coverage coverage =
        Coverage.NONE.with("visits", 9, 10).with("reads", 10, 10).withShare("answers", 1, 2, 0.6);
    assertThat(coverage.missed())
        .extracting(Coverage.Floor::toString)
        .containsExactly("visits 9 of at least 10", "answers 0.50 of at least 0.60");
    assertThat(Coverage.NONE.withShare("answers", 0, 0, 0.1).missed()).hasSize(1);
  }

  @Test
  void aFaultCountsUntilItIsClosedAndForItsRecovery() {
    FaultTimeline timeline = new FaultTimeline();
    FaultTimeline.OpenFault open =
        timeline.begin("kill -9", Duration.ofSeconds(5), List.of("server-0", "server-1"));
    assertThat(timeline.count()).isOne();
    assertThat(timeline.windows()).hasSize(2).allMatch(window -> window.to().equals(Instant.MAX));
    open.close();
    assertThat(timeline.windows())
        .allMatch(window -> window.to().isAfter(Instant.now().plusSeconds(4)))
        .allMatch(window -> window.to().isBefore(Instant.now().plusSeconds(6)));
  }

  private static Instant at(int second) {
    return NINE.plusSeconds(second);
  }

  @Test
  void whatAnotherUserReadsIsFound() {
    TenantRead own = new TenantRead(1, "/tasks/a", 200, true, List.of());
    TenantRead refused = new TenantRead(2, "/tasks/a", 404, false, List.of());
    TenantRead shown = new TenantRead(2, "/tasks/a", 200, false, List.of("task:a"));
    assertThat(new TenantRule().check(List.of(own, refused))).isEmpty();
    assertThat(TenantRule.proofs(List.of(own, refused, shown))).isEqualTo(1);
    assertThat(TenantRule.proofs(List.of(refused, shown))).isZero();
    assertThat(new TenantRule().check(List.of(own, shown)))
        .singleElement()
        .extracting(RuleViolation::text)
        .isEqualTo("user 2 was answered 200 by /tasks/a, which shows [task:a] of others");
  }

  private void calls(int from, int number, int status) {
    for (int i = 0; i < number; i++) {
      Instant sent = at(from + i).plusMillis(10);
      replies.add(new TimedReply("call", "server-0", status, sent, sent.plusMillis(5)));
    }
  }

  private List<ViolationKind> available(String needed) {
    return available(needed, false);
  }

  private List<ViolationKind> available(String needed, boolean tooMany) {
    return new AvailabilityRule()
        .check(new AvailabilityRule.Calls(replies, windows, Set.of(needed), tooMany)).stream()
            .map(RuleViolation::kind)
            .toList();
  }

  private static SequencedEvent event(long seq, long tenant, String content) {
    return new SequencedEvent(seq, tenant, content);
  }

  private static List<ViolationKind> stream(
      long tenant, List<SequencedEvent> journal, SequencedEvent... events) {
    return new StreamRule()
            .check(
                new Streams(
                    List.of(new ReadStream("a reader", tenant, List.of(events))),
                    journal,
                    List.of()))
            .stream()
            .map(RuleViolation::kind)
            .toList();
  }

  private static int lives(
      Map<String, Set<String>> edges, List<JournaledMove> moves, Map<String, String> rows) {
    return new LifecycleRule().check(new Lives("thing", edges, moves, rows)).size();
  }
}
