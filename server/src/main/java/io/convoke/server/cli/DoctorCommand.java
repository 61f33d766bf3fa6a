package io.convoke.server.cli;

import io.convoke.engine.redis.Redis;
import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.engine.sql.SqlFailure;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.server.Migrations;
import io.convoke.server.config.BackgroundWorkSettings;
import io.convoke.server.config.ConfigFile;
import io.convoke.server.config.ServerConfig;
import io.convoke.server.config.Settings;
import java.net.URI;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "doctor",
    mixinStandardHelpOptions = true,
    description = "Checks the configuration and the stores, and prints how to fix each fault.")
final class DoctorCommand implements Callable<Integer> {
  private static final int POSTGRES_MIN = 140_000;
  private static final String UNKNOWN = "unknown";

  @Option(
      names = "--config",
      paramLabel = "FILE",
      defaultValue = "convoke.yaml",
      description = "Configuration file (${DEFAULT-VALUE})")
  private Path file = Path.of("convoke.yaml");

  private boolean healthy = true;

  @Override
  public Integer call() {
    ServerConfig serverConfig = ServerConfig.of(ConfigFile.read(file, System.getenv()));
    say(
        true,
        "configuration",
        serverConfig.differences().size() + " settings differ from their defaults");
    serverConfig
        .get(Settings.DATABASE_URL)
        .ifPresentOrElse(
            this::database, () -> say(false, "database", "CONVOKE_DATABASE_URL is missing"));
    serverConfig
        .get(Settings.REDIS_URL)
        .ifPresentOrElse(
            url -> redis("redis", url), () -> say(false, "redis", "CONVOKE_REDIS_URL is missing"));
    serverConfig
        .get(BackgroundWorkSettings.DISPATCH_REDIS_URL)
        .ifPresent(url -> redis("redis of tasks", url));
    say(
        serverConfig.get(Settings.ADMIN_TOKEN).isPresent(),
        "admin",
        serverConfig.get(Settings.ADMIN_TOKEN).isPresent()
            ? "an admin token is set"
            : "CONVOKE_ADMIN_TOKEN is missing: users cannot be created");
    say(
        serverConfig.get(Settings.DAILY_API_KEY).isEmpty()
            || !serverConfig.get(Settings.DAILY_WEBHOOK_SECRET).isEmpty(),
        "daily",
        serverConfig.get(Settings.DAILY_API_KEY).isEmpty()
            ? "no Daily account"
            : serverConfig.get(Settings.DAILY_WEBHOOK_SECRET).isEmpty()
                ? "CONVOKE_DAILY_WEBHOOK_SECRET is missing: every webhook will be refused"
                : "account and webhook secret are set");
    return healthy ? 0 : 1;
  }

  private void database(String url) {
    try (Database database =
        Database.open(DatabaseUrl.parse(url), 2, "convoke-doctor", Migrations.SCHEMAS)) {
      int version =
          database.read(
              tx ->
                  tx.sql("select current_setting('server_version_num')::int as version")
                      .one(resultRow -> resultRow.intAt("version")));
      int pending = Migrations.pending(database);
      if (version < POSTGRES_MIN) {
        say(false, "database", "PostgreSQL 14 or newer is needed, this is " + version / 10_000);
      } else if (pending > 0) {
        say(false, "database", pending + " migrations are pending: run convoke migrate");
      } else {
        say(true, "database", "PostgreSQL " + version / 10_000 + ", schema up to date");
      }
    } catch (StoreUnavailable | SqlFailure e) {
      say(
          false,
          "database",
          String.valueOf(e.getCause() == null ? e.getMessage() : e.getCause().getMessage()));
    }
  }

  private void redis(String part, URI url) {
    try (Redis redis = Redis.open(url.toString())) {
      if (redis.isNodeOfCluster()) {
        say(false, part, "a node of a cluster: only tasks can be on one, as redis-cluster://");
        return;
      }
      String version = infoField(redis, part, "server", "redis_version");
      say(true, part, (redis.clustered() ? "a cluster, version " : "version ") + version);
      String policy = infoField(redis, part, "memory", "maxmemory_policy");
      if (!policy.equals("noeviction") && !policy.equals(UNKNOWN)) {
        say(
            false,
            part,
            "maxmemory-policy is "
                + policy
                + ": Redis would delete queues and leases when its memory is full; set noeviction");
      }
    } catch (RedisUnavailable e) {
      say(false, part, String.valueOf(e.getMessage()));
    }
  }

  private static String infoField(Redis redis, String key, String section, String field) {
    return redis
        .call(key, commands -> commands.info(section))
        .lines()
        .filter(line -> line.startsWith(field + ":"))
        .findFirst()
        .map(line -> line.substring(field.length() + 1).trim())
        .orElse(UNKNOWN);
  }

  private void say(boolean good, String part, String what) {
    healthy &= good;
    System.out.printf("%-5s %-14s %s%n", good ? "ok" : "FAULT", part, what);
  }
}
