package io.convoke.engine.durable.examples;

import io.convoke.engine.durable.ActivityOptions;
import io.convoke.engine.durable.Durable;
import io.convoke.engine.durable.RetryPolicy;
import java.io.IOException;
import java.time.Duration;

/** An activity with retries, a time limit and heartbeats. */
final class Payment {
  private static final ActivityOptions CAREFULLY =
      ActivityOptions.retried(RetryPolicy.attempts(5, Duration.ofMillis(20)))
          .within(Duration.ofSeconds(30))
          .beating(Duration.ofSeconds(5));

  static String run(String url) throws Exception {
    try (Durable engine =
        Durable.on(url)
            .activity(
                "charge",
                Integer.class,
                (context, cents) -> {
                  if (context.attempt() < 3) {
                    throw new IOException("the bank is away");
                  }
                  context.heartbeat();
                  return cents + " paid once, as " + context.key();
                })
            .workflow(
                "checkout",
                Integer.class,
                (context, cents) -> context.activity("charge", cents, String.class, CAREFULLY))
            .start()) {
      engine.start("checkout", "order-7", 4200);
      return engine.await("order-7", String.class, Duration.ofSeconds(30));
    }
  }
}
