package io.convoke.engine.durable.examples;

import io.convoke.engine.durable.ActivityOptions;
import io.convoke.engine.durable.Durable;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** A limit by key: two calls of one customer at a time, over all nodes. */
final class Turnstile {
  private static final ActivityOptions TWO = ActivityOptions.ONCE.atMost(2, "customer 42");

  static String run(String url) throws Exception {
    AtomicInteger inside = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    try (Durable engine =
        Durable.on(url)
            .activity(
                "call",
                Integer.class,
                (context, number) -> {
                  int _ = most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                  int _ = inside.decrementAndGet();
                  return number;
                })
            .workflow(
                "calls",
                Integer.class,
                (context, calls) ->
                    context
                        .all(
                            IntStream.range(0, calls)
                                .mapToObj(n -> context.order("call", n, Integer.class, TWO))
                                .toList())
                        .size())
            .start()) {
      engine.start("calls", "calls-1", 10);
      int calls = engine.await("calls-1", Integer.class, Duration.ofSeconds(30));
      return calls + " calls, " + (most.get() <= 2 ? "two at most" : "too many") + " at a time";
    }
  }
}
