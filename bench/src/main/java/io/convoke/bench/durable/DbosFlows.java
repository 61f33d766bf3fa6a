package io.convoke.bench.durable;

import dev.dbos.transact.DBOS;
import dev.dbos.transact.StartWorkflowOptions;
import dev.dbos.transact.config.DBOSConfig;
import dev.dbos.transact.workflow.Workflow;
import dev.dbos.transact.workflow.WorkflowHandle;
import java.sql.SQLException;

/** The same work on DBOS, started in the process that runs it, without a queue: its fastest way. */
final class DbosFlows implements WorkflowThroughput.WorkflowCandidate {
  private final CandidateConnectionPool candidateConnectionPool;
  private final DBOS dbos;
  private final DbosFiveSteps dbosFiveSteps;

  /** The workflow as DBOS wants to see it. */
  interface DbosFiveSteps {
    int five(int input);
  }

  /** Five steps, one after the other. */
  static final class DbosFiveStepsWorkflow implements DbosFiveSteps {
    private final DBOS dbos;

    DbosFiveStepsWorkflow(DBOS dbos) {
      this.dbos = dbos;
    }

    @Override
    @Workflow(name = "five")
    public int five(int input) {
      int value = input;
      for (int i = 0; i < WorkflowThroughput.ACTIVITIES; i++) {
        int before = value;
        value = dbos.<Integer, RuntimeException>runStep(() -> before + 1, "step");
      }
      return value;
    }
  }

  DbosFlows(String url) {
    JavaQueueLibraries.quiet();
    this.candidateConnectionPool = new CandidateConnectionPool(url);
    this.dbos =
        new DBOS(
            DBOSConfig.defaults("bench")
                .withDataSource(candidateConnectionPool.source())
                .withAppVersion("1")
                .withExecutorId("one"));
    this.dbosFiveSteps = dbos.registerProxy(DbosFiveSteps.class, new DbosFiveStepsWorkflow(dbos));
    dbos.launch();
  }

  @Override
  public String name() {
    return DbosQueue.NAME;
  }

  @Override
  public void run(String id) {
    WorkflowHandle<Integer, RuntimeException> handle =
        dbos.startWorkflow(() -> dbosFiveSteps.five(0), new StartWorkflowOptions(id));
    int result = handle.getResult();
    if (result != WorkflowThroughput.ACTIVITIES) {
      throw new IllegalStateException(id + " returned " + result);
    }
  }

  @Override
  public void clear() throws SQLException {
    candidateConnectionPool.run("truncate dbos.workflow_status cascade");
  }

  @Override
  public void close() {
    dbos.close();
    candidateConnectionPool.close();
  }
}
