package io.convoke.engine.durable.examples;

import io.convoke.engine.durable.Durable;
import java.time.Duration;

/** A timer: it may take days, and the process may be restarted meanwhile. */
final class Reminder {
  static String run(String url) throws Exception {
    try (Durable engine =
        Durable.on(url)
            .activity("mail", String.class, (context, text) -> "sent: " + text)
            .workflow(
                "trial",
                Duration.class,
                (context, length) -> {
                  context.sleep(length);
                  return context.activity("mail", "your trial is over", String.class);
                })
            .start()) {
      engine.start("trial", "trial-of-ann", Duration.ofMillis(200));
      return engine.await("trial-of-ann", String.class, Duration.ofSeconds(30));
    }
  }
}
