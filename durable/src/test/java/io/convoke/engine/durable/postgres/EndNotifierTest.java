package io.convoke.engine.durable.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.durable.postgres.NewWorkNotifier.Announcement;
import io.convoke.engine.sql.DatabaseUrl;
import org.junit.jupiter.api.Test;

class EndNotifierTest {
  private final SchemaNames schemaNames = new SchemaNames("ends");

  private final EndNotifier endNotifier =
      new EndNotifier(
          new NewWorkNotifier(DatabaseUrl.parse("postgresql://localhost/none")),
          schemaNames,
          () -> true);

  @Test
  void keepsABoundedNumberOfEndsWhileNoneCanBeAnnounced() {
    endNotifier.requests().notified("0");
    for (int i = 0; i < EndNotifier.ENDED_MAX + 500; i++) {
      endNotifier.ended("instance-" + i);
    }
    assertThat(endNotifier.take())
        .extracting(Announcement::channel)
        .hasSize(100)
        .containsOnly(schemaNames.endChannel());
    endNotifier.ended("another");
    assertThat(endNotifier.take()).hasSize(1);
  }
}
