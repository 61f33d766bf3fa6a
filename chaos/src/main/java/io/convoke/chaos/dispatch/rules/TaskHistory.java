package io.convoke.chaos.dispatch.rules;

import io.convoke.chaos.kernel.AvailabilityRule;
import io.convoke.chaos.kernel.FaultTimeline;
import io.convoke.chaos.kernel.FaultWindow;
import io.convoke.chaos.kernel.ReadBackRule.ReadBack;
import io.convoke.chaos.kernel.StreamRule;
import io.convoke.chaos.kernel.TimedReply;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Everything observed in a run. All times are one machine's.
 *
 * @param attempts logged by the programs
 * @param transitions the journal, in order
 * @param streams what the readers of the event stream received, and the whole journal
 * @param evidence of pods and faults
 * @param left keys left in Redis at the end, as text
 */
public record TaskHistory(
    List<RequestedTask> requestedTasks,
    List<TaskReply> answers,
    List<StopCall> stops,
    List<ObservedAttempt> attempts,
    List<ObservedTransition> transitions,
    StreamRule.Streams streams,
    List<TaskRow> rows,
    List<FinalTaskView> shown,
    List<SilentPod> silences,
    List<DrainedPod> drained,
    List<RecoveryOutage> troubles,
    List<String> left,
    TaskLimits limits,
    TaskEvidence evidence) {

  /**
   * What is known of pods and faults besides the tasks.
   *
   * @param windows the injected faults
   * @param regions of pods, by their ids
   * @param overflow how long a task waits for a pod of its region
   * @param slots of each pod
   * @param grace between SIGTERM and SIGKILL of a program
   * @param looks what servers showed, and what is right
   */
  public record TaskEvidence(
      List<FaultWindow> windows,
      Map<String, String> regions,
      Duration overflow,
      int slots,
      Duration grace,
      List<ReadBack> looks) {
    /** Nothing. */
    public static final TaskEvidence NONE =
        new TaskEvidence(
            List.of(), Map.of(), Duration.ZERO, Integer.MAX_VALUE, Duration.ofDays(1), List.of());
  }

  /**
   * The servers' configured limits.
   *
   * @param window queue timeout
   * @param silent time without a heartbeat after which a pod's death is detectable
   * @param lease maximum time a pod keeps a task without renewal
   * @param stranded time after that within which the pod's tasks must have moved on
   * @param attempts maximum number
   */
  public record TaskLimits(
      Duration window, Duration silent, Duration lease, Duration stranded, int attempts) {}

  Map<String, List<ObservedTransition>> transitionsByTask() {
    return transitions.stream().collect(Collectors.groupingBy(ObservedTransition::id));
  }

  /** The region of a pod; its id if that is not known. */
  String regionOf(String pod) {
    return evidence.regions().getOrDefault(pod, pod);
  }

  Optional<TaskRow> row(String id) {
    return rows.stream().filter(row -> row.id().equals(id)).findFirst();
  }

  List<ObservedAttempt> attempts(String id) {
    return attempts.stream().filter(one -> one.id().equals(id)).toList();
  }

  /** Whether its stop was requested, acknowledged or not. */
  boolean unwanted(String id) {
    return stops.stream().anyMatch(stop -> stop.id().equals(id));
  }

  /** Whether Redis may have lost data in this period, or was not compared yet. */
  boolean forgotten(Instant start, Instant end) {
    return timesForgotten(start, end) > 0;
  }

  long timesForgotten(Instant start, Instant end) {
    return troubles.stream().filter(it -> it.forgets() && it.touches(start, end)).count();
  }

  boolean troubled(Instant start, Instant end) {
    return troubles.stream().anyMatch(it -> it.touches(start, end));
  }

  /** Every call to a server; a task needs Postgres alone to be accepted. */
  AvailabilityRule.Calls calls() {
    List<TimedReply> replies = new ArrayList<>();
    answers.forEach(one -> replies.add(one.reply()));
    stops.forEach(one -> replies.add(one.reply()));
    return new AvailabilityRule.Calls(
        replies, evidence.windows(), Set.of(FaultTimeline.POSTGRES), false);
  }

  /** Number of actions and observations, for the report's summary. */
  public int operations() {
    return answers.size() + stops.size() + attempts.size() + transitions.size() + shown.size();
  }

  /**
   * A period in which a pod was drained: from the response to the drain request to the resume
   * request.
   */
  public record DrainedPod(String pod, Instant from, Instant to) {}

  /**
   * A task as a server shows it at the end.
   *
   * @param status of the response; of the first that failed
   * @param timeline sequences of its journal events
   */
  public record FinalTaskView(
      String id,
      int server,
      int status,
      String state,
      int attempt,
      String error,
      List<Long> timeline) {}

  /**
   * An attempt, as its program logged it outside of all stores.
   *
   * @param life the pod's process, as the scenario names it
   * @param pod the pod's own id
   * @param ended empty without a logged end: it was killed
   * @param code its planned exit code; empty without an end
   * @param slot of the pod that runs it
   */
  public record ObservedAttempt(
      String id,
      int number,
      String life,
      String pod,
      Instant startedAt,
      Optional<Instant> ended,
      String code,
      String slot) {
    /** Code of an end after a stop signal. */
    public static final String STOPPED = "stopped";

    boolean endedWith(String other) {
      return ended.isPresent() && code.equals(other);
    }
  }

  /**
   * A task's transition in the journal.
   *
   * @param type of the event, such as {@code task.processing}
   * @param pod the holder after it
   * @param at when it happened, by the clock of Redis
   * @param pendingAt of a task that waits: from when pods may take it, later than {@code at} before
   *     another try
   */
  public record ObservedTransition(
      long seq,
      String type,
      String id,
      String state,
      int attempt,
      Optional<String> pod,
      String error,
      Instant at,
      Optional<Instant> pendingAt) {
    static final String STOPPING = "task.stopping";

    boolean terminal() {
      return TaskRow.terminal(state);
    }

    /** Whether a running task waits again though its program did not ask for it. */
    boolean returned() {
      return state.equals("PENDING") && !error.isEmpty() && !error.equals(TaskResultRules.NOT_NOW);
    }

    /** Whether it starts an attempt. */
    boolean claim() {
      return state.equals("PROCESSING") && !type.equals(STOPPING);
    }
  }

  /**
   * A period without maintenance: Redis was down or not yet compared with the task table, or every
   * server was down.
   *
   * @param forgets whether Redis may have lost data at its start
   */
  public record RecoveryOutage(String what, Instant from, Instant to, boolean forgets) {
    /** Whether a part of this period lies in it. */
    public boolean touches(Instant start, Instant end) {
      return from.isBefore(end) && to.isAfter(start);
    }
  }

  /**
   * A task that a client requested.
   *
   * @param request its request id
   * @param unique whether its channel must have no other
   * @param region that it prefers; empty for any
   * @param end how its program ends unless it is stopped or killed
   */
  public record RequestedTask(
      String request, String channel, boolean unique, ProgramEnd end, Optional<String> region) {
    /** A task for any region. */
    public RequestedTask(String request, String channel, boolean unique, ProgramEnd end) {
      this(request, channel, unique, end, Optional.empty());
    }

    /** How a program ends. */
    public enum ProgramEnd {
      SUCCEEDS,
      FAILS,
      /** No pod takes tasks of its type. */
      NEVER_BEGINS
    }

    boolean taken() {
      return end != ProgramEnd.NEVER_BEGINS;
    }
  }

  /**
   * A pod that became unreachable: killed, suspended, or cut off.
   *
   * @param reachableAgain when it became reachable again, by resuming or by opening new connections
   */
  public record SilentPod(String pod, String why, Instant from, Optional<Instant> reachableAgain) {
    /** Whether it was reachable again by then. */
    boolean over(Instant by) {
      return reachableAgain.isPresent() && !reachableAgain.get().isAfter(by);
    }
  }

  /** A client's stop request; status 0 without a response. */
  public record StopCall(String id, int server, int status, Instant sent, Instant answered) {
    TimedReply reply() {
      return new TimedReply("stop of " + id, FaultTimeline.server(server), status, sent, answered);
    }

    boolean acknowledged() {
      return status == 202;
    }
  }

  /**
   * A response to a task request.
   *
   * @param status 0 without a response
   * @param id of the task; empty if the response has none
   */
  public record TaskReply(
      String request, int server, int status, String id, Instant sent, Instant answered) {
    TimedReply reply() {
      return new TimedReply(
          "request " + request, FaultTimeline.server(server), status, sent, answered);
    }

    boolean accepted() {
      return status == 202 || status == 200;
    }
  }

  /** A row of the task table. */
  public record TaskRow(
      String id,
      String request,
      String channel,
      boolean unique,
      String state,
      int attempt,
      boolean stop,
      String error,
      Instant createdAt,
      Optional<Instant> completedAt) {
    static boolean terminal(String state) {
      return switch (state) {
        case "SUCCESS", "FAILED", "TIMEOUT" -> true;
        default -> false;
      };
    }

    boolean terminal() {
      return terminal(state);
    }
  }
}
