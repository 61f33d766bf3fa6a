package orders;

import io.convoke.engine.durable.Durable;
import javax.sql.DataSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;

/** An application whose jobs are enqueued by the transactions that need them. */
@SpringBootApplication
public class OrdersApplication {
  public static void main(String[] arguments) {
    SpringApplication.run(OrdersApplication.class, arguments);
  }

  /** The engine on the application's own data source; it runs the jobs of this process. */
  @Bean(destroyMethod = "close")
  Durable engine(DataSource dataSource, Confirmations confirmations) {
    return Durable.on(dataSource)
        .connections(6)
        .job("confirm", Order.class, (context, order) -> confirmations.send(order))
        .start();
  }
}
