package orders;

import io.convoke.engine.durable.Durable;
import javax.sql.DataSource;
import org.hibernate.SessionFactory;
import org.hibernate.cfg.AvailableSettings;
import org.hibernate.cfg.Configuration;

/** JPA with Hibernate: a session does work on its connection. */
final class JpaOrders implements AutoCloseable {
  private final SessionFactory sessions;
  private final Durable engine;

  JpaOrders(DataSource dataSource, Durable engine) {
    Configuration configuration = new Configuration();
    configuration.getProperties().put(AvailableSettings.JAKARTA_NON_JTA_DATASOURCE, dataSource);
    this.sessions = configuration.buildSessionFactory();
    this.engine = engine;
  }

  void place(Order order) {
    sessions.inTransaction(
        session -> {
          session
              .createNativeMutationQuery("insert into orders values (?1, ?2)")
              .setParameter(1, order.id())
              .setParameter(2, order.quantity())
              .executeUpdate();
          session.doWork(connection -> engine.enqueue(connection, "confirm", order));
          if (order.quantity() < 1) {
            throw new IllegalArgumentException("nothing was ordered");
          }
        });
  }

  @Override
  public void close() {
    sessions.close();
  }
}
