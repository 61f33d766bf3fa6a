package io.convoke.engine.durable.examples;

import io.convoke.engine.durable.Durable;
import io.convoke.engine.durable.WorkflowCancelledException;
import java.time.Duration;

/** Cancellation: thrown once where the workflow waits, which may clean up. */
final class Booking {
  static String run(String url) throws Exception {
    try (Durable engine =
        Durable.on(url)
            .activity("release", String.class, (context, seat) -> seat + " is free again")
            .workflow(
                "booking",
                String.class,
                (context, seat) -> {
                  try {
                    return context.event("paid", String.class).get();
                  } catch (WorkflowCancelledException e) {
                    return context.activity("release", seat, String.class) + ": " + e.getMessage();
                  }
                })
            .start()) {
      engine.start("booking", "booking-3", "seat 12");
      engine.cancel("booking-3", "changed my mind");
      return engine.await("booking-3", String.class, Duration.ofSeconds(30));
    }
  }
}
