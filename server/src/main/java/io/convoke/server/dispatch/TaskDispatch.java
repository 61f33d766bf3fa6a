package io.convoke.server.dispatch;

import io.convoke.engine.dispatch.Dispatch;
import io.convoke.engine.dispatch.DispatchTerms;
import io.convoke.engine.dispatch.Ledger;
import io.convoke.engine.dispatch.PostgresLedger;
import io.convoke.engine.dispatch.TaskLists;
import io.convoke.engine.dispatch.Tasks;
import io.convoke.engine.dispatch.Tender;
import io.convoke.engine.journal.Journal;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.seal.AccessTokens;
import io.convoke.engine.seal.SecretBox;
import io.convoke.engine.sql.Database;
import io.convoke.engine.wake.Listener;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.Health;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Dispatch of tasks, ready to be wired: its endpoints serve role {@code api}, {@link #start} adds
 * the work of role {@code dispatch}.
 */
public final class TaskDispatch implements AutoCloseable {
  private final Redis redis;
  private final Ledger ledger;
  private final Tasks tasks;
  private final DispatchTerms terms;
  private final Dispatch dispatch;
  private final DispatchMeters meters;
  private final List<Endpoint> endpoints;
  private final Duration lookBound;
  private final Optional<Database> rows;
  private final Duration kept;
  private volatile @Nullable Tender tender;
  private @Nullable TaskRetention retention;

  /**
   * What an operator decides of tasks.
   *
   * @param remembers whether accepted tasks are written down in Postgres
   * @param kept how long they stay there after their end; zero is for ever
   */
  public record Terms(DispatchTerms dispatch, boolean remembers, Duration kept) {}

  /** Connects the parts; nothing is tended before {@link #start}. */
  public TaskDispatch(
      Redis redis,
      Database database,
      Journal journal,
      SecretBox secrets,
      Terms all,
      MeterRegistry registry) {
    this.redis = redis;
    this.terms = all.dispatch();
    this.kept = all.kept();
    this.rows = Optional.of(database).filter(_ -> all.remembers());
    this.meters = new DispatchMeters(registry);
    TaskEvents events = new TaskEvents(journal, meters);
    this.ledger = all.remembers() ? new PostgresLedger(database, events) : Ledger.NONE;
    this.tasks = new Tasks(redis, terms);
    this.dispatch = new Dispatch(tasks, ledger);
    this.lookBound = terms.idle().multipliedBy(2);
    meters.watch(dispatch::survey);
    this.endpoints = new ArrayList<>();
    endpoints.addAll(
        new TaskEndpoints(
                dispatch,
                rows.map(TaskLists::new),
                journal,
                new AccessTokens(secrets),
                meters,
                terms)
            .endpoints());
    endpoints.addAll(
        new DeadLetterEndpoints(
                dispatch,
                rows.map(it -> new DeadLetters(it, events)),
                new Requeue(dispatch, secrets))
            .endpoints());
  }

  public List<Endpoint> endpoints() {
    return List.copyOf(endpoints);
  }

  /** Hears on {@link PostgresLedger#CHANNEL} what servers left that do not reach Redis. */
  public Listener.Receiver receiver() {
    return new Listener.Receiver() {
      @Override
      public void notified(String payload) {
        dispatch.tellUnheard();
      }

      @Override
      public void rescan() {
        dispatch.tellUnheard();
      }
    };
  }

  /** Begins to tend: timeouts, leases, overflow, the ledger, what Redis forgot. */
  public void start() {
    tender = new Tender(tasks, ledger, terms, meters);
    if (!kept.isZero()) {
      rows.ifPresent(database -> retention = new TaskRetention(database, kept));
    }
  }

  /** Whether tasks reach pods, and whether those that should are tended here. */
  public Health.Reading health() {
    if (!redis.available()) {
      return Health.Reading.degraded(
          ledger.remembers()
              ? "Redis is out of reach; tasks are accepted and wait"
              : "Redis is out of reach; without a ledger no task is accepted");
    }
    Tender current = tender;
    if (current != null && current.sinceLook().compareTo(lookBound) > 0) {
      return Health.Reading.degraded(
          "tasks have not been tended here for " + current.sinceLook().toSeconds() + " s");
    }
    int owed = dispatch.owed();
    return owed == 0
        ? Health.Reading.ok()
        : Health.Reading.degraded(owed + " accepted tasks are on their way to Redis");
  }

  Optional<Tender> tender() {
    return Optional.ofNullable(tender);
  }

  @Override
  public void close() {
    Tender current = tender;
    if (current != null) {
      current.close();
    }
    if (retention != null) {
      retention.close();
    }
    dispatch.close();
  }
}
