package io.convoke.server;

import io.convoke.engine.crypto.SecretBox;
import io.convoke.engine.dispatch.DispatchConfig;
import io.convoke.engine.dispatch.RetryBackoff;
import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.server.bots.BotProtocol;
import io.convoke.server.bots.BotsConfig;
import io.convoke.server.bots.Sealer;
import io.convoke.server.config.BackgroundWorkSettings;
import io.convoke.server.config.ServerConfig;
import io.convoke.server.config.Settings;
import io.convoke.server.dispatch.DispatchFeature;
import io.convoke.server.http.HttpConfig;
import io.convoke.server.http.auth.JwtConfig;
import io.convoke.server.launch.BotImage;
import io.convoke.server.launch.docker.DockerConfig;
import io.convoke.server.launch.nomad.NomadConfig;
import io.convoke.server.platform.RateLimiter;
import io.convoke.server.platform.WebhookRegistration;
import io.convoke.server.platform.daily.DailyConfig;
import io.convoke.server.platform.daily.DailySignature;
import io.convoke.server.platform.daily.DailyWebhookRegistration;
import io.convoke.server.presence.PresenceConfig;
import io.convoke.server.presence.PresenceConfig.ReconcileMode;
import io.convoke.server.recordings.RecordingConfig;
import io.convoke.server.sync.SyncConfig;
import io.convoke.server.workflows.WorkflowsFeature;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Maps the server configuration to the configuration of each feature. */
final class FeatureConfigs {
  private static final int BURST_SECONDS = 4;
  private static final int POLLS_AT_ONCE = 16;

  private static final String WHISPER_LIVE = "whisperlive:";

  private FeatureConfigs() {}

  /**
   * The port to listen on; a free one if it is 0, because bots need it before the listener starts.
   */
  static int port(ServerConfig serverConfig) {
    int wanted = serverConfig.get(Settings.PORT);
    if (wanted != 0) {
      return wanted;
    }
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException("No free port", e);
    }
  }

  /** The first key encrypts, all decrypt. */
  static SecretBox secrets(ServerConfig serverConfig) {
    return SecretBox.parse(serverConfig.get(Settings.SECRET_KEY).orElseThrow());
  }

  static HttpConfig http(ServerConfig serverConfig, int port) {
    int rate = serverConfig.get(Settings.RATE_LIMIT);
    return HttpConfig.at(serverConfig.get(Settings.HOST), port)
        .with(
            new HttpConfig.SlowClientConfig(
                serverConfig.get(Settings.HTTP_STALL_TIMEOUT),
                HttpConfig.SlowClientConfig.DEFAULT.after(),
                serverConfig.get(Settings.HTTP_STALLED_PER_ADDRESS)))
        .with(serverConfig.get(Settings.TRUSTED_PROXIES))
        .with(new HttpConfig.RateLimitConfig(rate, rate * BURST_SECONDS));
  }

  static JwtConfig jwt(ServerConfig serverConfig) {
    return new JwtConfig(
        serverConfig.get(Settings.JWT_SECRET),
        serverConfig.get(Settings.JWKS_URL),
        serverConfig.get(Settings.JWT_AUDIENCE),
        serverConfig.get(Settings.JWT_ISSUER));
  }

  static DailyConfig daily(ServerConfig serverConfig) {
    return new DailyConfig(
        serverConfig.get(Settings.DAILY_API_URL),
        serverConfig.get(Settings.DAILY_API_KEY).orElse(""),
        DailyConfig.DEFAULT_TIMEOUT);
  }

  static Optional<DailySignature> dailySignature(ServerConfig serverConfig) {
    return Optional.of(serverConfig.get(Settings.DAILY_WEBHOOK_SECRET))
        .filter(secrets -> !secrets.isEmpty())
        .map(secrets -> DailySignature.of(String.join(",", secrets)));
  }

  /** The webhook registration at Daily, if Convoke manages it; the first secret signs. */
  static Optional<WebhookRegistration> dailyWebhook(
      ServerConfig serverConfig, RateLimiter rateLimiter) {
    return serverConfig
        .get(Settings.DAILY_WEBHOOK_URL)
        .map(
            address ->
                new DailyWebhookRegistration(
                    daily(serverConfig),
                    rateLimiter,
                    address,
                    serverConfig.get(Settings.DAILY_WEBHOOK_SECRET).getFirst()));
  }

  static PresenceConfig presence(ServerConfig serverConfig) {
    return new PresenceConfig(
        serverConfig.get(Settings.PRESENCE_COALESCE_WINDOW),
        serverConfig.get(Settings.PRESENCE_MIN_POLL_INTERVAL),
        serverConfig.get(Settings.PRESENCE_RECONCILE_INTERVAL),
        switch (serverConfig.get(Settings.PRESENCE_RECONCILE)) {
          case BULK -> ReconcileMode.BULK;
          case UNCONDITIONAL -> ReconcileMode.UNCONDITIONAL;
        },
        serverConfig.get(Settings.MEETING_PROCESS_INTERVAL),
        POLLS_AT_ONCE);
  }

  static WorkflowsFeature.WorkflowConfig workflows(ServerConfig serverConfig, boolean runs) {
    return new WorkflowsFeature.WorkflowConfig(
        runs,
        new LongPollConfig(
            serverConfig.get(BackgroundWorkSettings.LONGPOLL_ENABLED),
            serverConfig.get(BackgroundWorkSettings.LONGPOLL_FALLBACK_INTERVAL),
            serverConfig.get(BackgroundWorkSettings.LONGPOLL_TIMER_GRACE),
            serverConfig.get(BackgroundWorkSettings.LONGPOLL_IDLE_SLEEP)),
        serverConfig.get(BackgroundWorkSettings.DURABLE_ORCHESTRATORS),
        serverConfig.get(BackgroundWorkSettings.DURABLE_WORKERS),
        serverConfig.get(BackgroundWorkSettings.DURABLE_RETENTION));
  }

  static RecordingConfig recordings(ServerConfig serverConfig) {
    return RecordingConfig.defaults()
        .with(
            serverConfig.get(Settings.RECORDING_POLL_INTERVAL),
            serverConfig.get(BackgroundWorkSettings.RECORDING_RETENTION));
  }

  static DispatchFeature.DispatchFeatureConfig dispatch(ServerConfig serverConfig) {
    return new DispatchFeature.DispatchFeatureConfig(
        DispatchConfig.of(
                serverConfig.get(BackgroundWorkSettings.DISPATCH_TASK_TIMEOUT),
                serverConfig.get(BackgroundWorkSettings.DISPATCH_LEASE),
                serverConfig.get(BackgroundWorkSettings.DISPATCH_MAX_ATTEMPTS),
                serverConfig.get(BackgroundWorkSettings.DISPATCH_OVERFLOW_AFTER))
            .deadAfter(serverConfig.get(BackgroundWorkSettings.DISPATCH_DEAD_AFTER))
            .with(
                RetryBackoff.of(
                    serverConfig.get(BackgroundWorkSettings.DISPATCH_RETRY_BACKOFF),
                    serverConfig.get(BackgroundWorkSettings.DISPATCH_RETRY_BACKOFF_MAX))),
        switch (serverConfig.get(BackgroundWorkSettings.DISPATCH_LEDGER)) {
          case POSTGRES -> true;
          case NONE -> false;
        },
        serverConfig.get(BackgroundWorkSettings.DISPATCH_RETENTION));
  }

  static SyncConfig sync(ServerConfig serverConfig) {
    return new SyncConfig(
        serverConfig.get(BackgroundWorkSettings.SYNC_CACHE_TTL),
        serverConfig.get(BackgroundWorkSettings.SYNC_STALL_AFTER),
        serverConfig.get(BackgroundWorkSettings.SYNC_WRITE_DEADLINE));
  }

  static BotsConfig bots(ServerConfig serverConfig, int port) {
    return new BotsConfig(
            serverConfig.get(Settings.BOTS_HEARTBEAT_INTERVAL),
            serverConfig.get(Settings.BOTS_COUNT_STOPPING),
            serverConfig.get(Settings.BOTS_MAX_LIVE),
            serverConfig.get(Settings.BOTS_LAUNCH_RATE),
            serverConfig.get(Settings.BOTS_SWEEP_CAP),
            serverConfig.get(Settings.BOTS_RESERVED_TIMEOUT),
            serverConfig.get(Settings.BOTS_STARTING_TIMEOUT),
            serverConfig.get(Settings.BOTS_HEARTBEAT_TIMEOUT),
            serverConfig.get(Settings.BOTS_STOPPING_TIMEOUT),
            sweepInterval(serverConfig),
            BotsConfig.defaults("", Optional.empty()).killGrace(),
            serverConfig
                .get(Settings.BOT_CALLBACK_URL)
                .map(URI::toString)
                .orElse("http://" + reachable(serverConfig.get(Settings.HOST)) + ":" + port),
            serverConfig.get(Settings.BOT_REDIS_URL).map(URI::toString))
        .speaking(
            switch (serverConfig.get(Settings.BOT_PROTOCOL)) {
              case CONVOKE -> BotProtocol.CONVOKE;
              case VEXA -> BotProtocol.VEXA;
            },
            whisperLive(serverConfig));
  }

  /** The configured interval, or the shortest of the timeouts if the default is longer. */
  private static Duration sweepInterval(ServerConfig serverConfig) {
    if (serverConfig.get(Settings.BOTS_SWEEP_INTERVAL).compareTo(Duration.ofMinutes(1)) > 0) {
      return serverConfig.get(Settings.BOTS_SWEEP_INTERVAL);
    }
    return Stream.of(
            Settings.BOTS_SWEEP_INTERVAL,
            Settings.BOTS_RESERVED_TIMEOUT,
            Settings.BOTS_STARTING_TIMEOUT,
            Settings.BOTS_HEARTBEAT_TIMEOUT,
            Settings.BOTS_STOPPING_TIMEOUT)
        .map(serverConfig::get)
        .min(Comparator.naturalOrder())
        .orElseThrow();
  }

  /** WhisperLive settings for Vexa's image, if WhisperLive is the configured transcriber. */
  private static Map<String, String> whisperLive(ServerConfig serverConfig) {
    String transcriber = serverConfig.get(BackgroundWorkSettings.TRANSCRIBER);
    return transcriber.startsWith(WHISPER_LIVE)
        ? Map.of("WHISPER_LIVE_URL", transcriber.substring(WHISPER_LIVE.length()))
        : Map.of();
  }

  static BotImage botImage(ServerConfig serverConfig) {
    return new BotImage(
        serverConfig.get(Settings.BOT_IMAGE).orElseThrow(),
        switch (serverConfig.get(Settings.BOT_PULL)) {
          case ALWAYS -> BotImage.ImagePullPolicy.ALWAYS;
          case MISSING -> BotImage.ImagePullPolicy.MISSING;
          case NEVER -> BotImage.ImagePullPolicy.NEVER;
        },
        serverConfig.get(Settings.BOT_MEMORY),
        serverConfig.get(Settings.BOT_CPUS));
  }

  static DockerConfig docker(ServerConfig serverConfig) {
    return new DockerConfig(
        serverConfig.get(Settings.DOCKER_HOST).toString(),
        serverConfig.get(Settings.BOT_FLEET),
        botImage(serverConfig),
        serverConfig.get(Settings.DOCKER_NETWORK));
  }

  static NomadConfig nomad(ServerConfig serverConfig) {
    return new NomadConfig(
        serverConfig.get(Settings.NOMAD_ADDR).orElseThrow(),
        serverConfig.get(Settings.NOMAD_JOB).orElseThrow(),
        serverConfig.get(Settings.NOMAD_NAMESPACE),
        serverConfig.get(Settings.NOMAD_TOKEN),
        serverConfig.get(Settings.BOT_FLEET));
  }

  static Sealer sealing(SecretBox box) {
    return new Sealer() {
      @Override
      public String seal(String clear) {
        return box.seal("bot", clear);
      }

      @Override
      public String open(String sealed) {
        return box.open("bot", sealed);
      }
    };
  }

  static io.convoke.server.webhooks.EndpointSecretSealer webhookSecrets(SecretBox box) {
    return new io.convoke.server.webhooks.EndpointSecretSealer() {
      @Override
      public String seal(String clear) {
        return box.seal("webhook-endpoint", clear);
      }

      @Override
      public String open(String sealed) {
        return box.open("webhook-endpoint", sealed);
      }
    };
  }

  private static String reachable(String host) {
    return host.equals("0.0.0.0") ? "127.0.0.1" : host;
  }
}
