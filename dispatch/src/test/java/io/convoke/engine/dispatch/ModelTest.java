package io.convoke.engine.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.redis.Redis;
import io.convoke.engine.state.TransitionTable.Transition;
import io.convoke.simulator.stores.LocalStores;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * The Lua scripts implement the reducer. A longer run, with another seed:
 *
 * <pre>
 * ./convoke test --only ModelTest -Dconvoke.model.operations=2000000 -Dconvoke.model.seed=7
 * </pre>
 */
class ModelTest {
  private static final long OPERATIONS = Long.getLong("convoke.model.operations", 20_000);
  private static final long SEED = Long.getLong("convoke.model.seed", 20_250_113);

  @Test
  void noFunctionEverDoesWhatTheModelDoesNot() {
    try (Redis redis = Redis.open(LocalStores.forTests().redis().url())) {
      ModelRun run = new ModelRun(redis, 100, SEED, "model-" + SEED + "-");
      Map<String, Long> counts = run.run(OPERATIONS);
      System.out.println("model: seed " + SEED + ", " + counts);
      assertThat(counts)
          .containsOnlyKeys(
              "enqueue",
              "again",
              "claim",
              "renew",
              "complete",
              "fail",
              "retry",
              "hand back",
              "stop",
              "expire",
              "reclaim",
              "overflow",
              "drain",
              "rebuild");
      assertThat(run.seen())
          .containsExactlyInAnyOrderElementsOf(
              TaskLifecycle.TABLE.rows().stream()
                  .map(row -> new Transition(row.from(), "", row.to()))
                  .collect(Collectors.toSet()));
    }
  }
}
