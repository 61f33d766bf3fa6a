package io.convoke.server.audit;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Query;
import io.convoke.engine.sql.SqlFailure;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.engine.sql.Tx;
import io.convoke.server.audit.AuditEntry.NewAuditEntry;
import io.convoke.server.http.ActionDetails;
import io.convoke.server.http.ActionRecorder;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.Request;
import io.convoke.server.http.Response;
import io.convoke.server.loop.PeriodicTask;
import io.convoke.server.loop.QueryBatcher;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes one row for each action. The first transaction that the handler commits carries the row,
 * so the change and its record exist both or not at all. An action without a transaction on the
 * handler's own thread (a task in Redis, a workflow) is recorded after it and before its answer; if
 * Postgres is away then, the row waits for it in memory.
 */
public final class AuditLog implements ActionRecorder, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(AuditLog.class);
  private static final ScopedValue<PendingAction> CURRENT = ScopedValue.newInstance();
  private static final Duration WRITE_MAX = Duration.ofSeconds(8);
  private static final Duration PRUNE_EVERY = Duration.ofHours(1);
  private static final int ROWS_MAX = 500;
  private static final int TRIPS_MAX = 2;
  private static final int WAITING_MAX = 10_000;
  private static final int PRUNED_AT_ONCE = 1000;

  private final Database database;
  private final Duration kept;
  private final InstantSource clock;
  private final Counter unwritten;
  private final QueryBatcher<NewAuditEntry, Boolean> later =
      new QueryBatcher<>("audit", ROWS_MAX, TRIPS_MAX, WAITING_MAX, this::write);
  private final AuditBacklog backlog =
      new AuditBacklog(
          entries -> {
            var _ = write(entries);
          });
  private final PeriodicTask retention =
      new PeriodicTask("audit-retention", PRUNE_EVERY, this::prune);

  /** The action of the handler that runs on this thread. */
  private static final class PendingAction {
    private final Endpoint endpoint;
    private final Request request;
    private boolean written;

    private PendingAction(Endpoint endpoint, Request request) {
      this.endpoint = endpoint;
      this.request = request;
    }

    private NewAuditEntry entry() {
      ActionDetails details = request.action();
      return new NewAuditEntry(
          Optional.empty(),
          endpoint.id(),
          request.caller().scope(),
          request.caller().keyId(),
          request.peer(),
          details.target().orElseGet(this::path),
          details.before(),
          details.after());
    }

    private String path() {
      String path = endpoint.path();
      for (String name : endpoint.pathParameters()) {
        path = path.replace("{" + name + "}", request.path(name));
      }
      return path;
    }
  }

  /**
   * @param kept how long rows are kept; zero is for ever
   */
  public AuditLog(Database database, Duration kept, MeterRegistry meters, InstantSource clock) {
    this.database = database;
    this.clock = clock;
    this.kept = kept;
    this.unwritten =
        Counter.builder("convoke.audit.unwritten")
            .description("Actions that happened and could not be recorded.")
            .register(meters);
  }

  /** Adds rows to the transactions of these databases, which hold the table. */
  public void follow(Database... databases) {
    for (Database each : databases) {
      each.beforeEachCommit(AuditLog::statements);
    }
  }

  /** Starts to delete old rows, and to write those that wait. */
  public void start() {
    backlog.start();
    if (!kept.isZero()) {
      retention.startAfter(PRUNE_EVERY);
    }
  }

  @Override
  public Response run(Endpoint endpoint, Request request, Callable<Response> work)
      throws Exception {
    PendingAction action = new PendingAction(endpoint, request);
    Response response = ScopedValue.where(CURRENT, action).call(work::call);
    if (!action.written) {
      writeAfter(action.entry());
    }
    return response;
  }

  private static List<Query> statements(Tx tx) {
    if (!CURRENT.isBound() || CURRENT.get().written) {
      return List.of();
    }
    PendingAction action = CURRENT.get();
    tx.afterCommit(() -> action.written = true);
    return List.of(action.entry().insert(tx));
  }

  /** Writes the row now, or after those that already wait for Postgres. */
  private void writeAfter(NewAuditEntry entry) {
    if (!backlog.isEmpty()) {
      writeLater(entry);
      return;
    }
    try {
      boolean _ = later.submit(entry, WRITE_MAX);
    } catch (StoreUnavailable _) {
      writeLater(entry);
    } catch (SqlFailure e) {
      unwritten.increment();
      log.error("Audit row not written: {}", shown(entry), e);
    }
  }

  private void writeLater(NewAuditEntry entry) {
    if (backlog.add(entry.at(clock.instant()))) {
      log.warn("Audit row waits for Postgres: {}", shown(entry));
    } else {
      unwritten.increment();
      log.error("Audit row not written, too many wait: {}", shown(entry));
    }
  }

  private static String shown(NewAuditEntry entry) {
    return "%s of %s by %s (key %s) from %s"
        .formatted(
            entry.action(),
            entry.target(),
            entry.actor(),
            entry.keyId().map(String::valueOf).orElse("none"),
            entry.address());
  }

  private List<Boolean> write(List<NewAuditEntry> entries) {
    database.run(tx -> tx.run(entries.stream().map(entry -> entry.insert(tx)).toList()));
    return Collections.nCopies(entries.size(), true);
  }

  /** Rows with a smaller number, newest first. */
  List<AuditEntry> list(long before, int limit) {
    return database.read(
        tx ->
            tx.sql(
                    "select "
                        + AuditEntry.COLUMNS
                        + " from audit_log where id < ? order by id desc limit ?")
                .with(before, limit)
                .list(AuditEntry::of));
  }

  /** Deletes rows that are older than they are kept, batch after batch. */
  Duration prune() {
    int pruned;
    do {
      pruned =
          database.read(
              tx ->
                  tx.sql(
                          """
                          delete from audit_log where id in (
                            select id from audit_log
                            where at < now() - ?::float8 * interval '1 millisecond'
                            order by at limit ?)
                          """)
                      .with(kept, PRUNED_AT_ONCE)
                      .update());
    } while (pruned == PRUNED_AT_ONCE && !retention.closed());
    return PRUNE_EVERY;
  }

  @Override
  public void close() {
    retention.close();
    backlog.close();
  }
}
