package io.convoke.chaos.dispatch.rules;

import static io.convoke.chaos.dispatch.rules.TaskHistoryBuilder.answer;
import static io.convoke.chaos.dispatch.rules.TaskHistoryBuilder.at;
import static io.convoke.chaos.dispatch.rules.TaskHistoryBuilder.attempt;
import static io.convoke.chaos.dispatch.rules.TaskHistoryBuilder.pod;
import static io.convoke.chaos.dispatch.rules.TaskHistoryBuilder.row;
import static io.convoke.chaos.dispatch.rules.TaskHistoryBuilder.transition;
import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.chaos.dispatch.rules.TaskHistory.DrainedPod;
import io.convoke.chaos.dispatch.rules.TaskHistory.FinalTaskView;
import io.convoke.chaos.dispatch.rules.TaskHistory.ObservedAttempt;
import io.convoke.chaos.dispatch.rules.TaskHistory.ObservedTransition;
import io.convoke.chaos.dispatch.rules.TaskHistory.RecoveryOutage;
import io.convoke.chaos.dispatch.rules.TaskHistory.RequestedTask;
import io.convoke.chaos.dispatch.rules.TaskHistory.SilentPod;
import io.convoke.chaos.dispatch.rules.TaskHistory.StopCall;
import io.convoke.chaos.dispatch.rules.TaskHistory.TaskLimits;
import io.convoke.chaos.dispatch.rules.TaskHistory.TaskReply;
import io.convoke.chaos.dispatch.rules.TaskHistory.TaskRow;
import io.convoke.chaos.kernel.FaultWindow;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import io.convoke.chaos.kernel.StreamRule.ReadStream;
import io.convoke.chaos.kernel.StreamRule.SequencedEvent;
import io.convoke.chaos.kernel.StreamRule.Streams;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;

/** A correct history of three tasks, which tests of rules change. */
abstract class CorrectTasks {
  static final TaskLimits LIMITS =
      new TaskLimits(
          Duration.ofSeconds(10),
          Duration.ofSeconds(3),
          Duration.ofSeconds(6),
          Duration.ofSeconds(2),
          3);
  static final String POD = "pod-a";
  static final String OTHER = "pod-b";

  final List<RequestedTask> asked = new ArrayList<>();
  final List<TaskReply> answers = new ArrayList<>();
  final List<StopCall> stops = new ArrayList<>();
  final List<ObservedAttempt> attempts = new ArrayList<>();
  final List<ObservedTransition> transitions = new ArrayList<>();
  final List<Long> streamed = new ArrayList<>();
  TaskHistory.TaskEvidence evidence =
      evidence(List.of(new FaultWindow("kill -9", "server-0", at(0), at(500))));
  final List<TaskRow> rows = new ArrayList<>();
  final List<FinalTaskView> shown = new ArrayList<>();
  final List<SilentPod> silences = new ArrayList<>();
  final List<DrainedPod> drained = new ArrayList<>();
  final List<RecoveryOutage> troubles = new ArrayList<>();
  final List<String> left = new ArrayList<>();

  /**
   * One whose first pod died and that was done by another; one that was stopped while it ran; one
   * that failed for good.
   */
  @BeforeEach
  void aRightHistory() {
    asked.add(new RequestedTask("r1", "room", true, RequestedTask.ProgramEnd.SUCCEEDS));
    asked.add(new RequestedTask("r2", "room", false, RequestedTask.ProgramEnd.SUCCEEDS));
    asked.add(new RequestedTask("r3", "room", false, RequestedTask.ProgramEnd.FAILS));
    asked.add(new RequestedTask("r4", "room", false, RequestedTask.ProgramEnd.FAILS));
    answers.add(answer("r1", 0, "", 0));
    answers.add(answer("r1", 202, "t1", 10));
    answers.add(answer("r1", 200, "t1", 9000));
    answers.add(answer("r2", 202, "t2", 20));
    answers.add(answer("r3", 503, "", 30));
    answers.add(answer("r3", 202, "t3", 40));
    answers.add(answer("r4", 0, "", 50));
    silences.add(new SilentPod(POD, "it was killed", at(1000), Optional.empty()));

    transitions.add(transition(1, "task.pending", "t1", "PENDING", 0, "", "", 10));
    transitions.add(transition(2, "task.processing", "t1", "PROCESSING", 1, POD, "", 100));
    attempts.add(new ObservedAttempt("t1", 1, "pod-0.1", POD, at(110), Optional.empty(), "", "0"));
    transitions.add(transition(3, "task.pending", "t1", "PENDING", 1, "", "its pod died", 4200));
    transitions.add(transition(4, "task.processing", "t1", "PROCESSING", 2, OTHER, "", 4300));
    attempts.add(attempt("t1", 2, OTHER, 4310, 5000, "0"));
    transitions.add(transition(5, "task.success", "t1", "SUCCESS", 2, OTHER, "", 5010));
    rows.add(row("t1", "r1", "SUCCESS", 2, "", 5, 5010));

    transitions.add(transition(6, "task.pending", "t2", "PENDING", 0, "", "", 20));
    transitions.add(transition(7, "task.processing", "t2", "PROCESSING", 1, OTHER, "", 200));
    attempts.add(attempt("t2", 1, OTHER, 210, 600, "stopped"));
    stops.add(new StopCall("t2", 0, 0, at(480), at(490)));
    stops.add(new StopCall("t2", 0, 202, at(500), at(510)));
    transitions.add(transition(8, "task.stopping", "t2", "PROCESSING", 1, OTHER, "", 505));
    transitions.add(transition(9, "task.success", "t2", "SUCCESS", 1, OTHER, "", 610));
    rows.add(row("t2", "r2", "SUCCESS", 1, "", 15, 610));

    transitions.add(transition(10, "task.pending", "t3", "PENDING", 0, "", "", 40));
    transitions.add(transition(11, "task.processing", "t3", "PROCESSING", 1, OTHER, "", 1000));
    attempts.add(attempt("t3", 1, OTHER, 1010, 1100, "1"));
    transitions.add(
        transition(
            12, "task.failed", "t3", "FAILED", 1, OTHER, "it cannot be done with ***", 1110));
    rows.add(row("t3", "r3", "FAILED", 1, "it cannot be done with ***", 35, 1110));
    addStream();
  }

  static TaskHistory.TaskEvidence evidence(List<FaultWindow> windows) {
    return new TaskHistory.TaskEvidence(
        windows,
        Map.of(POD, "us", OTHER, "eu"),
        Duration.ofSeconds(3),
        1,
        Duration.ofSeconds(2),
        List.of());
  }

  void found(ViolationKind violationKind, String text) {
    assertThat(check())
        .anySatisfy(
            ruleViolation -> {
              assertThat(ruleViolation.kind()).isEqualTo(violationKind);
              assertThat(ruleViolation.text()).contains(text);
            });
  }

  List<RuleViolation> check() {
    return TaskChecker.check(history());
  }

  TaskHistory history() {
    return new TaskHistory(
        asked,
        answers,
        stops,
        attempts,
        transitions,
        new Streams(
            List.of(new ReadStream("the admin", 0, events(streamed))),
            events(transitions.stream().map(ObservedTransition::seq).toList()),
            List.of()),
        rows,
        shown,
        silences,
        drained,
        troubles,
        left,
        LIMITS,
        evidence);
  }

  static List<SequencedEvent> events(List<Long> seqs) {
    return seqs.stream().map(seq -> new SequencedEvent(seq, 0, "event " + seq)).toList();
  }

  /** Makes the stream and the views of the servers equal to the journal. */
  void addStream() {
    streamed.clear();
    shown.clear();
    transitions.forEach(transition -> streamed.add(transition.seq()));
    for (TaskRow taskRow : rows) {
      List<Long> timeline =
          transitions.stream()
              .filter(transition -> transition.id().equals(taskRow.id()))
              .map(ObservedTransition::seq)
              .toList();
      shown.add(
          new FinalTaskView(
              taskRow.id(), 0, 200, taskRow.state(), taskRow.attempt(), taskRow.error(), timeline));
    }
  }

  void set(int index, String type, String state, int attempt, String pod, String error) {
    ObservedTransition before = transitions.get(index);
    transitions.set(
        index,
        new ObservedTransition(
            before.seq(),
            type,
            before.id(),
            state,
            attempt,
            pod(pod),
            error,
            before.at(),
            before.pendingAt()));
  }
}
