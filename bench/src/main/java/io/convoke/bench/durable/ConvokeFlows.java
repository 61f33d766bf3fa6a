package io.convoke.bench.durable;

import io.convoke.bench.durable.WorkflowThroughput.WorkflowShape;
import io.convoke.engine.durable.Durable;
import io.convoke.engine.durable.WorkflowContext;
import java.sql.SQLException;
import java.time.Duration;

/** Convoke's workflows, written as a user writes them. */
final class ConvokeFlows implements WorkflowThroughput.WorkflowCandidate {
  private static final Duration LONG = Duration.ofSeconds(60);

  private final Durable engine;
  private final CandidateConnectionPool candidateConnectionPool;

  ConvokeFlows(String url) {
    Durable.Builder builder =
        Durable.on(url).activity("add", Integer.class, (context, input) -> input + 1);
    for (WorkflowShape shape : WorkflowShape.values()) {
      var _ =
          builder.workflow(
              shape.shown, Integer.class, (context, input) -> run(context, shape, input));
    }
    this.engine = builder.start();
    this.candidateConnectionPool = new CandidateConnectionPool(url);
  }

  @Override
  public String name() {
    return ConvokeQueue.NAME;
  }

  private static int run(WorkflowContext context, WorkflowShape shape, int input) {
    int value = input;
    for (int i = 0; i < shape.parts; i++) {
      int before = value;
      value =
          switch (shape) {
            case NOTHING -> value;
            case FIVE_STEPS -> context.step("add", Integer.class, () -> before + 1);
            case ONE_ACTIVITY, FIVE_ACTIVITIES -> context.activity("add", before, Integer.class);
          };
    }
    return value;
  }

  @Override
  public int run(WorkflowShape shape, String id) throws Exception {
    engine.start(shape.shown, id, 0);
    return engine.await(id, Integer.class, LONG);
  }

  @Override
  public void clear() throws SQLException {
    candidateConnectionPool.run("truncate durable.instances, durable.executions, durable.history");
  }

  @Override
  public void close() {
    candidateConnectionPool.close();
    engine.close();
  }
}
