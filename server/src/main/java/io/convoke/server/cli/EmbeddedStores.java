package io.convoke.server.cli;

import io.convoke.simulator.stores.LocalStores;
import java.nio.file.Path;

/**
 * The stores of {@code --embedded}, the one place where the server uses the simulator module. A
 * distribution without that module runs everything else.
 */
final class EmbeddedStores implements AutoCloseable {
  private final LocalStores localStores;

  private EmbeddedStores(LocalStores localStores) {
    this.localStores = localStores;
  }

  static EmbeddedStores open(Path data) {
    try {
      return new EmbeddedStores(LocalStores.open(data.resolve("stores")));
    } catch (NoClassDefFoundError e) {
      throw new UsageException(
          "this distribution has no embedded stores; give CONVOKE_DATABASE_URL and CONVOKE_REDIS_URL");
    }
  }

  String databaseUrl() {
    return localStores.databaseUrl();
  }

  String redisUrl() {
    return localStores.redis().url();
  }

  @Override
  public void close() {
    localStores.close();
  }
}
