package io.convoke.bench.durable;

import dev.dbos.transact.DBOS;
import dev.dbos.transact.StartWorkflowOptions;
import dev.dbos.transact.config.DBOSConfig;
import dev.dbos.transact.workflow.Workflow;
import dev.dbos.transact.workflow.WorkflowHandle;
import java.sql.SQLException;

/** The same work on DBOS, started in the process that runs it, without a queue: its fastest way. */
final class DbosFlows implements Flows.Engine {
  private final Pool pool;
  private final DBOS dbos;
  private final Five five;

  /** The workflow as DBOS wants to see it. */
  interface Five {
    int five(int input);
  }

  /** Five steps, one after the other. */
  static final class Steps implements Five {
    private final DBOS dbos;

    Steps(DBOS dbos) {
      this.dbos = dbos;
    }

    @Override
    @Workflow(name = "five")
    public int five(int input) {
      int value = input;
      for (int i = 0; i < Flows.ACTIVITIES; i++) {
        int before = value;
        value = dbos.<Integer, RuntimeException>runStep(() -> before + 1, "step");
      }
      return value;
    }
  }

  DbosFlows(String url) {
    Libraries.quiet();
    this.pool = new Pool(url);
    this.dbos =
        new DBOS(
            DBOSConfig.defaults("bench")
                .withDataSource(pool.source())
                .withAppVersion("1")
                .withExecutorId("one"));
    this.five = dbos.registerProxy(Five.class, new Steps(dbos));
    dbos.launch();
  }

  @Override
  public String name() {
    return DbosQueue.NAME;
  }

  @Override
  public void run(String id) {
    WorkflowHandle<Integer, RuntimeException> handle =
        dbos.startWorkflow(() -> five.five(0), new StartWorkflowOptions(id));
    int result = handle.getResult();
    if (result != Flows.ACTIVITIES) {
      throw new IllegalStateException(id + " came to " + result);
    }
  }

  @Override
  public void clear() throws SQLException {
    pool.run("truncate dbos.workflow_status cascade");
  }

  @Override
  public void close() {
    dbos.close();
    pool.close();
  }
}
