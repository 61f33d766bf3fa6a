package orders;

import io.convoke.engine.durable.Durable;
import javax.sql.DataSource;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;

/** jOOQ: a transaction's configuration lends its connection. */
final class JooqOrders {
  private final DataSource dataSource;
  private final Durable engine;

  JooqOrders(DataSource dataSource, Durable engine) {
    this.dataSource = dataSource;
    this.engine = engine;
  }

  void place(Order order) {
    DSL.using(dataSource, SQLDialect.POSTGRES)
        .transaction(
            transaction -> {
              transaction
                  .dsl()
                  .execute("insert into orders values (?, ?)", order.id(), order.quantity());
              transaction
                  .dsl()
                  .connection(connection -> engine.enqueue(connection, "confirm", order));
              if (order.quantity() < 1) {
                throw new IllegalArgumentException("nothing was ordered");
              }
            });
  }
}
