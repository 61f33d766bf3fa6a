package io.convoke.engine.durable.runtime;

import io.convoke.engine.durable.NonDeterminism;
import io.convoke.engine.durable.provider.InstanceMessage;
import io.convoke.engine.durable.provider.WorkMessage;
import io.convoke.engine.durable.runtime.Event.Arrival;
import io.convoke.engine.durable.runtime.Event.CancelRequested;
import io.convoke.engine.durable.runtime.Event.ChildScheduled;
import io.convoke.engine.durable.runtime.Event.Completed;
import io.convoke.engine.durable.runtime.Event.ContinuedAsNew;
import io.convoke.engine.durable.runtime.Event.End;
import io.convoke.engine.durable.runtime.Event.EventRaised;
import io.convoke.engine.durable.runtime.Event.Failed;
import io.convoke.engine.durable.runtime.Event.Order;
import io.convoke.engine.durable.runtime.Event.Started;
import io.convoke.engine.durable.runtime.Event.TimerFired;
import io.convoke.engine.json.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
final class Execution {
  private static final Duration STUCK_AFTER = Duration.ofSeconds(10);

  private final String instanceId;
  private final long executionId;
  private final Registry registry;
  private final List<Event> history = new ArrayList<>();
  private final Map<Long, Pledge<?>> open = new LinkedHashMap<>();
  private final Map<String, Deque<JsonNode>> raised = new HashMap<>();
  private final Map<String, Deque<Pledge<?>>> awaited = new HashMap<>();
  private int cursor;
  private int committed;

  private @Nullable Coroutine code;
  private @Nullable Started started;
  private @Nullable RuntimeException fault;
  private Optional<End> end = Optional.empty();
  private Optional<String> cancelled = Optional.empty();
  private Instant now = Instant.EPOCH;

  // The result of the current turn so far.
  private final List<WorkMessage> work = new ArrayList<>();
  private final List<InstanceMessage> messages = new ArrayList<>();
  private final List<Arrival> forNext = new ArrayList<>();
  private Optional<String> customStatus = Optional.empty();

  /** The code neither waited nor ended: it blocks on something that is not its context. */
  static final class Stuck extends RuntimeException {
    private static final long serialVersionUID = 1;

    Stuck(String instanceId) {
      super("the code of " + instanceId + " blocks on something else than its context");
    }
  }

  Execution(String instanceId, long executionId, Registry registry) {
    this.instanceId = instanceId;
    this.executionId = executionId;
    this.registry = registry;
  }

  /** The pool of an activity, as this node knows it. */
  String poolOf(String activity) {
    return registry.poolOf(activity);
  }

  /** Brings the code to where a history ends; what has ended is not run again. */
  void replay(List<Event> past) throws InterruptedException {
    for (Event event : past) {
      if (event instanceof End done) {
        end = Optional.of(done);
      } else {
        history.add(event);
      }
    }
    committed = history.size();
    if (end.isPresent()) {
      cursor = committed;
    }
    while (cursor < history.size()) {
      if (history.get(cursor) instanceof Arrival arrival) {
        cursor++;
        apply(arrival);
      } else {
        throw differs(history.get(cursor).type(), end.map(End::toString).orElse("nothing"));
      }
    }
  }

  /** Applies a message unless it is obsolete. */
  void accept(Envelope envelope) throws InterruptedException {
    Arrival arrival = envelope.arrival();
    boolean ours = envelope.execution() == Envelope.CURRENT || envelope.execution() == executionId;
    if (ours && end.isEmpty() && matters(envelope, arrival)) {
      history.add(arrival);
      cursor++;
      apply(arrival);
    } else if (end.isPresent() && end.get() instanceof ContinuedAsNew && envelope.fromOutside()) {
      forNext.add(arrival);
    } else if (arrival instanceof Started late
        && late.parent() != null
        && envelope.execution() == Envelope.CURRENT) {
      // A sub-workflow was requested under this id; its parent would wait for ever.
      String taken = "the instance id " + instanceId + " is taken";
      messages.addAll(Farewell.failed(late, new Event.WorkflowFailed(taken), late.at()));
    }
  }

  private boolean matters(Envelope envelope, Arrival arrival) {
    return switch (arrival) {
      // A repeated start may arrive while the instance continues as new; only the start
      // that was sent for it begins a later execution.
      case Started _ ->
          history.isEmpty() && (executionId == 1 || envelope.execution() == executionId);
      case Completed completed -> open.containsKey(completed.order());
      case Failed failed -> open.containsKey(failed.order());
      case TimerFired fired -> open.containsKey(fired.order());
      case EventRaised _, CancelRequested _ -> !history.isEmpty();
    };
  }

  private void apply(Arrival arrival) throws InterruptedException {
    now = arrival.at().isAfter(now) ? arrival.at() : now;
    switch (arrival) {
      case Started first -> begin(first);
      case Completed completed -> keep(completed.order(), completed.result());
      case TimerFired fired -> keep(fired.order(), Json.tree(fired.at()));
      case Failed failed -> {
        Pledge<?> pledge = open.remove(failed.order());
        if (pledge != null) {
          pledge.fail(failed.error());
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

  private void keep(long order, JsonNode result) {
    Pledge<?> pledge = open.remove(order);
    if (pledge != null) {
      pledge.keep(result);
    }
  }

  private void raise(String name, JsonNode data) {
    Pledge<?> waiting = awaited.getOrDefault(name, new ArrayDeque<>()).pollFirst();
    if (waiting == null) {
      raised.computeIfAbsent(name, key -> new ArrayDeque<>()).addLast(data);
    } else {
      waiting.keep(data);
    }
  }

  private void cancelChildren(CancelRequested request) {
    for (long order : open.keySet()) {
      if (live() && history.get(Math.toIntExact(order) - 1) instanceof ChildScheduled child) {
        messages.add(Envelope.message(child.instance(), Envelope.CURRENT, request));
      }
    }
  }

  private void begin(Started first) {
    started = first;
    Context context = new Context(this, first);
    code = new Coroutine(() -> runCode(context, first));
  }

  private void runCode(Context context, Started first) {
    try (MDC.MDCCloseable _ = Traceparent.logged(context.traceparent())) {
      Registry.Flow flow =
          registry
              .flow(first.name())
              .orElseThrow(() -> new Missing("no workflow is called " + first.name()));
      end = Optional.of(new Event.WorkflowCompleted(flow.run(context, first.input())));
    } catch (Context.Again again) {
      end = Optional.of(new Event.ContinuedAsNew(again.input()));
    } catch (NonDeterminism | Missing e) {
      fault = e;
    } catch (Coroutine.Abandoned abandoned) {
      throw abandoned;
    } catch (Throwable e) {
      // An error as well: without an end the instance would count as running for ever.
      end = Optional.of(new Event.WorkflowFailed(ErrorText.of(e)));
    }
  }

  /** A workflow that is not registered in this process; it may be in another. */
  private static final class Missing extends RuntimeException {
    private static final long serialVersionUID = 1;

    Missing(String message) {
      super(message);
    }
  }

  private void run() throws InterruptedException {
    Coroutine coroutine = code;
    if (coroutine != null && !coroutine.resume(STUCK_AFTER)) {
      throw new Stuck(instanceId);
    }
    if (fault != null) {
      throw fault;
    }
  }

  /** An order of the code: the one that the history has here, or a new one. */
  long order(Order order) {
    if (live()) {
      history.add(order);
    } else if (!(history.get(cursor) instanceof Order past && past.same(order))) {
      throw differs(history.get(cursor).toString(), order.toString());
    }
    cursor++;
    return cursor;
  }

  /** The next event in the history; empty when the code is ahead of it. */
  Optional<Event> past() {
    return live() ? Optional.empty() : Optional.of(history.get(cursor));
  }

  /** Whether the code does something for the first time. */
  boolean live() {
    return cursor == history.size();
  }

  void expect(long order, Pledge<?> pledge) {
    Pledge<?> _ = open.put(order, pledge);
  }

  /** Gives a pledge the next event of a name, now or when it comes. */
  void expect(String name, Pledge<?> pledge) {
    JsonNode data = raised.getOrDefault(name, new ArrayDeque<>()).pollFirst();
    if (data == null) {
      awaited.computeIfAbsent(name, key -> new ArrayDeque<>()).addLast(pledge);
    } else {
      pledge.keep(data);
    }
  }

  /** Parks the code; called by it. */
  void park() {
    Coroutine coroutine = code;
    if (coroutine != null) {
      coroutine.park();
    }
  }

  Optional<String> takeCancellation() {
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
    customStatus = Optional.of(status);
  }

  private NonDeterminism differs(String past, String code) {
    return new NonDeterminism(instanceId, cursor + 1L, past, code);
  }

  /** Ends the code where it is parked; this object is of no use any more. */
  void abandon() {
    if (code != null) {
      code.abandon();
    }
  }

  /** The changes since the last committed turn. */
  Outputs outputs() {
    return new Outputs(
        List.copyOf(history.subList(committed, history.size())),
        List.copyOf(work),
        List.copyOf(messages),
        customStatus);
  }

  /** The result of a turn, apart from the end of the execution. */
  record Outputs(
      List<Event> events,
      List<WorkMessage> work,
      List<InstanceMessage> messages,
      Optional<String> customStatus) {}

  /** The turn is durable. */
  void committed() {
    committed = history.size();
    work.clear();
    messages.clear();
    customStatus = Optional.empty();
  }

  /** Activities that were ordered and have not answered. */
  List<Long> openActivities() {
    return open.keySet().stream()
        .filter(id -> history.get(Math.toIntExact(id) - 1) instanceof Event.ActivityScheduled)
        .toList();
  }

  /** Events that the workflow has not consumed. */
  Map<String, Deque<JsonNode>> raised() {
    return raised;
  }

  /** What came after the end, in the same turn, for the execution that follows. */
  List<Arrival> forNext() {
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

  /** Whether it has not begun after its messages were applied: there is no such instance. */
  boolean nobody() {
    return history.isEmpty() && end.isEmpty() && messages.isEmpty();
  }

  /** Why it failed, if it did. */
  Optional<String> failure() {
    return end.filter(Event.WorkflowFailed.class::isInstance)
        .map(failed -> ((Event.WorkflowFailed) failed).error());
  }

  Instant now() {
    return now;
  }

  Optional<End> end() {
    return end;
  }

  Optional<Started> started() {
    return Optional.ofNullable(started);
  }
}
