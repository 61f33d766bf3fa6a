package io.convoke.engine.durable.examples;

import io.convoke.engine.durable.Durable;
import io.convoke.engine.durable.Promise;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** A race: an answer or the end of patience, whichever comes first. */
final class Approval {
  static String run(String url) throws Exception {
    try (Durable engine =
        Durable.on(url)
            .workflow(
                "approval",
                Duration.class,
                (context, patience) -> {
                  Promise<String> answer = context.event("answer", String.class);
                  Promise<Instant> timeout = context.timer(patience);
                  return context.select(List.of(answer, timeout)) == 0 ? answer.get() : "nobody";
                })
            .start()) {
      engine.start("approval", "patient", Duration.ofHours(1));
      engine.raise("patient", "answer", "yes");
      engine.start("approval", "hasty", Duration.ofMillis(50));
      return engine.await("patient", String.class, Duration.ofSeconds(30))
          + ", "
          + engine.await("hasty", String.class, Duration.ofSeconds(30));
    }
  }
}
