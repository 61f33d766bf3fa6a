package io.convoke.chaos.bots.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.chaos.bots.rules.BotHistory.BotCall;
import io.convoke.chaos.bots.rules.BotHistory.BotEndState;
import io.convoke.chaos.bots.rules.BotHistory.BotStateLimits;
import io.convoke.chaos.bots.rules.BotHistory.BotTransition;
import io.convoke.chaos.bots.rules.BotHistory.CommandExchange;
import io.convoke.chaos.bots.rules.BotHistory.InjectedFault;
import io.convoke.chaos.bots.rules.BotHistory.OrphanProcess;
import io.convoke.chaos.bots.rules.BotHistory.ReplayResult;
import io.convoke.chaos.bots.rules.BotHistory.SentLine;
import io.convoke.chaos.bots.rules.BotHistory.UserCall;
import io.convoke.chaos.kernel.FaultTimeline;
import io.convoke.chaos.kernel.FaultWindow;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Each rule finds a history that violates it; a correct history violates none. */
final class BotCheckerTest {
  private static final Instant T = Instant.parse("2026-01-01T10:00:00Z");
  static final BotStateLimits DEADLINES =
      new BotStateLimits(
          Duration.ofSeconds(10),
          Duration.ofSeconds(60),
          Duration.ofSeconds(6),
          Duration.ofSeconds(6),
          Duration.ofSeconds(2),
          Duration.ofSeconds(2));

  private final List<BotEndState> bots = new ArrayList<>();
  private final List<BotTransition> transitions = new ArrayList<>();
  private final List<UserCall> asked = new ArrayList<>();
  private final List<BotCall> calls = new ArrayList<>();
  private final List<InjectedFault> injectedFaults = new ArrayList<>();
  private final List<Instant> countedFrom = new ArrayList<>();
  private final List<OrphanProcess> runsOn = new ArrayList<>();
  private final List<String> processes = new ArrayList<>();
  private final List<String> replay = new ArrayList<>();
  private ReplayResult replayResult = ReplayResult.NONE;
  private BotHistory.BotEvidence evidence = BotHistory.BotEvidence.NONE;

  @Test
  void aCorrectHistoryViolatesNoRule() {
    completed(1, 0);
    completed(2, 30);
    assertThat(check()).isEmpty();
  }

  @Test
  void oneBotMoreThanTheLimitIsTooMany() {
    transition(1, "", "reserved", 0);
    transition(2, "", "reserved", 1);
    assertThat(check())
        .anyMatch(ruleViolation -> ruleViolation.text().contains("has 2 bots, the limit is 1"));
  }

  @Test
  void aBotThatWaitsForItsTimeCountsForTheLimitOnceItIsLaunched() {
    evidence = scheduled(new BotHistory.ScheduledStart(2, T, T, List.of()));
    transition(1, "", "reserved", 0);
    transition(1, "reserved", "starting", 1);
    transition(2, "", "reserved", 2);
    assertThat(check()).noneMatch(ruleViolation -> ruleViolation.text().contains("the limit is"));
    transition(2, "reserved", "starting", 3);
    assertThat(check())
        .anyMatch(ruleViolation -> ruleViolation.text().contains("has 2 bots, the limit is 1"));
  }

  @Test
  void aStoppingBotCountsForItsMeetingButNotForTheLimit() {
    bot(1, "same", "stopping", 1);
    bot(2, "same", "reserved", 1);
    transition(1, "", "reserved", 0);
    transition(1, "reserved", "starting", 1);
    transition(1, "starting", "stopping", 2);
    transition(2, "", "reserved", 3);
    assertThat(check()).anyMatch(ruleViolation -> ruleViolation.text().contains("live in same"));
    assertThat(check()).noneMatch(ruleViolation -> ruleViolation.text().contains("the limit is"));
  }

  @Test
  void aTransitionThatTheLifecycleDoesNotHaveIsIllegal() {
    transition(1, "", "reserved", 0);
    transition(1, "reserved", "active", 1);
    assertThat(check())
        .anyMatch(
            ruleViolation ->
                ruleViolation.text().contains("takes bot 1 from 'reserved' to 'active'"));
  }

  @Test
  void aRowThatDiffersFromTheJournalIsIllegal() {
    completed(1, 0);
    bots.set(0, with(bots.getFirst(), "failed", 1));
    only(ViolationKind.ILLEGAL, "bot 1 is 'failed', its last journal entry is 'completed'");
  }

  @Test
  void aReplayDifferenceIsIllegal() {
    replay.add("meeting 1: status");
    only(ViolationKind.ILLEGAL, "replay: meeting 1: status");
  }

  @Test
  void aLiveBotIsOpenAndItsFollowUpIsEnqueuedOnce() {
    completed(1, 0);
    bots.set(0, with(bots.getFirst(), "completed", 2));
    only(ViolationKind.DUPLICATED, "enqueued 2 times");
    bots.set(0, with(bots.getFirst(), "completed", 0));
    only(ViolationKind.LOST, "enqueued 0 times");
    bots.set(0, with(bots.getFirst(), "active", 0));
    assertThat(check()).anyMatch(ruleViolation -> ruleViolation.kind() == ViolationKind.OPEN);
  }

  @Test
  void aBotThatWasNeverAdmittedIsNotCompleted() {
    completed(1, 0);
    BotEndState botEndState = bots.getFirst();
    bots.set(
        0,
        new BotEndState(
            1,
            1,
            botEndState.room(),
            "completed",
            "c1",
            botEndState.startTime(),
            Optional.empty(),
            botEndState.endTime(),
            Optional.empty(),
            botEndState.reason(),
            1,
            true));
    only(ViolationKind.ILLEGAL, "never admitted");
  }

  @Test
  void aStateThatLastsTooLongIsALostBotUnlessAllServersWereDown() {
    bot(1, "room", "failed", 1);
    transition(1, "", "reserved", 0);
    transition(1, "reserved", "failed", 15);
    only(ViolationKind.LOST, "left reserved 1.0 s too late");
    countedFrom.add(T.plusSeconds(3));
    assertThat(check()).isEmpty();
  }

  @Test
  void aBotWithHeartbeatsMustNotBeEnded() {
    bot(1, "room", "failed", 1);
    injectedFaults.add(new InjectedFault(T, 1, "something"));
    transition(1, "", "reserved", 0);
    transition(1, "reserved", "starting", 1);
    transition(1, "starting", "active", 2);
    end(1, "active", 20, "heartbeat_lost", "running");
    heartbeats(1, 2, 19);
    only(ViolationKind.ILLEGAL, "was ended (heartbeat_lost) although it sent heartbeats");
    calls.removeIf(call -> call.at().isAfter(T.plusSeconds(12)));
    assertThat(check()).as("silent for 8 s").isEmpty();
    countedFrom.add(T.plusSeconds(17));
    only(ViolationKind.ILLEGAL, "was ended (heartbeat_lost) although it sent heartbeats");
  }

  @Test
  void aBotDoesNotExitWithoutAFault() {
    bot(1, "room", "failed", 1);
    transition(1, "", "reserved", 0);
    transition(1, "reserved", "starting", 1);
    end(1, "starting", 3, "crashed", "");
    only(ViolationKind.ILLEGAL, "ended as crashed without an injected fault");
    injectedFaults.add(new InjectedFault(T, 1, "kill -9"));
    assertThat(check()).isEmpty();
  }

  @Test
  void aProcessThatOutlivesItsEndedRowIsFound() {
    completed(1, 0);
    runsOn.add(new OrphanProcess(1, T.plusSeconds(11), T.plusSeconds(12), true));
    assertThat(check()).as("its exit was reported").isEmpty();
    runsOn.set(0, new OrphanProcess(1, T.plusSeconds(11), T.plusSeconds(40), true));
    only(ViolationKind.OPEN, "ran for 30 s");
    runsOn.set(0, new OrphanProcess(1, T.plusSeconds(11), T.plusSeconds(35), true));
    evidence = fault(FaultTimeline.KILL, "server-0", T.plusSeconds(12), T.plusSeconds(28));
    only(ViolationKind.OPEN, "ran for 25 s");
    countedFrom.add(T.plusSeconds(28));
    assertThat(check()).as("no server took its last callback").isEmpty();
    runsOn.set(0, new OrphanProcess(1, T.plusSeconds(11), T.plusSeconds(40), true));
    only(ViolationKind.OPEN, "ran for 30 s");
    evidence = BotHistory.BotEvidence.NONE;
    countedFrom.clear();
    runsOn.set(0, new OrphanProcess(1, T.plusSeconds(11), T.plusSeconds(40), false));
    assertThat(check()).as("not reported yet").isEmpty();
    calls.add(new BotCall(T.plusSeconds(12), "c1", "started", 410));
    only(ViolationKind.OPEN, "ran for 30 s");
    runsOn.set(0, new OrphanProcess(1, T.plusSeconds(11), T.plusSeconds(12), true));
    BotTransition last = transitions.removeLast();
    transitions.add(
        new BotTransition(
            last.seq(), 1, 1, last.from(), last.to(), "stopped", "sweeper", last.at(), "running"));
    assertThat(check())
        .anyMatch(
            ruleViolation ->
                ruleViolation.text().contains("was ended by the sweeper, but its process"));
    processes.add("convoke-bot-1-1-00000000");
    assertThat(check())
        .anyMatch(ruleViolation -> ruleViolation.text().contains("still runs at the end"));
  }

  @Test
  void aResponseOutsideTheContractAndAnAcceptedBotWithoutARowAreFound() {
    asked.add(new UserCall(T, "start", "room", 418, 0));
    only(ViolationKind.REFUSED, "start of room was answered 418");
    asked.set(0, new UserCall(T, "start", "room", 201, 9));
    only(ViolationKind.LOST, "bot 9 was accepted and has no row");
    asked.clear();
    calls.add(new BotCall(T, "c1", "joined", 500));
    only(ViolationKind.REFUSED, "callback joined of c1 was answered 500");
  }

  @Test
  void aRequestMayBeRefusedWhilePostgresIsAwayForLong() {
    asked.add(new UserCall(T.plusSeconds(7), "start", "room", 503, 0));
    evidence = fault(FaultTimeline.POSTGRES_AWAY, FaultTimeline.POSTGRES, T, T.plusSeconds(7));
    only(ViolationKind.REFUSED, "start of room was answered 503");
    evidence = fault(FaultTimeline.POSTGRES_AWAY, FaultTimeline.POSTGRES, T, T.plusSeconds(8));
    assertThat(check()).isEmpty();
    asked.set(0, new UserCall(T.plusSeconds(7), "start", "room", 418, 0));
    only(ViolationKind.REFUSED, "start of room was answered 418");
  }

  @Test
  void aLateCallbackIsRefusedUnlessItRepeatsAKnownExit() {
    replays(call("exited", 410), call("exited", 200), call("transcript", 410));
    assertThat(check()).isEmpty();
    replays(call("transcript", 200));
    only(ViolationKind.REFUSED, "the late transcript of c1 was answered 200");
    replays(call("heartbeat", 200));
    only(ViolationKind.REFUSED, "the late heartbeat of c1 was answered 200");
    replays(call("exited", 409));
    only(ViolationKind.REFUSED, "the late exited of c1 was answered 409");
    replays(call("joined", 0));
    only(ViolationKind.REFUSED, "the late joined of c1 was answered 0");
  }

  @Test
  void aLateCallbackChangesNoRow() {
    Map<String, List<String>> before = Map.of("meetings", List.of("(1,failed)"));
    replayResult = new ReplayResult(List.of(), before, before);
    assertThat(check()).isEmpty();
    replayResult =
        new ReplayResult(List.of(), before, Map.of("meetings", List.of("(1,failed)", "(1,again)")));
    only(ViolationKind.ILLEGAL, "late callbacks changed meetings: (1,again)");
    replayResult = new ReplayResult(List.of(), before, Map.of());
    only(ViolationKind.ILLEGAL, "late calls took from meetings: (1,failed)");
    replayResult =
        new ReplayResult(List.of(), before, Map.of("meetings", List.of("(1,completed)")));
    assertThat(check()).hasSize(2);
    replayResult = new ReplayResult(List.of(), Map.of(), Map.of("post_meeting", List.of("(1)")));
    only(ViolationKind.ILLEGAL, "late callbacks changed post_meeting: (1)");
  }

  @Test
  void aRefusalBelowTheLimitIsFound() {
    completed(1, 0);
    asked.add(start(429, 100));
    only(ViolationKind.REFUSED, "was refused a bot at");
    asked.set(0, start(429, 1));
    assertThat(check()).isEmpty();
  }

  @Test
  void anAcceptedStopThatIsNotWrittenIsLost() {
    completed(1, 0);
    asked.add(new UserCall(T.minusSeconds(9), "stop", bots.getFirst().room(), 202, 1));
    only(ViolationKind.LOST, "the stop of bot 1 was accepted and is not written");
    asked.set(0, new UserCall(T.plusSeconds(100), "stop", bots.getFirst().room(), 202, 1));
    assertThat(check()).isEmpty();
    asked.set(0, new UserCall(T.minusSeconds(9), "stop", "room-2", 202, 2));
    assertThat(check()).as("of another bot").isEmpty();
    asked.set(0, new UserCall(T.minusSeconds(9), "start", bots.getFirst().room(), 201, 1));
    assertThat(check()).as("no stop").isEmpty();
  }

  @Test
  void anAcknowledgedTranscriptLineThatIsNotStoredIsLost() {
    completed(1, 0);
    SentLine line = line("hello", 503, 200);
    evidence = heard(line, Set.of("1 hello"));
    assertThat(check()).isEmpty();
    evidence = heard(line, Set.of("2 hello"));
    only(ViolationKind.LOST, "hello");
    evidence = heard(new SentLine("c9", "hello", Set.of(200)), Set.of("1 hello"));
    only(ViolationKind.LOST, "connectionId=c9");
  }

  @Test
  void aLineThatIsLeftOutBeforeOneThatWasAcknowledgedIsLost() {
    completed(1, 0);
    Set<String> stored = Set.of("1 second");
    evidence = heard(List.of(line("first", 503), line("second", 200), line("third")), stored);
    only(ViolationKind.LOST, "first");
    evidence = heard(List.of(line("first"), line("second", 200)), stored);
    only(ViolationKind.LOST, "first");
    evidence = heard(List.of(line("first", 409), line("second", 200)), stored);
    assertThat(check()).as("it was refused for good").isEmpty();
    evidence = heard(List.of(line("first"), line("second", 410)), Set.of());
    assertThat(check()).as("its launch was over").isEmpty();
  }

  private SentLine line(String text, Integer... statuses) {
    return new SentLine(bots.getFirst().connectionId(), text, Set.of(statuses));
  }

  @Test
  void aSegmentThatIsPublishedTwiceIsFound() {
    completed(1, 0);
    SentLine line = line("hello", 503, 200);
    evidence = heard(line, Set.of("1 hello"), "meeting:1 s draft", "meeting:1 s final");
    assertThat(check()).isEmpty();
    evidence = heard(line, Set.of("1 hello"), "meeting:1 s final", "meeting:1 s final");
    only(ViolationKind.DUPLICATED, "published again: meeting:1 s final");
  }

  @Test
  void aCommandThatIsNotRepeatedUntilItIsAcknowledgedIsFound() {
    completed(1, 0);
    evidence = exchanges(answered(1, "a"), answered(2, "a", "b"), taken(3, "a"), answered(4, "b"));
    assertThat(check()).isEmpty();
    evidence = exchanges(answered(1, "a"), taken(2, "b"), answered(3));
    only(ViolationKind.LOST, "command a of bot c1");
  }

  private static CommandExchange answered(int second, String... commands) {
    return new CommandExchange(
        "c1",
        T.plusSeconds(second),
        T.plusSeconds(second).plusMillis(10),
        Optional.of(List.of(commands)),
        Optional.empty());
  }

  private static CommandExchange taken(int second, String command) {
    return new CommandExchange(
        "c1",
        T.plusSeconds(second),
        T.plusSeconds(second).plusMillis(10),
        Optional.empty(),
        Optional.of(command));
  }

  private static BotHistory.BotEvidence exchanges(CommandExchange... exchanges) {
    return evidence(
        List.of(), List.of(), Set.of(), List.of(), List.of(exchanges), BotHistory.BotShown.NONE);
  }

  private static BotHistory.BotEvidence heard(
      SentLine line, Set<String> stored, String... published) {
    return heard(List.of(line), stored, published);
  }

  private static BotHistory.BotEvidence heard(
      List<SentLine> lines, Set<String> stored, String... published) {
    return evidence(
        List.of(), lines, stored, List.of(published), List.of(), BotHistory.BotShown.NONE);
  }

  private static BotHistory.BotEvidence scheduled(BotHistory.ScheduledStart start) {
    return evidence(
        List.of(),
        List.of(),
        Set.of(),
        List.of(),
        List.of(),
        new BotHistory.BotShown(
            List.of(), List.of(), List.of(), Map.of(), List.of(), List.of(start)));
  }

  private static BotHistory.BotEvidence fault(
      String what, String target, Instant from, Instant to) {
    return evidence(
        List.of(new FaultWindow(what, target, from, to)),
        List.of(),
        Set.of(),
        List.of(),
        List.of(),
        BotHistory.BotShown.NONE);
  }

  private static BotHistory.BotEvidence evidence(
      List<FaultWindow> windows,
      List<SentLine> lines,
      Set<String> stored,
      List<String> published,
      List<CommandExchange> exchanges,
      BotHistory.BotShown shown) {
    return new BotHistory.BotEvidence(
        windows,
        List.of(),
        lines,
        stored,
        published,
        exchanges,
        BotHistory.BotEvidence.NONE.streams(),
        shown);
  }

  private static UserCall start(int status, int second) {
    Instant at = T.plusSeconds(second);
    return new UserCall(at, "start", "r", status, 0, 1, "server-0", at);
  }

  private void replays(BotCall... calls) {
    replayResult = new ReplayResult(List.of(calls), Map.of(), Map.of());
  }

  private static BotCall call(String name, int status) {
    return new BotCall(T, "c1", name, status);
  }

  private List<RuleViolation> check() {
    return BotChecker.check(
        new BotHistory(
            DEADLINES,
            Map.of(1L, 1),
            bots,
            transitions,
            asked,
            calls,
            injectedFaults,
            countedFrom,
            runsOn,
            processes,
            replayResult,
            replay,
            evidence));
  }

  @Test
  void aBotThatLeftWhenToldToAndIsFailedIsFound() {
    completed(1, 0);
    bots.set(0, with(bots.getFirst(), "failed", 1));
    transitions.removeLast();
    transitions.add(
        new BotTransition(
            transitions.size() + 1,
            1,
            1,
            "stopping",
            "failed",
            "stopped",
            "bot",
            T.plusSeconds(10),
            ""));
    only(ViolationKind.ILLEGAL, "bot 1 left its meeting when told to and is failed");
    injectedFaults.add(new InjectedFault(T, 1, "hangs in the meeting"));
    assertThat(check()).isEmpty();
  }

  @Test
  void aBotThatDiedAndIsCompletedIsFound() {
    completed(1, 0);
    injectedFaults.add(new InjectedFault(T, 1, "kill -9 in the meeting"));
    only(ViolationKind.ILLEGAL, "bot 1 died and is completed");
    calls.add(new BotCall(T.plusSeconds(9), "c1", "exited", 200));
    assertThat(check()).isEmpty();
  }

  private void only(ViolationKind violationKind, String text) {
    assertThat(check())
        .singleElement()
        .satisfies(
            ruleViolation -> {
              assertThat(ruleViolation.kind()).isEqualTo(violationKind);
              assertThat(ruleViolation.text()).contains(text);
            });
  }

  /** A life of ten seconds that begins at this one. */
  private void completed(long meeting, int at) {
    bot(meeting, "room-" + meeting, "completed", 1);
    transition(meeting, "", "reserved", at);
    transition(meeting, "reserved", "starting", at + 1);
    transition(meeting, "starting", "active", at + 2);
    heartbeats(meeting, at + 2, at + 9);
    transition(meeting, "active", "stopping", at + 9);
    transition(meeting, "stopping", "completed", at + 10);
  }

  private void bot(long meeting, String room, String status, int orders) {
    boolean over = status.equals("completed") || status.equals("failed");
    bots.add(
        new BotEndState(
            meeting,
            1,
            room,
            status,
            "c" + meeting,
            Optional.of(T),
            Optional.of(T),
            over ? Optional.of(T) : Optional.empty(),
            Optional.empty(),
            over ? Optional.of("ended") : Optional.empty(),
            over ? orders : 0,
            true));
  }

  private static BotEndState with(BotEndState botEndState, String status, int orders) {
    return new BotEndState(
        botEndState.meetingId(),
        botEndState.userId(),
        botEndState.room(),
        status,
        botEndState.connectionId(),
        botEndState.startTime(),
        botEndState.admittedAt(),
        botEndState.endTime(),
        botEndState.stopRequestedAt(),
        botEndState.reason(),
        orders,
        true);
  }

  private void transition(long meeting, String from, String to, int at) {
    transitions.add(
        new BotTransition(
            transitions.size() + 1, meeting, 1, from, to, "reason", "bot", T.plusSeconds(at), ""));
    if (bots.stream().noneMatch(botEndState -> botEndState.meetingId() == meeting)) {
      bot(meeting, "room-" + meeting, to, 1);
    } else if (bots.getLast().meetingId() == meeting && bots.getLast().orders() == 0) {
      bots.set(bots.size() - 1, with(bots.getLast(), to, 0));
    }
  }

  private void end(long meeting, String from, int at, String reason, String found) {
    transitions.add(
        new BotTransition(
            transitions.size() + 1,
            meeting,
            1,
            from,
            "failed",
            reason,
            found.isEmpty() ? "launcher" : "sweeper",
            T.plusSeconds(at),
            found));
  }

  private void heartbeats(long meeting, int from, int to) {
    for (int second = from; second <= to; second++) {
      calls.add(new BotCall(T.plusSeconds(second), "c" + meeting, "heartbeat", 200));
    }
  }
}
