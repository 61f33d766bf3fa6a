package io.convoke.server.cli;

import io.convoke.engine.crypto.SecretBox;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.server.Migrations;
import io.convoke.server.config.ServerConfig;
import io.convoke.server.config.Settings;
import io.convoke.server.platform.RateLimiter;
import io.convoke.server.platform.janus.JanusAdmin;
import io.convoke.server.platform.janus.JanusConfig;
import io.convoke.server.reseal.SecretResealer;
import io.convoke.server.reseal.SecretResealer.ResealResult;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "reseal",
    mixinStandardHelpOptions = true,
    description = {
      "Encrypts stored secrets again with the first key of CONVOKE_SECRET_KEY.",
      "0 if the other keys can be removed, 1 if something still needs them."
    })
final class ResealCommand implements Callable<Integer> {
  @Mixin private ConfigFileOption config = new ConfigFileOption();

  @Override
  public Integer call() {
    ServerConfig serverConfig = ServerConfig.each(config.read());
    String url =
        serverConfig
            .get(Settings.DATABASE_URL)
            .orElseThrow(() -> new UsageException("CONVOKE_DATABASE_URL is missing"));
    String keys =
        serverConfig
            .get(Settings.SECRET_KEY)
            .orElseThrow(() -> new UsageException("CONVOKE_SECRET_KEY is missing"));
    try (Database database =
        Database.open(DatabaseUrl.parse(url), 2, "convoke-reseal", Migrations.SCHEMAS)) {
      Migrations.requireTables(database);
      ResealResult result =
          new SecretResealer(
                  database,
                  SecretBox.parse(keys),
                  JanusConfig.of(serverConfig)
                      .map(janus -> new JanusAdmin(janus, RateLimiter.unlimited())),
                  System.out::println)
              .run();
      System.out.println(result.resealed() + " values resealed");
      if (result.unreadable() > 0) {
        System.out.println(
            result.unreadable() + " values are of keys that are not configured, and stay");
      }
      result.obstacles().forEach(System.out::println);
      System.out.println(
          result.obstacles().isEmpty()
              ? "all but the first key can be removed; browsers with older sessions sign in again,"
                  + " and older links to rooms end"
              : "keep the older keys, and run this again");
      return result.obstacles().isEmpty() ? 0 : 1;
    }
  }
}
