package io.convoke.engine.durable.runtime;

import io.convoke.engine.durable.NonDeterminismException;
import io.convoke.engine.durable.provider.InstanceMessage;
import io.convoke.engine.durable.provider.WorkMessage;
import io.convoke.engine.durable.runtime.HistoryEntry.CancelRequested;
import io.convoke.engine.durable.runtime.HistoryEntry.ChildScheduled;
import io.convoke.engine.durable.runtime.HistoryEntry.CommandEvent;
import io.convoke.engine.durable.runtime.HistoryEntry.Completed;
import io.convoke.engine.durable.runtime.HistoryEntry.ContinuedAsNew;
import io.convoke.engine.durable.runtime.HistoryEntry.EventRaised;
import io.convoke.engine.durable.runtime.HistoryEntry.ExecutionEnd;
import io.convoke.engine.durable.runtime.HistoryEntry.Failed;
import io.convoke.engine.durable.runtime.HistoryEntry.IncomingEvent;
import io.convoke.engine.durable.runtime.HistoryEntry.Started;
import io.convoke.engine.durable.runtime.HistoryEntry.StepEnded;
import io.convoke.engine.durable.runtime.HistoryEntry.TimerFired;
import io.convoke.engine.json.Json;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;
import tools.jackson.databind.JsonNode;

/**
 * One execution in memory: its history, and the code of its workflow, parked at the point that the
 * history has reached.
 *
 * <p>History alternates between arriving events and the commands that the code issues after each.
 * Arrivals are applied one by one, live as in replay, and after each the code runs until it waits;
 * so a replay meets every command at its place, and the first difference is detected.
 *
 * <p>Not safe for concurrent use: the holder of the instance's lock drives it, and the code runs
 * only meanwhile.
 */
final class WorkflowExecution {
  private static final Duration STUCK_AFTER = Duration.ofSeconds(10);

  private final String instanceId;
  private final long executionId;
  private final WorkflowRegistry workflowRegistry;
  private final List<HistoryEntry> history = new ArrayList<>();
  private final Map<Long, PendingPromise<?>> open = new LinkedHashMap<>();
  private final Map<String, Deque<JsonNode>> raised = new HashMap<>();
  private final Map<String, Deque<PendingPromise<?>>> awaited = new HashMap<>();
  private TurnWatch turnWatch;
  private int cursor;
  private int committed;

  private @Nullable Coroutine code;
  private @Nullable Started started;
  private @Nullable RuntimeException fault;
  private Optional<ExecutionEnd> end = Optional.empty();
  private Optional<String> cancelled = Optional.empty();
  private Instant now = Instant.EPOCH;

  // The result of the current turn so far.
  private final List<WorkMessage> work = new ArrayList<>();
  private final List<InstanceMessage> messages = new ArrayList<>();
  private final List<IncomingEvent> forNext = new ArrayList<>();
  private Optional<String> customStatus = Optional.empty();

  /** The code neither waited nor ended: it blocks on a call that is not of its context. */
  static final class StuckWorkflow extends RuntimeException {
    private static final long serialVersionUID = 1;

    StuckWorkflow(String instanceId) {
      super("the code of " + instanceId + " blocks on a call that is not of its context");
    }
  }

  WorkflowExecution(
      String instanceId, long executionId, WorkflowRegistry workflowRegistry, TurnWatch turnWatch) {
    this.instanceId = instanceId;
    this.executionId = executionId;
    this.workflowRegistry = workflowRegistry;
    this.turnWatch = turnWatch;
  }

  /** Begins another turn. */
  void watchedBy(TurnWatch other) {
    turnWatch = other;
  }

  /** The pool of an activity, as registered on this node. */
  String poolOf(String activity) {
    return workflowRegistry.poolOf(activity);
  }

  /** Replays a history; the code of an execution that has ended does not run. */
  void replay(List<HistoryEntry> past) throws InterruptedException {
    for (HistoryEntry historyEntry : past) {
      if (historyEntry instanceof ExecutionEnd done) {
        end = Optional.of(done);
      } else {
        history.add(historyEntry);
      }
    }
    committed = history.size();
    if (end.isPresent()) {
      cursor = committed;
    }
    while (cursor < history.size()) {
      if (history.get(cursor) instanceof IncomingEvent incomingEvent) {
        cursor++;
        apply(incomingEvent);
      } else {
        throw differs(
            history.get(cursor).type(), end.map(ExecutionEnd::toString).orElse("nothing"));
      }
    }
  }

  /** Applies a message unless it is obsolete. */
  void accept(MessageEnvelope messageEnvelope) throws InterruptedException {
    IncomingEvent incomingEvent = arrived(messageEnvelope.arrival());
    boolean ours =
        messageEnvelope.execution() == MessageEnvelope.CURRENT
            || messageEnvelope.execution() == executionId;
    if (ours && end.isEmpty() && matters(messageEnvelope, incomingEvent)) {
      history.add(incomingEvent);
      cursor++;
      apply(incomingEvent);
    } else if (end.isPresent()
        && end.get() instanceof ContinuedAsNew
        && messageEnvelope.fromOutside()) {
      forNext.add(incomingEvent);
    } else if (incomingEvent instanceof Started late
        && late.parent() != null
        && messageEnvelope.execution() == MessageEnvelope.CURRENT) {
      // A sub-workflow was requested under this id; without an answer its parent waits for ever.
      String taken = "the instance id " + instanceId + " is in use";
      messages.addAll(
          CompletionMessages.failed(late, new HistoryEntry.WorkflowFailed(taken, null), late.at()));
    }
  }

  /** A timer's message was written when the timer began; it fires when a node takes the message. */
  private IncomingEvent arrived(IncomingEvent incomingEvent) {
    return incomingEvent instanceof TimerFired(long order, Instant due) && storeTime().isAfter(due)
        ? new TimerFired(order, storeTime())
        : incomingEvent;
  }

  private boolean matters(MessageEnvelope messageEnvelope, IncomingEvent incomingEvent) {
    return switch (incomingEvent) {
      // A repeated start may arrive while the instance continues as new; only the start
      // that was sent for it begins a later execution.
      case Started _ ->
          history.isEmpty() && (executionId == 1 || messageEnvelope.execution() == executionId);
      case Completed completed -> open.containsKey(completed.order());
      case Failed failed -> open.containsKey(failed.order());
      case TimerFired fired -> open.containsKey(fired.order());
      case EventRaised _ -> !history.isEmpty();
      // A sender that got no answer cancels again; that must not cancel what cleans up.
      case CancelRequested _ ->
          !history.isEmpty() && history.stream().noneMatch(CancelRequested.class::isInstance);
    };
  }

  private void apply(IncomingEvent incomingEvent) throws InterruptedException {
    timeIs(incomingEvent.at());
    switch (incomingEvent) {
      case Started first -> begin(first);
      case Completed completed -> keep(completed.order(), completed.result());
      case TimerFired fired -> keep(fired.order(), Json.tree(fired.at()));
      case Failed failed -> {
        PendingPromise<?> pendingPromise = open.remove(failed.order());
        if (pendingPromise != null) {
          pendingPromise.fail(failed.error(), Optional.ofNullable(failed.errorType()));
        }
      }
      case EventRaised event -> raise(event.name(), event.data());
      case CancelRequested request -> {
        cancelled = Optional.of(request.reason());
        cancelChildren(request);
      }
    }
    run();
  }

  /** Tells the code a time, no more precise than a history keeps it: replays tell the same. */
  private void timeIs(Instant at) {
    Instant kept = at.truncatedTo(ChronoUnit.MILLIS);
    now = kept.isAfter(now) ? kept : now;
  }

  private void keep(long order, JsonNode result) {
    PendingPromise<?> pendingPromise = open.remove(order);
    if (pendingPromise != null) {
      pendingPromise.keep(result);
    }
  }

  private void raise(String name, JsonNode data) {
    PendingPromise<?> waiting = awaited.getOrDefault(name, new ArrayDeque<>()).pollFirst();
    if (waiting == null) {
      raised.computeIfAbsent(name, key -> new ArrayDeque<>()).addLast(data);
    } else {
      waiting.keep(data);
    }
  }

  private void cancelChildren(CancelRequested request) {
    for (long order : open.keySet()) {
      if (isRunning() && history.get(Math.toIntExact(order) - 1) instanceof ChildScheduled child) {
        messages.add(MessageEnvelope.message(child.instance(), MessageEnvelope.CURRENT, request));
      }
    }
  }

  private void begin(Started first) {
    started = first;
    ExecutionContext executionContext = new ExecutionContext(this, first);
    code = new Coroutine(() -> runCode(executionContext, first));
  }

  private void runCode(ExecutionContext executionContext, Started first) {
    try (MDC.MDCCloseable _ = Traceparent.logged(executionContext.traceparent())) {
      WorkflowRegistry.WorkflowFunction workflowFunction =
          workflowRegistry.flow(first.name()).orElseThrow();
      end =
          Optional.of(
              new HistoryEntry.WorkflowCompleted(
                  workflowFunction.run(executionContext, first.input())));
    } catch (ExecutionContext.ContinueAsNewSignal continueAsNewSignal) {
      end = Optional.of(new HistoryEntry.ContinuedAsNew(continueAsNewSignal.input()));
    } catch (NonDeterminismException e) {
      fault = e;
    } catch (Coroutine.CoroutineAbandoned coroutineAbandoned) {
      throw coroutineAbandoned;
    } catch (Throwable e) {
      // An Error too: without an end the instance would be running for ever.
      end = Optional.of(new HistoryEntry.WorkflowFailed(ErrorText.of(e), ErrorText.type(e)));
    }
  }

  private void run() throws InterruptedException {
    Coroutine coroutine = code;
    if (coroutine != null && !resume(coroutine)) {
      throw new StuckWorkflow(instanceId);
    }
    if (fault != null) {
      throw fault;
    }
  }

  private boolean resume(Coroutine coroutine) throws InterruptedException {
    try {
      return coroutine.resume(STUCK_AFTER, turnWatch);
    } catch (InterruptedException e) {
      coroutine.abandon();
      throw e;
    }
  }

  /** A step: runs it in the code's thread, or finds how it ended in the history. */
  StepEnded step(StepEnded named, UnaryOperator<StepEnded> run) {
    requireCode();
    if (!isRunning()) {
      long id = order(named);
      StepEnded past = (StepEnded) history.get(Math.toIntExact(id) - 1);
      timeIs(past.at());
      return past;
    }
    AtomicReference<StepEnded> ended = new AtomicReference<>(named);
    Coroutine coroutine = Objects.requireNonNull(code);
    coroutine.step(() -> ended.set(run.apply(named)));
    StepEnded live = ended.get();
    long _ = order(live);
    timeIs(live.at());
    return live;
  }

  /** Whether a commit that failed should be repeated: its turn has steps, and maybe its lock. */
  boolean isCommitWorthRepeating() {
    return turnWatch.mayHoldLock()
        && history.subList(committed, history.size()).stream()
            .anyMatch(StepEnded.class::isInstance);
  }

  /** Whether the turn should be committed as soon as the code can wait. */
  boolean isLongTurn() {
    return turnWatch.isLong();
  }

  /** The time by the store's clock, which is not the same in replays. */
  Instant storeTime() {
    return turnWatch.now();
  }

  /** The time of this turn, which is later than that of the last event if the event had to wait. */
  Instant turnTime() {
    return storeTime().isAfter(now) ? storeTime() : now;
  }

  /**
   * Checks that the calling code is the workflow's own: commands of other threads have no order
   * that a replay could repeat, and one that waits in another thread would never be woken.
   *
   * @throws IllegalStateException in a step, and in a thread that the code has started
   */
  void requireCode() {
    Coroutine coroutine = code;
    if (coroutine == null) {
      return;
    }
    if (coroutine.isStepping()) {
      throw new IllegalStateException("a step cannot use the context of its workflow");
    }
    if (!coroutine.isBody()) {
      throw new IllegalStateException(
          "the context of a workflow cannot be used by another thread than the workflow's: "
              + "order activities and wait for their promises instead");
    }
  }

  /** Matches a command of the code with the history, or records a new one. */
  long order(CommandEvent commandEvent) {
    requireCode();
    if (isRunning()) {
      history.add(commandEvent);
    } else if (!(history.get(cursor) instanceof CommandEvent past && past.same(commandEvent))) {
      throw differs(history.get(cursor).toString(), commandEvent.toString());
    }
    cursor++;
    return cursor;
  }

  /** The next event in the history; empty at its end. */
  Optional<HistoryEntry> past() {
    return isRunning() ? Optional.empty() : Optional.of(history.get(cursor));
  }

  /** Whether the code has passed the end of the history. */
  boolean isRunning() {
    return cursor == history.size();
  }

  void expect(long order, PendingPromise<?> pendingPromise) {
    PendingPromise<?> _ = open.put(order, pendingPromise);
  }

  /** Completes a promise with the next event of a name, now or when it arrives. */
  void expect(String name, PendingPromise<?> pendingPromise) {
    requireCode();
    JsonNode data = raised.getOrDefault(name, new ArrayDeque<>()).pollFirst();
    if (data == null) {
      awaited.computeIfAbsent(name, key -> new ArrayDeque<>()).addLast(pendingPromise);
    } else {
      pendingPromise.keep(data);
    }
  }

  /** Parks the code; called by it. */
  void park() {
    requireCode();
    Coroutine coroutine = code;
    if (coroutine != null) {
      coroutine.park();
    }
  }

  Optional<String> takeCancellation() {
    requireCode();
    Optional<String> reason = cancelled;
    cancelled = Optional.empty();
    return reason;
  }

  void queue(WorkMessage message) {
    work.add(message);
  }

  void send(InstanceMessage message) {
    messages.add(message);
  }

  void show(String status) {
    customStatus = Optional.of(ErrorText.storable(status));
  }

  private NonDeterminismException differs(String past, String code) {
    return new NonDeterminismException(instanceId, cursor + 1L, past, code);
  }

  /** Ends the code where it is parked; this object is unusable afterwards. */
  void abandon() {
    if (code != null) {
      code.abandon();
    }
  }

  /** The changes since the last committed turn. */
  TurnOutputs outputs() {
    return new TurnOutputs(
        List.copyOf(history.subList(committed, history.size())),
        List.copyOf(work),
        List.copyOf(messages),
        customStatus);
  }

  /** The result of a turn, apart from the end of the execution. */
  record TurnOutputs(
      List<HistoryEntry> events,
      List<WorkMessage> work,
      List<InstanceMessage> messages,
      Optional<String> customStatus) {}

  /** Forgets the changes of a turn that was committed. */
  void committed() {
    committed = history.size();
    work.clear();
    messages.clear();
    customStatus = Optional.empty();
  }

  /** Activities without a result. */
  List<Long> openActivities() {
    return open.keySet().stream()
        .filter(
            id -> history.get(Math.toIntExact(id) - 1) instanceof HistoryEntry.ActivityScheduled)
        .toList();
  }

  /** Events that the workflow has not consumed. */
  Map<String, Deque<JsonNode>> raised() {
    return raised;
  }

  /** Events that arrived after the end, in the same turn, for the next execution. */
  List<IncomingEvent> forNext() {
    return forNext;
  }

  long committedEvents() {
    return committed;
  }

  String instanceId() {
    return instanceId;
  }

  long executionId() {
    return executionId;
  }

  /** Whether no message has started it: the instance does not exist. */
  boolean isMissing() {
    return history.isEmpty() && end.isEmpty() && messages.isEmpty();
  }

  /** The error of a failed execution. */
  Optional<String> failure() {
    return end.filter(HistoryEntry.WorkflowFailed.class::isInstance)
        .map(failed -> ((HistoryEntry.WorkflowFailed) failed).error());
  }

  Instant now() {
    return now;
  }

  Optional<ExecutionEnd> end() {
    return end;
  }

  Optional<Started> started() {
    return Optional.ofNullable(started);
  }
}
