package io.convoke.server;

import io.convoke.engine.sql.Database;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;

/**
 * Resource use of this node: CPU share and statements to Postgres. The durable engine has its own
 * connections and metrics.
 */
record NodeMetrics(Database database) implements MeterBinder {
  static NodeMetrics of(Database database) {
    return new NodeMetrics(database);
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    new ProcessorMetrics().bindTo(registry);
    var _ =
        FunctionCounter.builder("convoke.database.transactions", database, Database::turns)
            .description("transactions, and statements on their own, of this node")
            .register(registry);
  }
}
