package io.convoke.server;

import io.convoke.engine.sql.Database;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;

/**
 * What this node costs whether anything goes on or not: its share of the processors, and how often
 * it turns to Postgres. The durable engine has connections of its own and counts its claims itself.
 */
record NodeMetrics(Database database) implements MeterBinder {
  static NodeMetrics of(Database database) {
    return new NodeMetrics(database);
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    new ProcessorMetrics().bindTo(registry);
    var _ =
        FunctionCounter.builder("convoke.database.turns", database, Database::turns)
            .description("transactions, and statements on their own, of this node")
            .register(registry);
  }
}
