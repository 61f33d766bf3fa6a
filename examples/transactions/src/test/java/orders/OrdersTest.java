package orders;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.convoke.engine.durable.Durable;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Needs a database:
 * JDBC_DATABASE_URL='jdbc:postgresql://localhost/database?user=me&password=secret' mvn verify.
 */
@SpringBootTest
class OrdersTest {
  private interface Placing {
    void place(Order order) throws Exception;
  }

  @Autowired private SpringOrders spring;
  @Autowired private Confirmations confirmations;
  @Autowired private Durable engine;
  @Autowired private DataSource dataSource;
  @Autowired private JdbcTemplate jdbc;

  @Test
  void spring() throws Exception {
    placesAndRollsBack("spring", spring::place);
  }

  @Test
  void jooq() throws Exception {
    placesAndRollsBack("jooq", new JooqOrders(dataSource, engine)::place);
  }

  @Test
  void jdbi() throws Exception {
    placesAndRollsBack("jdbi", new JdbiOrders(dataSource, engine)::place);
  }

  @Test
  void jpa() throws Exception {
    try (JpaOrders orders = new JpaOrders(dataSource, engine)) {
      placesAndRollsBack("jpa", orders::place);
    }
  }

  /** The job of a rolled back order never runs: a later one of the same transaction kind does. */
  private void placesAndRollsBack(String name, Placing placing) throws Exception {
    assertThatThrownBy(() -> placing.place(new Order(name + "-refused", 0)))
        .hasStackTraceContaining("nothing was ordered");
    placing.place(new Order(name + "-placed", 2));

    assertThat(confirmations.sent().poll(10, TimeUnit.SECONDS)).isEqualTo(name + "-placed");
    assertThat(
            jdbc.queryForList("select id from orders where id like ?", String.class, name + "-%"))
        .containsExactly(name + "-placed");
    assertThat(confirmations.sent()).isEmpty();
    await()
        .untilAsserted(
            () ->
                assertThat(
                        jdbc.queryForObject("select count(*) from durable.open_jobs", Long.class))
                    .isZero());
  }
}
