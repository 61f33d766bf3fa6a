package io.convoke.engine.durable.examples;

import io.convoke.engine.durable.ActivityFailedException;
import io.convoke.engine.durable.Durable;
import java.time.Duration;

/** Sub-workflows: instances of their own that the parent waits for. */
final class Trip {
  static String run(String url) throws Exception {
    try (Durable engine =
        Durable.on(url)
            .workflow(
                "book",
                String.class,
                (context, what) -> {
                  if (what.equals("hotel")) {
                    throw new IllegalStateException("no room");
                  }
                  return what + " booked";
                })
            .workflow(
                "trip",
                String.class,
                (context, id) -> {
                  String train = context.child("book", id + "-train", "train", String.class).get();
                  try {
                    return context.child("book", id + "-hotel", "hotel", String.class).get();
                  } catch (ActivityFailedException e) {
                    return train + ", but " + e.getMessage();
                  }
                })
            .start()) {
      engine.start("trip", "trip-1", "trip-1");
      return engine.await("trip-1", String.class, Duration.ofSeconds(30));
    }
  }
}
