package io.convoke.engine.durable.examples;

import io.convoke.engine.durable.Durable;
import io.convoke.engine.durable.Workflow;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Versions: an instance that began with the old code ends with it under the new code. */
final class Shipping {
  static String run(String url) throws Exception {
    try (Durable before =
        node(
            url,
            (context, item) -> {
              String way = context.activity("send", "by post", String.class);
              return way + context.event("arrived", String.class).get();
            })) {
      before.start("ship", "old", "book");
      while (before.instance("old").isEmpty()) {
        LockSupport.parkNanos(10_000_000);
      }
    }
    try (Durable after =
        node(
            url,
            (context, item) -> {
              boolean flies = context.version("drones", 1) >= 1;
              String way = context.activity("send", flies ? "by drone" : "by post", String.class);
              return way + context.event("arrived", String.class).get();
            })) {
      after.start("ship", "new", "book");
      after.raise("old", "arrived", "!");
      after.raise("new", "arrived", "!");
      return after.await("old", String.class, Duration.ofSeconds(30))
          + after.await("new", String.class, Duration.ofSeconds(30));
    }
  }

  private static Durable node(String url, Workflow<String, String> ship) {
    return Durable.on(url)
        .activity("send", String.class, (context, how) -> how)
        .workflow("ship", String.class, ship)
        .start();
  }
}
