package orders;

import io.convoke.engine.durable.Durable;
import javax.sql.DataSource;
import org.jdbi.v3.core.Jdbi;

/** JDBI: a handle has the connection. */
final class JdbiOrders {
  private final Jdbi jdbi;
  private final Durable engine;

  JdbiOrders(DataSource dataSource, Durable engine) {
    this.jdbi = Jdbi.create(dataSource);
    this.engine = engine;
  }

  void place(Order order) throws Exception {
    jdbi.useTransaction(
        handle -> {
          handle.execute("insert into orders values (?, ?)", order.id(), order.quantity());
          engine.enqueue(handle.getConnection(), "confirm", order);
          if (order.quantity() < 1) {
            throw new IllegalArgumentException("nothing was ordered");
          }
        });
  }
}
