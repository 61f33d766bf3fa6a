package io.convoke.engine.dispatch;

import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.engine.wake.Pause;
import io.convoke.engine.wake.Supervised;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The front of dispatch: takes tasks in, stops them, tells how they stand. With a ledger, what was
 * taken in reaches an end whatever happens to Redis, and neither taking in nor stopping fails
 * because Redis is away.
 */
public final class Dispatch implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Dispatch.class);
  private static final Duration AGAIN = Duration.ofMillis(500);
  private static final int OWED_MAX = 10_000;
  private static final int PAGE = 500;

  /** For so long an accepted task may be on its way to Redis. */
  private static final Duration ON_ITS_WAY = Duration.ofSeconds(60);

  private final Tasks tasks;
  private final Ledger ledger;
  private final Pause pause = new Pause();

  /** Tasks that Redis has something to hear about; a server that dies leaves them to a tender. */
  private final Set<String> owed = ConcurrentHashMap.newKeySet();

  /** Whether another server has asked for help. */
  private final AtomicBoolean called = new AtomicBoolean();

  private final Supervised payer;

  public Dispatch(Tasks tasks, Ledger ledger) {
    this.tasks = tasks;
    this.ledger = ledger;
    this.payer = Supervised.start("dispatch-owed", this::pay);
    tasks.redis().onConnect(pause::wake);
  }

  /**
   * Takes a task in; the same request again gets the same task.
   *
   * @throws RedisUnavailable without a ledger, when Redis is away
   * @throws StoreUnavailable with one, when it is out of reach; nothing was accepted then
   */
  public Enqueued submit(NewTask task) {
    if (!ledger.remembers()) {
      return tasks.enqueue(task);
    }
    Optional<String> generation = generation(task);
    return switch (ledger.accept(task)) {
      case Ledger.Accepted.New _ -> enqueue(task, generation);
      case Ledger.Accepted.Known(String id) ->
          find(id)
              .<Enqueued>map(Enqueued.Known::new)
              .orElseThrow(() -> new StoreUnavailable("the task of this request is just written"));
      case Ledger.Accepted.IdTaken _ -> new Enqueued.IdTaken();
      case Ledger.Accepted.ChannelBusy(String holder) -> new Enqueued.ChannelBusy(holder);
    };
  }

  /**
   * Wants a task to stop, for good.
   *
   * @throws RedisUnavailable without a ledger, when Redis is away
   */
  public Stopped stop(String id) {
    boolean open = ledger.wantStop(id);
    try {
      Stopped stopped = tasks.stop(id, open ? ON_ITS_WAY : Duration.ZERO);
      if (stopped.word() != Word.UNKNOWN) {
        return stopped;
      }
    } catch (RedisUnavailable e) {
      if (!ledger.remembers()) {
        throw e;
      }
      if (open) {
        owe(id);
        ledger.callOthers();
      }
    }
    return ledger
        .find(id)
        .map(task -> new Stopped(open ? Word.APPLIED : Word.REPEATED, Optional.of(task)))
        .orElseGet(() -> new Stopped(Word.UNKNOWN, Optional.empty()));
  }

  /** The task as Redis has it, else as the ledger last heard of it. */
  public Optional<Task> find(String id) {
    try {
      Optional<Task> task = tasks.find(id);
      if (task.isPresent()) {
        return task;
      }
    } catch (RedisUnavailable e) {
      if (!ledger.remembers()) {
        throw e;
      }
    }
    return ledger.find(id);
  }

  /**
   * How the regions stand that have a task or a live pod.
   *
   * @throws RedisUnavailable when Redis is away
   */
  public Survey survey() {
    return tasks.survey();
  }

  /**
   * Has a pod take no task, or tasks again; what it runs comes to its end. The pod itself remembers
   * it if Redis does not; a pod that starts again is another one.
   *
   * @return the pod as it stands then; empty when no such pod lives
   * @throws RedisUnavailable when Redis is away
   */
  public Optional<LivePod> drain(String pod, boolean drain) {
    if (tasks.drain(pod, drain) == Word.UNKNOWN) {
      return Optional.empty();
    }
    return survey().pods().stream().filter(each -> each.name().equals(pod)).findFirst();
  }

  /** Another server does not reach Redis: tells it what that one left in the ledger. */
  public void tellUnheard() {
    called.set(true);
    pause.wake();
  }

  /** Tasks that this server accepted or stopped and could not tell Redis of yet. */
  public int owed() {
    return owed.size();
  }

  @Override
  public void close() {
    pause.close();
    payer.close();
  }

  /** Asked before the ledger: a server that hangs in between must not bring what has ended. */
  private Optional<String> generation(NewTask task) {
    try {
      return Optional.of(tasks.generation(task));
    } catch (RedisUnavailable e) {
      return Optional.empty();
    }
  }

  private Enqueued enqueue(NewTask task, Optional<String> generation) {
    try {
      Optional<Enqueued> taken = generation.flatMap(known -> tasks.enqueueLedgered(task, known));
      if (taken.isPresent()) {
        return told(task, taken.get());
      }
    } catch (RedisUnavailable e) {
      log.debug("task {} is accepted and waits for Redis", task.id());
    }
    owe(task.id());
    return new Enqueued.Created(ledger.find(task.id()).orElseThrow());
  }

  private Enqueued told(NewTask task, Enqueued answer) {
    return switch (answer) {
      case Enqueued.Created created -> created;
      // A tender was faster.
      case Enqueued.Known(Task known) when known.id().equals(task.id()) ->
          new Enqueued.Created(known);
      // Redis remembers more than the ledger: what is refused must not be found there and run.
      case Enqueued.Known _, Enqueued.IdTaken _, Enqueued.ChannelBusy _, Enqueued.QueueFull _ -> {
        ledger.reject(task.id());
        yield answer;
      }
    };
  }

  /** A tender would find it too, but later. */
  private void owe(String id) {
    if (owed.size() < OWED_MAX) {
      boolean _ = owed.add(id);
      pause.wake();
    }
  }

  /** Tells Redis by way of the ledger, which knows by now what else is wanted of these tasks. */
  private void pay() throws InterruptedException {
    List<String> ids = owed.stream().limit(PAGE).toList();
    boolean forOthers = called.getAndSet(false);
    if (ids.isEmpty() && !forOthers) {
      boolean _ = pause.await(Duration.ofMinutes(1));
      return;
    }
    // First, so that what is wanted from now on is owed anew.
    ids.forEach(owed::remove);
    try {
      if (tasks.takeIn(() -> unheard(ids, forOthers))) {
        return;
      }
      log.debug("{} tasks wait until Redis is compared with the ledger", ids.size());
    } catch (RedisUnavailable | StoreUnavailable e) {
      log.debug("{} tasks wait for Redis or Postgres to come back", ids.size());
    }
    owed.addAll(ids);
    boolean _ = pause.await(AGAIN);
  }

  private List<OpenTask> unheard(List<String> own, boolean others) {
    List<OpenTask> all = new ArrayList<>(own.isEmpty() ? List.of() : ledger.open(own));
    if (others) {
      all.addAll(ledger.unheard(PAGE));
    }
    return all;
  }
}
