package io.convoke.engine.durable.examples;

import io.convoke.engine.durable.Durable;
import io.convoke.engine.durable.Promise;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** A race between an answer and a timeout. */
final class Approval {
  static String run(String url) throws Exception {
    try (Durable engine =
        Durable.on(url)
            .workflow(
                "approval",
                Duration.class,
                (context, limit) -> {
                  Promise<String> answer = context.event("answer", String.class);
                  Promise<Instant> timeout = context.timer(limit);
                  return context.select(List.of(answer, timeout)) == 0 ? answer.get() : "no answer";
                })
            .start()) {
      engine.start("approval", "slow", Duration.ofHours(1));
      engine.raise("slow", "answer", "yes");
      engine.start("approval", "fast", Duration.ofMillis(50));
      return engine.await("slow", String.class, Duration.ofSeconds(30))
          + ", "
          + engine.await("fast", String.class, Duration.ofSeconds(30));
    }
  }
}
