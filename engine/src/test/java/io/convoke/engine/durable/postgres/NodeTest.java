package io.convoke.engine.durable.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.durable.provider.Held;
import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.durable.provider.OrchestrationItem;
import io.convoke.engine.durable.provider.WorkItem;
import io.convoke.engine.durable.provider.WorkMessage;
import io.convoke.engine.signal.Signal;
import io.convoke.engine.wake.Listener;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The number by which others know whether a node lives. */
class NodeTest extends NodeKit {
  /** A node whose session broke is alive, and what it holds stays its own. */
  @Test
  void aNodeThatLostItsSessionTakesItsNumberAgain() throws Exception {
    Node node = new Node(new Names("durable"));
    assertThat(node.token()).startsWith("0.");
    int first;
    try (Connection session = connect()) {
      node.opened(session);
      first = node.number();
      assertThat(first).isPositive();
      assertThat(node.token()).startsWith(first + ".").isNotEqualTo(node.token());
      assertThat(number(ALIVE.formatted(first))).isOne();
    }
    node.lost();
    assertThat(node.token()).startsWith("0.");
    assertThat(node.owns(first)).isTrue();
    await("its lock is gone", () -> number(ALIVE.formatted(first)) == 0);
    try (Connection session = connect();
        Connection next = connect()) {
      node.opened(session);
      assertThat(node.number()).isEqualTo(first);
      node.lost();
      // Postgres has not noticed the end of the last session yet.
      node.opened(next);
      assertThat(node.number()).isEqualTo(first);
      assertThat(number(ALIVE.formatted(first))).isEqualTo(2);
    }
  }

  @Test
  void twoNodesNeverHaveTheSameNumber() throws Exception {
    Node one = new Node(new Names("durable"));
    Node other = new Node(new Names("durable"));
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

  /** What a writer told others comes back to its own node, which has nothing to look for. */
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
   * What is given back is told with its own time: whoever began to read further below would step
   * over the dead rows of everything that was done meanwhile.
   */
  @Test
  void whatIsGivenBackIsToldWithItsOwnTime() throws Exception {
    insertWork("now() - interval '1 hour'");
    insertMessage("a", "now() - interval '2 hours'");
    PostgresProvider node = provider(LongPollConfig.defaults().on());
    WorkItem work = node.fetchWorkItem(LOCK, LOCK).orElseThrow();
    OrchestrationItem turn = node.fetchOrchestrationItem(LOCK, LOCK).orElseThrow();
    Signal<String> heard = new Signal<>();
    Listener.Receiver both = listening(heard);
    try (var all = heard.observe();
        var _ = new Listener(url, Map.of("durable_worker_work", both, "durable_orch_work", both))) {
      assertThat(all.await(LOCK)).isEqualTo("rescan");
      assertThat(all.await(LOCK)).isEqualTo("rescan");
      assertThat(node.abandonWorkItem(work.lockToken(), Optional.empty(), true))
          .isEqualTo(Held.HELD);
      assertThat(all.await(LOCK)).isEqualTo(visible("worker_queue"));
      assertThat(node.abandonOrchestrationItem(turn.lockToken(), Optional.empty(), true))
          .isEqualTo(Held.HELD);
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
