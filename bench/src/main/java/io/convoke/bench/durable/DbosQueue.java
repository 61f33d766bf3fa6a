package io.convoke.bench.durable;

import dev.dbos.transact.DBOS;
import dev.dbos.transact.DBOSClient;
import dev.dbos.transact.config.DBOSConfig;
import dev.dbos.transact.workflow.Queue;
import dev.dbos.transact.workflow.Workflow;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * DBOS Transact for Java (MIT): a queue of workflows without steps, put there by its client, polled
 * each 100 ms without a limit of concurrency, so that one poll takes all there is.
 */
final class DbosQueue implements JavaQueueLibrary {
  static final String NAME = "DBOS";

  private static final String QUEUE = "bench";
  private static final Duration POLL = Duration.ofMillis(100);

  private final CandidateConnectionPool candidateConnectionPool;
  private final DBOSClient client;

  /** The workflow as DBOS wants to see it: a method of an interface. */
  interface DbosItemWorkflow {
    void item(String payload);
  }

  /** Reports its start and does nothing else. */
  static final class DbosItemReporter implements DbosItemWorkflow {
    private final Consumer<String> begun;

    DbosItemReporter(Consumer<String> begun) {
      this.begun = begun;
    }

    @Override
    @Workflow(name = "item")
    public void item(String payload) {
      begun.accept(payload);
    }
  }

  DbosQueue(String url) throws Exception {
    this.candidateConnectionPool = new CandidateConnectionPool(url);
    try (DBOS schema = new DBOS(config().withListenQueue("nothing"))) {
      schema.launch();
    }
    this.client = new DBOSClient(candidateConnectionPool.source());
  }

  private DBOSConfig config() {
    return DBOSConfig.defaults(QUEUE)
        .withDataSource(candidateConnectionPool.source())
        .withAppVersion("1")
        .withExecutorId("one");
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public int most() {
    return Integer.MAX_VALUE;
  }

  @Override
  public void put(String payload) {
    var _ =
        client.enqueueWorkflow(
            new DBOSClient.EnqueueOptions("item", DbosItemReporter.class.getName(), QUEUE),
            new Object[] {payload});
  }

  @Override
  public QueueWorkers workers(int count, Consumer<String> begun) {
    DBOS dbos = new DBOS(config().withListenQueue(QUEUE));
    Queue queue = new Queue(QUEUE).withPollingInterval(POLL);
    dbos.registerQueue(count == Integer.MAX_VALUE ? queue : queue.withWorkerConcurrency(count));
    DbosItemWorkflow _ = dbos.registerProxy(DbosItemWorkflow.class, new DbosItemReporter(begun));
    dbos.launch();
    return dbos::close;
  }

  @Override
  public long queued() throws SQLException {
    return candidateConnectionPool.count(
        "select count(*) from dbos.workflow_status where status in ('ENQUEUED', 'PENDING')");
  }

  @Override
  public void clear() throws SQLException {
    candidateConnectionPool.run("truncate dbos.workflow_status cascade");
  }

  @Override
  public void close() {
    client.close();
    candidateConnectionPool.close();
  }
}
