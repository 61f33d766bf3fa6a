package io.convoke.engine.durable.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.durable.postgres.QueueClaimer.ClaimRequest;
import io.convoke.engine.durable.postgres.QueueClaimer.Handoff;
import io.convoke.engine.durable.provider.InstanceMessage;
import io.convoke.engine.sql.Database;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Messages that are locked for a node as they are written. */
class HandedMessagesTest extends NodeTestKit {
  private static final Handoff ONE = new Handoff("mine", 1, LOCK);

  /** Before it has started, an instance would drop a cancellation or an event. */
  @Test
  void aMessageWhoseInstanceHasNotTakenItsStartYetIsNotHandedBeforeIt() {
    Instant alive = storeTime();
    Database session = keep(EngineConnections.open(url, 1, new SchemaNames("durable"), false));
    assertThat(handed(session, "i", "start", Handoff.NONE)).isEmpty();
    assertThat(handed(session, "i", "cancel", ONE)).isEmpty();
    assertThat(handed(session, "other", "start", ONE)).hasSize(1);

    ClaimRequest claim = new ClaimRequest("", alive, Duration.ZERO, 10, "claim", LOCK);
    List<String> claimed =
        session.transaction(tx -> InstanceStore.claim(tx, claim)).stream()
            .flatMap(row -> row.instanceId().stream())
            .toList();
    assertThat(claimed).containsExactly("i", "i");
  }

  private static List<Long> handed(
      Database session, String instance, String item, Handoff handoff) {
    return session.transaction(
        tx ->
            InstanceStore.insert(tx, List.of(new InstanceMessage(instance, item)), handoff)
                .list(row -> row.maybeLong("id"))
                .stream()
                .flatMap(Optional::stream)
                .toList());
  }
}
