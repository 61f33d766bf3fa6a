package io.convoke.engine.durable.runtime;

import io.convoke.engine.durable.WorkflowTracing;
import io.convoke.engine.durable.WorkflowTracing.WorkflowSpan;
import io.convoke.engine.durable.WorkflowTracing.WorkflowSpanKind;
import io.convoke.engine.durable.provider.ExecutionStatus;
import io.convoke.engine.durable.provider.HistoryEvent;
import io.convoke.engine.durable.provider.LockStatus;
import io.convoke.engine.durable.provider.OrchestrationItem;
import io.convoke.engine.durable.provider.OrchestrationItem.DeliveredMessage;
import io.convoke.engine.durable.provider.Provider;
import io.convoke.engine.durable.provider.ProviderFailure;
import io.convoke.engine.durable.provider.TurnCommit;
import io.convoke.engine.durable.provider.TurnCommit.ExecutionOutcome;
import io.convoke.engine.durable.provider.TurnCommit.InstanceIdentity;
import io.convoke.engine.durable.runtime.HistoryEntry.ActivityScheduled;
import io.convoke.engine.durable.runtime.HistoryEntry.Completed;
import io.convoke.engine.durable.runtime.HistoryEntry.ContinuedAsNew;
import io.convoke.engine.durable.runtime.HistoryEntry.ExecutionEnd;
import io.convoke.engine.durable.runtime.HistoryEntry.Failed;
import io.convoke.engine.durable.runtime.HistoryEntry.Started;
import io.convoke.engine.durable.runtime.HistoryEntry.WorkflowCompleted;
import io.convoke.engine.durable.runtime.HistoryEntry.WorkflowFailed;
import io.convoke.engine.json.Json;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import tools.jackson.core.JacksonException;

/** Executes turns: finds or replays the execution, resumes it, commits the result. */
final class WorkflowExecutor {
  private static final Logger log = LoggerFactory.getLogger(WorkflowExecutor.class);
  private static final Duration RETRY_PAUSE = Duration.ofSeconds(1);
  private static final int RETRY_DOUBLINGS = 5;
  private static final Duration COMMIT_RETRY_PAUSE = Duration.ofMillis(300);

  private final Provider provider;
  private final WorkflowRegistry workflowRegistry;
  private final WorkflowTracing workflowTracing;
  private final ExecutionCache executionCache;
  private final Duration lock;
  private final int attemptsMax;
  private final DispatcherPool.WorkflowEndListener endListener;
  private final UnregisteredWork unregisteredWork = new UnregisteredWork();

  /**
   * Over a provider.
   *
   * @param lock the lock timeout of a turn
   * @param attemptsMax after so many failed turns an instance is failed
   */
  WorkflowExecutor(
      Provider provider,
      WorkflowRegistry workflowRegistry,
      WorkflowTracing workflowTracing,
      ExecutionCache executionCache,
      Duration lock,
      int attemptsMax,
      DispatcherPool.WorkflowEndListener endListener) {
    this.provider = provider;
    this.workflowRegistry = workflowRegistry;
    this.workflowTracing = workflowTracing;
    this.executionCache = executionCache;
    this.lock = lock;
    this.attemptsMax = attemptsMax;
    this.endListener = endListener;
  }

  void turn(OrchestrationItem item, DispatchLoop.DispatcherPlace place)
      throws InterruptedException {
    TurnWatch turnWatch = new TurnWatch(provider, item.instanceId(), item.lockToken(), lock, place);
    try {
      turn(item, turnWatch);
    } catch (InterruptedException stopped) {
      if (place.interrupted()) {
        LockStatus _ = provider.abandonOrchestrationItem(item.lockToken(), Optional.empty(), true);
      }
      throw stopped;
    } finally {
      turnWatch.end();
    }
  }

  private void turn(OrchestrationItem item, TurnWatch turnWatch) throws InterruptedException {
    int attempt = attempt(item);
    if (attempt > attemptsMax) {
      fail(item, "given up after " + (attempt - 1) + " attempts");
      return;
    }
    WorkflowExecution workflowExecution = executionCache.take(item).orElse(null);
    List<MessageEnvelope> messages;
    try {
      messages = inOrder(item);
      if (workflowExecution == null) {
        // Before its first turn there is no history to read.
        List<HistoryEvent> past = item.turn() == 1 ? List.of() : provider.read(item.instanceId());
        Optional<String> unknown = unknown(past, messages);
        if (unknown.isPresent()) {
          leave(item, unknown.get());
          return;
        }
        workflowExecution = load(item, past, turnWatch);
      }
      workflowExecution.watchedBy(turnWatch);
    } catch (RuntimeException | Error e) {
      giveBack(item, Optional.ofNullable(workflowExecution), e);
      return;
    }
    Optional<Started> started = workflowExecution.started().or(() -> beginning(messages));
    if (started.isPresent()) {
      traced(item, workflowExecution, messages, started.get());
    } else {
      go(item, workflowExecution, messages);
    }
  }

  private void traced(
      OrchestrationItem item,
      WorkflowExecution workflowExecution,
      List<MessageEnvelope> messages,
      Started started)
      throws InterruptedException {
    String traceparent = started.traceparent();
    try (MDC.MDCCloseable _ = Traceparent.logged(traceparent);
        WorkflowSpan workflowSpan =
            workflowTracing.begin(
                WorkflowSpanKind.TURN, started.name(), item.instanceId(), traceparent)) {
      go(item, workflowExecution, messages);
      workflowExecution.failure().ifPresent(workflowSpan::failed);
    }
  }

  private void go(
      OrchestrationItem item, WorkflowExecution workflowExecution, List<MessageEnvelope> messages)
      throws InterruptedException {
    try {
      for (MessageEnvelope message : messages) {
        workflowExecution.accept(message);
      }
    } catch (RuntimeException | Error e) {
      giveBack(item, Optional.of(workflowExecution), e);
      return;
    }
    if (workflowExecution.isMissing()) {
      handleMissing(item, messages);
    } else {
      commit(item, workflowExecution);
    }
  }

  private void giveBack(
      OrchestrationItem item, Optional<WorkflowExecution> execution, Throwable reason) {
    execution.ifPresent(WorkflowExecution::abandon);
    int attempt = attempt(item);
    log.error("a turn of {} failed, attempt {}", item.instanceId(), attempt, reason);
    if (attempt >= attemptsMax && !(reason instanceof ProviderFailure)) {
      fail(item, "given up after " + attempt + " attempts: " + ErrorText.of(reason));
      return;
    }
    LockStatus _ = provider.abandonOrchestrationItem(item.lockToken(), later(attempt), false);
  }

  private static Optional<Duration> later(int attempt) {
    return Optional.of(RETRY_PAUSE.multipliedBy(1L << Math.min(attempt, RETRY_DOUBLINGS)));
  }

  /**
   * How often a turn was tried: as often as the start among its messages where there is one, since
   * an event may have waited for that start through attempts of its own.
   */
  private static int attempt(OrchestrationItem item) {
    int highest = item.attempt();
    return highest == 1
        ? highest
        : item.delivered().stream()
            .filter(message -> begun(message.item(), 1).isPresent())
            .mapToInt(DeliveredMessage::attempt)
            .max()
            .orElse(highest);
  }

  /**
   * Handles messages to an instance that does not exist: keeps external events for a few minutes,
   * in case it starts, and drops results for a deleted instance. An event that is kept has an
   * attempt left: an instance that starts meanwhile tries it before it can be given up.
   */
  private void handleMissing(OrchestrationItem item, List<MessageEnvelope> messages) {
    if (messages.stream().noneMatch(MessageEnvelope::fromOutside)) {
      drop(item);
    } else if (item.attempt() < attemptsMax) {
      log.debug("no instance {}; keeping its messages for a while", item.instanceId());
      LockStatus _ =
          provider.abandonOrchestrationItem(item.lockToken(), later(item.attempt()), false);
    } else {
      dropUnstarted(item);
    }
  }

  private void dropUnstarted(OrchestrationItem item) {
    log.warn("{} has not started; dropped its messages", item.instanceId());
    drop(item);
  }

  private void drop(OrchestrationItem item) {
    LockStatus _ =
        provider.ackOrchestrationItem(item.lockToken(), TurnCommit.empty(item.executionId()));
    provider.admin().delete(item.instanceId());
  }

  private static Optional<Started> beginning(List<MessageEnvelope> messages) {
    return messages.stream()
        .filter(MessageEnvelope::begins)
        .findFirst()
        .map(message -> (Started) message.arrival());
  }

  /**
   * The messages in order, but first the one that begins an execution, and then what the execution
   * before has left to it: that arrived before anything that was queued since.
   */
  private static List<MessageEnvelope> inOrder(OrchestrationItem item) {
    return item.messages().stream()
        .map(MessageEnvelope::read)
        .sorted(
            Comparator.comparing(MessageEnvelope::begins)
                .thenComparing(MessageEnvelope::leftOver)
                .reversed())
        .toList();
  }

  /** The name of the workflow whose code this turn needs, if it is not registered here. */
  private Optional<String> unknown(List<HistoryEvent> past, List<MessageEnvelope> messages) {
    boolean ended =
        end(past).filter(executionEnd -> !(executionEnd instanceof ContinuedAsNew)).isPresent();
    return ended
        ? Optional.empty()
        : begun(past)
            .or(() -> beginning(messages))
            .map(Started::name)
            .filter(name -> workflowRegistry.flow(name).isEmpty());
  }

  /** Gives a turn back for nodes that know its workflow. */
  private void leave(OrchestrationItem item, String workflow) {
    Duration pause = unregisteredWork.pause("the workflow", workflow, item.instanceId());
    LockStatus _ = provider.abandonOrchestrationItem(item.lockToken(), Optional.of(pause), true);
  }

  /** The current execution, or the next one after it continued as new. */
  private WorkflowExecution load(
      OrchestrationItem item, List<HistoryEvent> lines, TurnWatch turnWatch)
      throws InterruptedException {
    List<HistoryEntry> past = lines.stream().map(HistoryEntry::of).toList();
    boolean next = !past.isEmpty() && past.getLast() instanceof ContinuedAsNew;
    WorkflowExecution workflowExecution =
        new WorkflowExecution(
            item.instanceId(), item.executionId() + (next ? 1 : 0), workflowRegistry, turnWatch);
    if (!next) {
      replay(workflowExecution, past);
    }
    return workflowExecution;
  }

  /** Replays a history; code that has passed its end may be in a step when this fails. */
  private static void replay(WorkflowExecution workflowExecution, List<HistoryEntry> past)
      throws InterruptedException {
    try {
      workflowExecution.replay(past);
    } catch (RuntimeException | Error e) {
      workflowExecution.abandon();
      throw e;
    }
  }

  private void commit(OrchestrationItem item, WorkflowExecution workflowExecution) {
    TurnCommit turnCommit;
    try {
      turnCommit = turnOf(item, workflowExecution);
    } catch (RuntimeException | Error e) {
      giveBack(item, Optional.of(workflowExecution), e);
      return;
    }
    boolean keep = false;
    long begunAt = System.nanoTime();
    try {
      LockStatus lockStatus = ack(item, workflowExecution, turnCommit);
      if (lockStatus == LockStatus.HELD) {
        workflowExecution.committed();
        keep = workflowExecution.end().isEmpty() && workflowExecution.started().isPresent();
        turnCommit
            .outcome()
            .filter(outcome -> outcome.status() != ExecutionStatus.CONTINUED_AS_NEW)
            .ifPresent(outcome -> endListener.ended(item.instanceId(), outcome, begunAt));
      }
    } finally {
      if (keep) {
        executionCache.keep(item, workflowExecution);
      } else {
        workflowExecution.abandon();
      }
    }
  }

  /**
   * Commits a turn, with retries while the store is unreachable if the turn has steps: they would
   * run again.
   */
  private LockStatus ack(
      OrchestrationItem item, WorkflowExecution workflowExecution, TurnCommit turnCommit) {
    while (true) {
      try {
        return provider.ackOrchestrationItem(item.lockToken(), turnCommit);
      } catch (ProviderFailure e) {
        if (!e.retryable()
            || !workflowExecution.isCommitWorthRepeating()
            || Thread.currentThread().isInterrupted()) {
          throw e;
        }
        log.info(
            "the turn of {} is not committed, retrying: {}", item.instanceId(), e.getMessage());
        LockSupport.parkNanos(COMMIT_RETRY_PAUSE.toNanos());
      }
    }
  }

  private static TurnCommit turnOf(OrchestrationItem item, WorkflowExecution workflowExecution) {
    WorkflowExecution.TurnOutputs turnOutputs = workflowExecution.outputs();
    List<HistoryEvent> lines = new ArrayList<>();
    long id = workflowExecution.committedEvents();
    for (HistoryEntry historyEntry : turnOutputs.events()) {
      lines.add(HistoryEntry.line(++id, historyEntry));
    }
    boolean first = workflowExecution.committedEvents() == 0;
    Optional<Started> started = workflowExecution.started();
    if (started.isEmpty()
        || (turnOutputs.events().isEmpty() && workflowExecution.end().isEmpty())) {
      return TurnCommit.sending(item.executionId(), turnOutputs.messages());
    }
    var messages = new ArrayList<>(turnOutputs.messages());
    Optional<ExecutionOutcome> outcome = Optional.empty();
    List<Long> cancelled = List.of();
    if (workflowExecution.end().isPresent()) {
      ExecutionEnd executionEnd = workflowExecution.end().get();
      lines.add(HistoryEntry.line(++id, executionEnd));
      outcome = Optional.of(outcome(executionEnd));
      cancelled = workflowExecution.openActivities();
      messages.addAll(CompletionMessages.of(workflowExecution, started.get(), executionEnd));
    }
    return new TurnCommit(
        workflowExecution.executionId(),
        first ? started.map(WorkflowExecutor::identity) : Optional.empty(),
        lines,
        turnOutputs.work(),
        messages,
        cancelled,
        outcome,
        turnOutputs.customStatus());
  }

  private static InstanceIdentity identity(Started started) {
    HistoryEntry.ParentRef parentRef = started.parent();
    return new InstanceIdentity(
        started.name(),
        started.version(),
        parentRef == null ? Optional.empty() : Optional.of(parentRef.instance()));
  }

  private static ExecutionOutcome outcome(ExecutionEnd executionEnd) {
    return switch (executionEnd) {
      case WorkflowCompleted done ->
          new ExecutionOutcome(ExecutionStatus.COMPLETED, Json.write(done.output()));
      case WorkflowFailed failed -> new ExecutionOutcome(ExecutionStatus.FAILED, failed.error());
      case ContinuedAsNew again ->
          new ExecutionOutcome(ExecutionStatus.CONTINUED_AS_NEW, Json.write(again.input()));
    };
  }

  /**
   * Fails an instance whose turns have all failed: its execution, or the next one if that continued
   * as new.
   */
  private void fail(OrchestrationItem item, String error) {
    List<HistoryEvent> current = provider.read(item.instanceId());
    Optional<ExecutionEnd> end = end(current);
    boolean next = end.filter(ContinuedAsNew.class::isInstance).isPresent();
    if (end.isPresent() && !next) {
      LockStatus _ =
          provider.ackOrchestrationItem(item.lockToken(), TurnCommit.empty(item.executionId()));
      return;
    }
    List<HistoryEvent> past = next ? List.of() : current;
    long executionId = item.executionId() + (next ? 1 : 0);
    Optional<Started> started = past.isEmpty() ? begun(item, executionId) : begun(past);
    if (past.isEmpty() && started.isEmpty()) {
      dropUnstarted(item);
      return;
    }
    log.error("{}: {}", item.instanceId(), error);
    WorkflowFailed failed = new WorkflowFailed(error, null);
    List<HistoryEvent> lines = new ArrayList<>();
    if (past.isEmpty()) {
      lines.add(HistoryEntry.line(1, started.get()));
    }
    lines.add(HistoryEntry.line(past.size() + lines.size() + 1L, failed));
    TurnCommit turnCommit =
        new TurnCommit(
            executionId,
            past.isEmpty() ? started.map(WorkflowExecutor::identity) : Optional.empty(),
            lines,
            List.of(),
            started
                .map(first -> CompletionMessages.failed(first, failed, first.at()))
                .orElse(List.of()),
            openActivities(past),
            Optional.of(outcome(failed)),
            Optional.empty());
    long begunAt = System.nanoTime();
    if (provider.ackOrchestrationItem(item.lockToken(), turnCommit) == LockStatus.HELD) {
      endListener.ended(item.instanceId(), outcome(failed), begunAt);
    }
  }

  /** Activities in a history without a result in it. */
  private static List<Long> openActivities(List<HistoryEvent> past) {
    Set<Long> open = new LinkedHashSet<>();
    for (HistoryEvent line : past) {
      HistoryEntry entry = readable(line).orElse(null);
      if (entry instanceof ActivityScheduled) {
        boolean _ = open.add(line.eventId());
      } else if (entry instanceof Completed completed) {
        boolean _ = open.remove(completed.order());
      } else if (entry instanceof Failed failed) {
        boolean _ = open.remove(failed.order());
      }
    }
    return List.copyOf(open);
  }

  /** The start of an execution among messages, of which foreign ones may be unreadable. */
  private static Optional<Started> begun(OrchestrationItem item, long executionId) {
    return item.messages().stream()
        .flatMap(message -> begun(message, executionId).stream())
        .findFirst();
  }

  /** The start in a message; a later execution than the first has one that was sent for it. */
  private static Optional<Started> begun(String message, long executionId) {
    try {
      MessageEnvelope envelope = MessageEnvelope.read(message);
      return envelope.begins() && (executionId == 1 || envelope.execution() == executionId)
          ? Optional.of((Started) envelope.arrival())
          : Optional.empty();
    } catch (RuntimeException unreadable) {
      return Optional.empty();
    }
  }

  /** The start of a history; empty if there is none that can be parsed. */
  private static Optional<Started> begun(List<HistoryEvent> past) {
    return past.isEmpty()
        ? Optional.empty()
        : readable(past.getFirst()).filter(Started.class::isInstance).map(Started.class::cast);
  }

  /** The end of a history, if it has ended. */
  private static Optional<ExecutionEnd> end(List<HistoryEvent> past) {
    return past.isEmpty()
        ? Optional.empty()
        : readable(past.getLast())
            .filter(ExecutionEnd.class::isInstance)
            .map(ExecutionEnd.class::cast);
  }

  /** An event of a history; empty if this release cannot parse it. */
  private static Optional<HistoryEntry> readable(HistoryEvent line) {
    try {
      return Optional.of(HistoryEntry.of(line));
    } catch (JacksonException | IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}
