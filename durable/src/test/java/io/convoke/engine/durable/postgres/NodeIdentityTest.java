package io.convoke.engine.durable.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.durable.provider.LockStatus;
import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.durable.provider.OrchestrationItem;
import io.convoke.engine.durable.provider.WorkItem;
import io.convoke.engine.durable.provider.WorkMessage;
import io.convoke.engine.testhook.TestSignal;
import io.convoke.engine.wake.PostgresListener;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The number by which other nodes detect whether a node is alive. */
class NodeIdentityTest extends NodeTestKit {
  /** A node whose session broke is alive and keeps its locks. */
  @Test
  void aNodeThatLostItsSessionTakesItsNumberAgain() throws Exception {
    NodeIdentity nodeIdentity = new NodeIdentity(new SchemaNames("durable"));
    assertThat(nodeIdentity.token()).startsWith("0.");
    int first;
    try (Connection session = connect()) {
      nodeIdentity.opened(session);
      first = nodeIdentity.number();
      assertThat(first).isPositive();
      assertThat(nodeIdentity.token()).startsWith(first + ".").isNotEqualTo(nodeIdentity.token());
      assertThat(number(ALIVE.formatted(first))).isOne();
    }
    nodeIdentity.lost();
    assertThat(nodeIdentity.token()).startsWith("0.");
    assertThat(nodeIdentity.owns(first)).isTrue();
    await("its lock is gone", () -> number(ALIVE.formatted(first)) == 0);
    try (Connection session = connect();
        Connection next = connect()) {
      nodeIdentity.opened(session);
      assertThat(nodeIdentity.number()).isEqualTo(first);
      nodeIdentity.lost();
      // Postgres has not noticed the end of the last session yet.
      nodeIdentity.opened(next);
      assertThat(nodeIdentity.number()).isEqualTo(first);
      assertThat(number(ALIVE.formatted(first))).isEqualTo(2);
    }
  }

  @Test
  void twoNodesNeverHaveTheSameNumber() throws Exception {
    NodeIdentity one = new NodeIdentity(new SchemaNames("durable"));
    NodeIdentity other = new NodeIdentity(new SchemaNames("durable"));
    try (Connection session = connect();
        Connection next = connect()) {
      one.opened(session);
      execute("alter sequence durable.node_numbers restart with " + one.number());
      other.opened(next);
      assertThat(other.number()).isNotEqualTo(one.number());
    }
  }

  private static final String ALIVE =
      "select count(*) as n from pg_locks where locktype = 'advisory' and objid = %d and granted"
          + " and database = (select oid from pg_database where datname = current_database())";

  private Connection connect() throws Exception {
    return DriverManager.getConnection(url.jdbc(), url.properties());
  }

  /** A node ignores the notification of one of its own writers. */
  @Tag("nightly")
  @Test
  void aNodeDoesNotListenToItself() {
    PostgresProvider node = provider(LongPollConfig.defaults().on());
    await("it listens", node::announced);
    for (int i = 0; i < 5; i++) {
      node.enqueueForWorker(work());
      long _ = settled(node::tokensForWork);
    }
    long before = node.tokensForWork();
    for (int i = 0; i < 5; i++) {
      node.enqueueForWorker(work());
      long _ = settled(node::tokensForWork);
    }
    assertThat(node.tokensForWork() - before).isEqualTo(5);
  }

  /**
   * A release is announced with the time of the item: a claim that began below would read the dead
   * rows of all work done in the meantime.
   */
  @Test
  void whatIsGivenBackIsToldWithItsOwnTime() throws Exception {
    insertWork("now() - interval '1 hour'");
    insertMessage("a", "now() - interval '2 hours'");
    PostgresProvider node = provider(LongPollConfig.defaults().on());
    WorkItem work = node.fetchWorkItem(LOCK, LOCK).orElseThrow();
    OrchestrationItem turn = node.fetchOrchestrationItem(LOCK, LOCK).orElseThrow();
    TestSignal<String> heard = new TestSignal<>();
    PostgresListener.NotificationReceiver both = listening(heard);
    try (var all = heard.observe();
        var _ =
            new PostgresListener(
                url, Map.of("durable_worker_work", both, "durable_orch_work", both))) {
      assertThat(all.await(LOCK)).isEqualTo("rescan");
      assertThat(all.await(LOCK)).isEqualTo("rescan");
      assertThat(node.abandonWorkItem(work.lockToken(), Optional.empty(), true))
          .isEqualTo(LockStatus.HELD);
      assertThat(all.await(LOCK)).isEqualTo(visible("worker_queue"));
      assertThat(node.abandonOrchestrationItem(turn.lockToken(), Optional.empty(), true))
          .isEqualTo(LockStatus.HELD);
      assertThat(all.await(LOCK)).isEqualTo(visible("orchestrator_queue"));
    }
  }

  private String visible(String queue) {
    return Long.toString(
        number("select ceil(extract(epoch from visible_at) * 1000)::bigint as n from " + queue));
  }

  private static WorkMessage work() {
    return new WorkMessage("i", 1, 1, "x", Optional.empty());
  }
}
