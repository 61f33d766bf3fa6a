package io.convoke.bench.durable;

import io.convoke.engine.durable.Durable;
import java.sql.SQLException;
import java.time.Duration;

/** Convoke's workflows, written as a user writes them. */
final class ConvokeFlows implements WorkflowThroughput.WorkflowCandidate {
  private static final Duration LONG = Duration.ofSeconds(60);

  private final Durable engine;
  private final CandidateConnectionPool candidateConnectionPool;

  ConvokeFlows(String url) {
    this.engine =
        Durable.on(url)
            .activity("step", Integer.class, (context, input) -> input + 1)
            .workflow(
                "five",
                Integer.class,
                (context, input) -> {
                  int value = input;
                  for (int i = 0; i < WorkflowThroughput.ACTIVITIES; i++) {
                    value = context.activity("step", value, Integer.class);
                  }
                  return value;
                })
            .start();
    this.candidateConnectionPool = new CandidateConnectionPool(url);
  }

  @Override
  public String name() {
    return ConvokeQueue.NAME;
  }

  @Override
  public void run(String id) throws Exception {
    engine.start("five", id, 0);
    int result = engine.await(id, Integer.class, LONG);
    if (result != WorkflowThroughput.ACTIVITIES) {
      throw new IllegalStateException(id + " returned " + result);
    }
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
