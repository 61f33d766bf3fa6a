package io.convoke.engine.durable.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.durable.Durable;
import io.convoke.engine.durable.provider.LongPollConfig;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A job wakes dispatchers of its own name, on this node and on others. */
class JobWakesTest extends NodeTestKit {
  private static final LongPollConfig ON = LongPollConfig.defaults().on();
  private static final int NAMES = 30;
  private static final int JOBS = 60;

  @Test
  void aJobMakesOnlyDispatchersOfItsNameClaim() throws Exception {
    LinkedBlockingQueue<String> ran = new LinkedBlockingQueue<>();
    PostgresProvider node = provider(ON);
    Durable.Builder builder = Durable.over(node, ON);
    for (int i = 0; i < NAMES; i++) {
      Durable.Builder _ = builder.job("job " + i, String.class, (context, input) -> ran.add(input));
    }
    try (Durable engine = builder.start();
        Durable client = Durable.over(provider(ON), ON).connect()) {
      await("the node listens", node::announced);
      long before = settled(node::claims);
      for (int i = 0; i < JOBS; i++) {
        for (Durable from : new Durable[] {engine, client}) {
          String _ = from.enqueue("job 7", "x");
          assertThat(ran.poll(20, TimeUnit.SECONDS)).isEqualTo("x");
        }
      }
      assertThat(settled(node::claims) - before).isLessThan(2 * JOBS * NAMES / 3);
    }
  }
}
