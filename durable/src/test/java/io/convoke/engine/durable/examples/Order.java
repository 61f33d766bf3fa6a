package io.convoke.engine.durable.examples;

import io.convoke.engine.durable.Durable;
import java.time.Duration;

/** Events from outside: kept until the workflow asks for them, in order of arrival. */
final class Order {
  static String run(String url) throws Exception {
    try (Durable engine =
        Durable.on(url)
            .workflow(
                "order",
                String.class,
                (context, item) -> {
                  int cents = context.event("paid", Integer.class).get();
                  String parcel = context.event("sent", String.class).get();
                  return item + " for " + cents + ", in " + parcel;
                })
            .start()) {
      engine.start("order", "order-8", "a book");
      engine.raise("order-8", "sent", "parcel 12");
      engine.raise("order-8", "paid", 1500);
      return engine.await("order-8", String.class, Duration.ofSeconds(30));
    }
  }
}
