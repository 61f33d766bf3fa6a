package io.convoke.engine.durable.examples;

import io.convoke.engine.durable.Durable;
import java.time.ZoneId;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A schedule: one run per tick, however many nodes there are. */
final class Report {
  static String run(String url) throws Exception {
    CompletableFuture<String> sent = new CompletableFuture<>();
    try (Durable engine =
        Durable.on(url)
            .activity("mail", String.class, (context, what) -> sent.complete("report of " + what))
            .workflow(
                "report",
                String.class,
                (context, what) -> context.activity("mail", what, Boolean.class))
            .start()) {
      ZoneId berlin = ZoneId.of("Europe/Berlin");
      engine.schedule("mornings", "30 8 * * 1-5", berlin, "report", "yesterday");
      engine.schedule("seconds", "* * * * * *", berlin, "report", "the last second");
      String first = sent.get(30, TimeUnit.SECONDS);
      boolean _ = engine.unschedule("seconds");
      return first;
    }
  }
}
