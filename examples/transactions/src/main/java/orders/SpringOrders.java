package orders;

import io.convoke.engine.durable.Durable;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Spring: the template hands out the connection of the transaction. */
@Service
public class SpringOrders {
  private final JdbcTemplate jdbc;
  private final Durable engine;

  SpringOrders(JdbcTemplate jdbc, Durable engine) {
    this.jdbc = jdbc;
    this.engine = engine;
  }

  /** Stores the order and enqueues its confirmation: both or, if it throws, neither. */
  @Transactional
  public void place(Order order) {
    jdbc.update("insert into orders (id, quantity) values (?, ?)", order.id(), order.quantity());
    String job =
        jdbc.execute(
            (ConnectionCallback<String>)
                connection -> engine.enqueue(connection, "confirm", order));
    if (order.quantity() < 1) {
      throw new IllegalArgumentException("nothing was ordered, so job " + job + " is not wanted");
    }
  }
}
