package io.convoke.engine.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.simulator.stores.LocalStores;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What cannot be enqueued or registered is refused before it reaches the database. */
class JobInputTest {
  private final String url = LocalStores.forTests().freshDatabase();

  @Test
  void badInputIsRefusedWithAReason() {
    try (Durable client = Durable.on(url).connect()) {
      refused(() -> client.enqueue(" ", "x"), "the name of a job has 1 to 200 characters");
      refused(() -> client.enqueue("n".repeat(201), "x"), "1 to 200 characters");
      refused(() -> client.enqueue("a\0b", "x"), "1 to 200 characters");
      refused(() -> client.enqueue("big", "x".repeat(1 << 20)), "at most 1 MiB");
      refused(() -> client.enqueue("big", "ü".repeat((1 << 19) + 1)), "at most 1 MiB");
      refused(() -> EnqueueOptions.NONE.priority(10), "a priority is 0 to 9");
      refused(() -> EnqueueOptions.NONE.unique(""), "a unique key has 1 to 200");
      refused(() -> EnqueueOptions.NONE.tagged("t".repeat(201)), "a tag has 1 to 200");
      refused(
          () -> EnqueueOptions.NONE.at(Instant.EPOCH).atMost(1, "k"),
          "without instant and priority");
      refused(() -> EnqueueOptions.NONE.priority(1).at(Instant.EPOCH), "cannot have a priority");
      refused(() -> JobQuery.newest(0), "a limit is 1 to 1000");
      refused(
          () -> client.enqueueAll("a", List.of(1), EnqueueOptions.NONE.unique("k")),
          "one would remain");
      assertThat(client.enqueue("ü".repeat(200), "x".repeat((1 << 20) - 100))).isNotEmpty();
      assertThat(client.jobs(JobQuery.newest(10))).hasSize(1);
    }
    refused(() -> Durable.on(url).job("", String.class, (c, i) -> {}), "1 to 200 characters");
    refused(
        () ->
            Durable.on(url)
                .job("note", String.class, (c, i) -> {})
                .job("note", String.class, (c, i) -> {}),
        "duplicate job note");
    refused(() -> Durable.on(url).pool("job:note", 3), "invalid or duplicate pool");
    refused(
        () -> Durable.on(url).activity("a", "job:note", String.class, (c, i) -> i),
        "is that of a job");
    refused(() -> JobOptions.STANDARD.workers(0), "at least one worker");
  }

  private static void refused(Runnable call, String reason) {
    assertThatThrownBy(call::run)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(reason);
  }
}
