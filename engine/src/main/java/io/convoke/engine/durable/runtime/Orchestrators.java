package io.convoke.engine.durable.runtime;

import io.convoke.engine.durable.Traces;
import io.convoke.engine.durable.Traces.Kind;
import io.convoke.engine.durable.Traces.Span;
import io.convoke.engine.durable.provider.ExecutionStatus;
import io.convoke.engine.durable.provider.Held;
import io.convoke.engine.durable.provider.HistoryEvent;
import io.convoke.engine.durable.provider.OrchestrationItem;
import io.convoke.engine.durable.provider.Provider;
import io.convoke.engine.durable.provider.ProviderFailure;
import io.convoke.engine.durable.provider.Turn;
import io.convoke.engine.durable.provider.Turn.Identity;
import io.convoke.engine.durable.provider.Turn.Outcome;
import io.convoke.engine.durable.runtime.Event.ContinuedAsNew;
import io.convoke.engine.durable.runtime.Event.End;
import io.convoke.engine.durable.runtime.Event.Started;
import io.convoke.engine.durable.runtime.Event.WorkflowCompleted;
import io.convoke.engine.durable.runtime.Event.WorkflowFailed;
import io.convoke.engine.json.Json;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import tools.jackson.core.JacksonException;

/** Executes turns: finds or replays the execution, resumes it, commits the result. */
final class Orchestrators {
  private static final Logger log = LoggerFactory.getLogger(Orchestrators.class);
  private static final Duration AGAIN = Duration.ofSeconds(1);
  private static final int AGAIN_DOUBLINGS = 5;

  private final Provider provider;
  private final Registry registry;
  private final Traces traces;
  private final Warm warm;
  private final int attemptsMax;
  private final BiConsumer<String, End> ended;

  /**
   * Over a provider.
   *
   * @param attemptsMax after so many failed turns an instance is failed @param ended receives the
   *     id of each instance whose end was committed here
   */
  Orchestrators(
      Provider provider,
      Registry registry,
      Traces traces,
      Warm warm,
      int attemptsMax,
      BiConsumer<String, End> ended) {
    this.provider = provider;
    this.registry = registry;
    this.traces = traces;
    this.warm = warm;
    this.attemptsMax = attemptsMax;
    this.ended = ended;
  }

  void turn(OrchestrationItem item) throws InterruptedException {
    if (item.attempt() > attemptsMax) {
      fail(item, "given up after " + (item.attempt() - 1) + " attempts");
      return;
    }
    Execution execution = warm.take(item).orElse(null);
    List<Envelope> messages;
    try {
      messages = inOrder(item);
      if (execution == null) {
        execution = load(item);
      }
    } catch (RuntimeException | Error e) {
      giveBack(item, Optional.ofNullable(execution), e);
      return;
    }
    Optional<Started> started = execution.started().or(() -> beginning(messages));
    if (started.isPresent()) {
      traced(item, execution, messages, started.get());
    } else {
      go(item, execution, messages);
    }
  }

  private void traced(
      OrchestrationItem item, Execution execution, List<Envelope> messages, Started started)
      throws InterruptedException {
    String traceparent = started.traceparent();
    try (MDC.MDCCloseable _ = Traceparent.logged(traceparent);
        Span span = traces.begin(Kind.TURN, started.name(), item.instanceId(), traceparent)) {
      go(item, execution, messages);
      execution.failure().ifPresent(span::failed);
    }
  }

  private void go(OrchestrationItem item, Execution execution, List<Envelope> messages)
      throws InterruptedException {
    try {
      for (Envelope message : messages) {
        execution.accept(message);
      }
    } catch (RuntimeException | Error e) {
      giveBack(item, Optional.of(execution), e);
      return;
    }
    if (execution.nobody()) {
      nobody(item, messages);
    } else {
      commit(item, execution);
    }
  }

  private void giveBack(OrchestrationItem item, Optional<Execution> execution, Throwable reason) {
    execution.ifPresent(Execution::abandon);
    log.error("{} cannot go on, attempt {}", item.instanceId(), item.attempt(), reason);
    if (item.attempt() >= attemptsMax && !(reason instanceof ProviderFailure)) {
      fail(item, "given up after " + item.attempt() + " attempts: " + ErrorText.of(reason));
      return;
    }
    Held _ = provider.abandonOrchestrationItem(item.lockToken(), later(item), false);
  }

  private static Optional<Duration> later(OrchestrationItem item) {
    return Optional.of(AGAIN.multipliedBy(1L << Math.min(item.attempt(), AGAIN_DOUBLINGS)));
  }

  /**
   * Messages for an instance that does not exist. External events wait a while for its start;
   * answers to a deleted instance are dropped.
   */
  private void nobody(OrchestrationItem item, List<Envelope> messages) {
    if (messages.stream().anyMatch(Envelope::fromOutside)) {
      log.debug("no instance {}; keeping its messages for a while", item.instanceId());
      Held _ = provider.abandonOrchestrationItem(item.lockToken(), later(item), false);
    } else {
      drop(item);
    }
  }

  private void drop(OrchestrationItem item) {
    Held _ = provider.ackOrchestrationItem(item.lockToken(), Turn.nothing(item.executionId()));
    provider.admin().forget(item.instanceId());
  }

  private static Optional<Started> beginning(List<Envelope> messages) {
    return messages.stream()
        .filter(Envelope::begins)
        .findFirst()
        .map(message -> (Started) message.arrival());
  }

  /** What begins an execution comes first, whatever was queued before it. */
  private static List<Envelope> inOrder(OrchestrationItem item) {
    return item.messages().stream()
        .map(Envelope::read)
        .sorted(Comparator.comparing(message -> !message.begins()))
        .toList();
  }

  /** The current execution, or the next one after it continued as new. */
  private Execution load(OrchestrationItem item) throws InterruptedException {
    // Before its first turn there is no history to read.
    List<Event> past =
        item.turn() == 1
            ? List.of()
            : provider.read(item.instanceId()).stream().map(Event::of).toList();
    boolean next = !past.isEmpty() && past.getLast() instanceof ContinuedAsNew;
    Execution execution =
        new Execution(item.instanceId(), item.executionId() + (next ? 1 : 0), registry);
    if (!next) {
      execution.replay(past);
    }
    return execution;
  }

  private void commit(OrchestrationItem item, Execution execution) {
    Turn turn;
    try {
      turn = turnOf(item, execution);
    } catch (RuntimeException | Error e) {
      giveBack(item, Optional.of(execution), e);
      return;
    }
    boolean stays = false;
    try {
      Held held = provider.ackOrchestrationItem(item.lockToken(), turn);
      if (held == Held.HELD) {
        execution.committed();
        stays = execution.end().isEmpty() && execution.started().isPresent();
        execution.end().ifPresent(end -> ended.accept(item.instanceId(), end));
      }
    } finally {
      if (stays) {
        warm.keep(item, execution);
      } else {
        execution.abandon();
      }
    }
  }

  private static Turn turnOf(OrchestrationItem item, Execution execution) {
    Execution.Outputs outputs = execution.outputs();
    List<HistoryEvent> lines = new ArrayList<>();
    long id = execution.committedEvents();
    for (Event event : outputs.events()) {
      lines.add(Event.line(++id, event));
    }
    boolean first = execution.committedEvents() == 0;
    Optional<Started> started = execution.started();
    if (started.isEmpty() || (outputs.events().isEmpty() && execution.end().isEmpty())) {
      return Turn.telling(item.executionId(), outputs.messages());
    }
    var messages = new ArrayList<>(outputs.messages());
    Optional<Outcome> outcome = Optional.empty();
    List<Long> cancelled = List.of();
    if (execution.end().isPresent()) {
      End end = execution.end().get();
      lines.add(Event.line(++id, end));
      outcome = Optional.of(outcome(end));
      cancelled = execution.openActivities();
      messages.addAll(Farewell.of(execution, started.get(), end));
    }
    return new Turn(
        execution.executionId(),
        first ? started.map(Orchestrators::identity) : Optional.empty(),
        lines,
        outputs.work(),
        messages,
        cancelled,
        outcome,
        outputs.customStatus());
  }

  private static Identity identity(Started started) {
    Event.Parent parent = started.parent();
    return new Identity(
        started.name(),
        started.version(),
        parent == null ? Optional.empty() : Optional.of(parent.instance()));
  }

  private static Outcome outcome(End end) {
    return switch (end) {
      case WorkflowCompleted done ->
          new Outcome(ExecutionStatus.COMPLETED, Json.write(done.output()));
      case WorkflowFailed failed -> new Outcome(ExecutionStatus.FAILED, failed.error());
      case ContinuedAsNew again ->
          new Outcome(ExecutionStatus.CONTINUED_AS_NEW, Json.write(again.input()));
    };
  }

  /** Fails an instance whose messages could not be worked off, however often they were tried. */
  private void fail(OrchestrationItem item, String error) {
    List<HistoryEvent> past = provider.read(item.instanceId());
    if (!past.isEmpty() && Event.of(past.getLast()) instanceof End) {
      Held _ = provider.ackOrchestrationItem(item.lockToken(), Turn.nothing(item.executionId()));
      return;
    }
    Optional<Started> started =
        past.isEmpty()
            ? begun(item)
            : Optional.of(Event.of(past.getFirst())).map(Started.class::cast);
    if (started.isEmpty()) {
      log.warn("no instance {}; dropped its messages", item.instanceId());
      drop(item);
      return;
    }
    log.error("{}: {}", item.instanceId(), error);
    WorkflowFailed failed = new WorkflowFailed(error);
    List<HistoryEvent> lines = new ArrayList<>();
    if (past.isEmpty()) {
      lines.add(Event.line(1, started.get()));
    }
    lines.add(Event.line(past.size() + lines.size() + 1L, failed));
    Turn turn =
        new Turn(
            item.executionId(),
            past.isEmpty() ? started.map(Orchestrators::identity) : Optional.empty(),
            lines,
            List.of(),
            Farewell.failed(started.get(), failed, started.get().at()),
            List.of(),
            Optional.of(outcome(failed)),
            Optional.empty());
    if (provider.ackOrchestrationItem(item.lockToken(), turn) == Held.HELD) {
      ended.accept(item.instanceId(), failed);
    }
  }

  /** The start among messages, if any of them can be read at all. */
  private static Optional<Started> begun(OrchestrationItem item) {
    try {
      return beginning(inOrder(item));
    } catch (JacksonException | IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}
