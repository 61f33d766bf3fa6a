package io.convoke.server.cli;

import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.server.App;
import io.convoke.server.LauncherFactory;
import io.convoke.server.RecordingToolsFactory;
import io.convoke.server.config.BackgroundWorkSettings;
import io.convoke.server.config.InvalidConfigException;
import io.convoke.server.config.JanusSettings;
import io.convoke.server.config.ServerConfig;
import io.convoke.server.config.Settings;
import io.convoke.server.config.Settings.BotLauncher;
import io.convoke.server.config.SignInSettings;
import io.convoke.server.doctor.AdminChecks;
import io.convoke.server.doctor.DatabaseChecks;
import io.convoke.server.doctor.DoctorFinding;
import io.convoke.server.doctor.FolderChecks;
import io.convoke.server.doctor.JanusChecks;
import io.convoke.server.doctor.MediaChecks;
import io.convoke.server.doctor.RedisChecks;
import io.convoke.server.launch.process.BotUsers;
import io.convoke.server.platform.janus.JanusConfig;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "doctor",
    mixinStandardHelpOptions = true,
    description = "Checks the configuration and the stores, and prints how to fix each fault.")
final class DoctorCommand implements Callable<Integer> {
  private static final Duration NOTIFICATION_MAX = Duration.ofSeconds(5);
  private static final String LINE = "%-5s %-14s %s%n";
  private static final String BOTS = "bots";

  @Mixin private ConfigFileOption config = new ConfigFileOption();

  @Option(
      names = "--data",
      paramLabel = "FOLDER",
      description = "Folder of the server's data (${DEFAULT-VALUE})")
  private Path data = Path.of(".convoke");

  private boolean healthy = true;

  @Override
  public Integer call() {
    ServerConfig serverConfig = ServerConfig.of(config.read());
    say(
        true,
        "configuration",
        serverConfig.differences().size() + " settings differ from their defaults");
    serverConfig
        .warnings()
        .forEach(warning -> System.out.printf(LINE, "warn", "configuration", warning));
    bots(serverConfig);
    buckets(serverConfig);
    serverConfig
        .get(Settings.DATABASE_URL)
        .ifPresentOrElse(
            url -> database(serverConfig, url),
            () -> say(false, "database", "CONVOKE_DATABASE_URL is missing"));
    serverConfig
        .get(Settings.REDIS_URL)
        .ifPresentOrElse(
            url -> redis("redis", url), () -> say(false, "redis", "CONVOKE_REDIS_URL is missing"));
    serverConfig
        .get(BackgroundWorkSettings.DISPATCH_REDIS_URL)
        .ifPresent(url -> redis("redis of tasks", url));
    show(
        List.of(
            FolderChecks.check(data),
            MediaChecks.check(
                serverConfig.get(BackgroundWorkSettings.FFMPEG),
                !serverConfig.get(BackgroundWorkSettings.TRANSCRIBER).equals("none"))));
    show(
        JanusChecks.check(
            JanusConfig.of(serverConfig),
            serverConfig.get(JanusSettings.JANUS_EVENT_SECRET).isPresent()));
    show(JanusChecks.recordings(serverConfig.get(JanusSettings.JANUS_RECORDINGS)));
    show(
        List.of(
            AdminChecks.check(
                serverConfig.get(Settings.ADMIN_TOKEN).isPresent(),
                serverConfig.get(SignInSettings.OIDC_ISSUER).isPresent(),
                serverConfig.get(SignInSettings.OIDC_ADMIN_ROLE))));
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

  private void bots(ServerConfig serverConfig) {
    try {
      LauncherFactory.check(serverConfig, data);
      say(true, BOTS, "a server can start with these settings of the launcher");
    } catch (InvalidConfigException e) {
      e.faults().forEach(fault -> say(false, BOTS, fault));
    }
    if (serverConfig.get(Settings.BOT_LAUNCHER) == BotLauncher.PROCESS
        && serverConfig.get(Settings.BOT_UIDS).isEmpty()) {
      System.out.printf(LINE, "warn", BOTS, BotUsers.advice());
    }
  }

  private void buckets(ServerConfig serverConfig) {
    try {
      RecordingToolsFactory.check(serverConfig);
    } catch (InvalidConfigException e) {
      e.faults().forEach(fault -> say(false, "blobs", fault));
    }
  }

  private void database(ServerConfig serverConfig, String url) {
    show(
        new DatabaseChecks(
                DatabaseUrl.parse(url),
                serverConfig.sessionDatabaseUrl().orElseThrow(),
                App.databaseConnections(serverConfig),
                serverConfig.get(Settings.MIGRATE),
                NOTIFICATION_MAX,
                InstantSource.system())
            .check());
  }

  private void redis(String part, URI url) {
    show(new RedisChecks(part, url, InstantSource.system()).check());
  }

  private void show(List<DoctorFinding> findings) {
    for (DoctorFinding finding : findings) {
      switch (finding.level()) {
        case OK -> say(true, finding.part(), finding.text());
        case WARN -> System.out.printf(LINE, "warn", finding.part(), finding.text());
        case FAULT -> say(false, finding.part(), finding.text());
      }
    }
  }

  private void say(boolean good, String part, String what) {
    healthy &= good;
    System.out.printf(LINE, good ? "ok" : "FAULT", part, what);
  }
}
