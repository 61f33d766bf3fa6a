package io.convoke.bench.durable;

import dev.dbos.transact.DBOS;
import dev.dbos.transact.StartWorkflowOptions;
import dev.dbos.transact.config.DBOSConfig;
import dev.dbos.transact.workflow.Workflow;
import dev.dbos.transact.workflow.WorkflowHandle;
import io.convoke.bench.durable.WorkflowThroughput.WorkflowShape;
import java.sql.SQLException;

/** The same work on DBOS, started in the process that runs it, without a queue: its fastest way. */
final class DbosFlows implements WorkflowThroughput.WorkflowCandidate {
  private final CandidateConnectionPool candidateConnectionPool;
  private final DBOS dbos;
  private final DbosWorkflows workflows;

  /** The workflows as DBOS wants to see them. */
  interface DbosWorkflows {
    int nothing(int input);

    int five(int input);
  }

  /** A workflow that does nothing, and one of five steps, one after the other. */
  static final class DbosWorkflowsCode implements DbosWorkflows {
    private final DBOS dbos;

    DbosWorkflowsCode(DBOS dbos) {
      this.dbos = dbos;
    }

    @Override
    @Workflow(name = "nothing")
    public int nothing(int input) {
      return input;
    }

    @Override
    @Workflow(name = "five")
    public int five(int input) {
      int value = input;
      for (int i = 0; i < WorkflowShape.FIVE_STEPS.parts; i++) {
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
    this.workflows = dbos.registerProxy(DbosWorkflows.class, new DbosWorkflowsCode(dbos));
    dbos.launch();
  }

  @Override
  public String name() {
    return DbosQueue.NAME;
  }

  @Override
  public int run(WorkflowShape shape, String id) {
    StartWorkflowOptions options = new StartWorkflowOptions(id);
    WorkflowHandle<Integer, RuntimeException> handle =
        switch (shape) {
          case NOTHING -> dbos.startWorkflow(() -> workflows.nothing(0), options);
          case FIVE_STEPS -> dbos.startWorkflow(() -> workflows.five(0), options);
          case ONE_ACTIVITY, FIVE_ACTIVITIES ->
              throw new IllegalArgumentException("DBOS has no activities");
        };
    return handle.getResult();
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
