package io.convoke.engine.durable.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.DriverManager;
import org.junit.jupiter.api.Test;

/** The number by which others know whether a node lives. */
class NodeTest extends NodeKit {
  /** A node whose session broke is alive and must not be taken for the dead one it was. */
  @Test
  void aNodeThatLostItsSessionIsNobodyAndThenSomebodyElse() throws Exception {
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
    await("its lock is gone", () -> number(ALIVE.formatted(first)) == 0);
    try (Connection session = connect()) {
      node.opened(session);
      assertThat(node.number()).isGreaterThan(first);
    }
  }

  private static final String ALIVE =
      "select count(*) as n from pg_locks where locktype = 'advisory' and objid = %d and granted"
          + " and database = (select oid from pg_database where datname = current_database())";

  private Connection connect() throws Exception {
    return DriverManager.getConnection(url.jdbc(), url.properties());
  }
}
