package io.convoke.engine.durable.examples;

import io.convoke.engine.durable.ActivityOptions;
import io.convoke.engine.durable.Durable;
import io.convoke.engine.durable.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Fan-out and fan-in: many activities at once, on all nodes, and then all their results. */
final class Squares {
  static String run(String url) throws Exception {
    try (Durable engine =
        Durable.on(url)
            .activity("square", Integer.class, (context, n) -> n * n)
            .workflow(
                "squares",
                Integer.class,
                (context, count) -> {
                  List<Promise<Integer>> squares = new ArrayList<>();
                  for (int n = 1; n <= count; n++) {
                    squares.add(context.order("square", n, Integer.class, ActivityOptions.ONCE));
                  }
                  return context.all(squares).stream().mapToInt(n -> n).sum();
                })
            .start()) {
      engine.start("squares", "squares-20", 20);
      return "sum " + engine.await("squares-20", Integer.class, Duration.ofSeconds(30));
    }
  }
}
