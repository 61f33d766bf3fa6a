package io.convoke.server;

import io.convoke.server.config.ServerConfig;
import io.convoke.server.http.ContractClient;
import io.convoke.simulator.stores.LocalStores;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Two servers on one database and one Redis, with an admin key and a JWT secret. The first
 * maintains tasks.
 */
final class TwoNodes implements AutoCloseable {
  static final String ADMIN = "the-admins-token-of-32-characters";
  static final String JWT_SECRET = "0123456789abcdef0123456789abcdef";

  private final String database = MigratedDatabase.url();
  private final App one;
  private final App other;

  private TwoNodes(Path folder, Map<String, String> more) {
    Map<String, String> settings = new HashMap<>();
    settings.put("CONVOKE_PORT", "0");
    settings.put("CONVOKE_DATABASE_URL", database);
    settings.put("CONVOKE_REDIS_URL", LocalStores.forTests().redis().url());
    settings.put("CONVOKE_SECRET_KEY", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=");
    settings.put("CONVOKE_ADMIN_TOKEN", ADMIN);
    settings.put("CONVOKE_JWT_SECRET", JWT_SECRET);
    settings.put("CONVOKE_RATE_LIMIT", "100000");
    settings.put("CONVOKE_WEBHOOKS_ALLOW_PRIVATE", "true");
    settings.putAll(more);
    ServerConfig config = ServerConfig.of(settings);
    one = App.start(config, Set.of(NodeRole.API, NodeRole.DISPATCH), folder.resolve("one"));
    other = App.start(config, Set.of(NodeRole.API), folder.resolve("other"));
  }

  static TwoNodes start(Path folder, Map<String, String> more) {
    return new TwoNodes(folder, more);
  }

  /** A caller of the first node, without credentials. */
  ContractClient one() {
    return ContractClient.of(one.url());
  }

  /** A caller of the second node, without credentials. */
  ContractClient other() {
    return ContractClient.of(other.url());
  }

  ContractClient admin() {
    return one().with("X-Admin-API-Key", ADMIN);
  }

  String database() {
    return database;
  }

  @Override
  public void close() {
    other.close();
    one.close();
  }
}
