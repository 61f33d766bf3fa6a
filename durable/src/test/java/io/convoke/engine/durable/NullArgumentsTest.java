package io.convoke.engine.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.simulator.stores.LocalStores;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Nulls of callers, as a message of an exception may be one. */
class NullArgumentsTest {
  private static final Duration LONG = Duration.ofSeconds(20);

  private final String url = LocalStores.forTests().freshDatabase();

  @Test
  void aCancellationWithoutAReasonCancels() throws Exception {
    try (Durable engine = waiting()) {
      engine.start("waits", "i", "");
      engine.cancel("i", new IllegalStateException().getMessage());
      assertThat(engine.await("i", String.class, LONG)).isEqualTo("cancelled: no reason given");
    }
  }

  /** Accepted, it would be dropped by the node that takes it. */
  @SuppressWarnings("NullAway") // callers may be compiled without it
  @Test
  void whatHasNoNameIsRefused() throws Exception {
    try (Durable engine = waiting()) {
      assertThatThrownBy(() -> engine.start(null, "i", ""))
          .isInstanceOf(NullPointerException.class)
          .hasMessage("a workflow has a name");
      engine.start("waits", "i", "");
      assertThatThrownBy(() -> engine.raise("i", null, ""))
          .isInstanceOf(NullPointerException.class)
          .hasMessage("an event has a name");
      engine.raise("i", "go", "now");
      assertThat(engine.await("i", String.class, LONG)).isEqualTo("now");
    }
  }

  private Durable waiting() {
    return Durable.on(url)
        .workflow(
            "waits",
            String.class,
            (context, input) -> {
              try {
                return context.event("go", String.class).get();
              } catch (WorkflowCancelledException e) {
                return "cancelled: " + e.getMessage();
              }
            })
        .start();
  }
}
