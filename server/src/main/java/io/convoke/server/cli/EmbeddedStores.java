package io.convoke.server.cli;

import io.convoke.lab.stores.Stores;
import java.nio.file.Path;

/**
 * The stores of {@code --embedded}, the one place where the server touches the lab. A distribution
 * without the lab runs everything else.
 */
final class EmbeddedStores implements AutoCloseable {
  private final Stores stores;

  private EmbeddedStores(Stores stores) {
    this.stores = stores;
  }

  static EmbeddedStores open(Path data) {
    try {
      return new EmbeddedStores(Stores.open(data.resolve("stores")));
    } catch (NoClassDefFoundError e) {
      throw new UsageFault(
          "this distribution has no embedded stores; give CONVOKE_DATABASE_URL and CONVOKE_REDIS_URL");
    }
  }

  String databaseUrl() {
    return stores.databaseUrl();
  }

  String redisUrl() {
    return stores.redis().url();
  }

  @Override
  public void close() {
    stores.close();
  }
}
