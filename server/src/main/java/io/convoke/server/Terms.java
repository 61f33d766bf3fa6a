package io.convoke.server;

import io.convoke.engine.dispatch.DispatchTerms;
import io.convoke.engine.dispatch.RetryBackoff;
import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.seal.SecretBox;
import io.convoke.server.bots.BotProtocol;
import io.convoke.server.bots.BotTerms;
import io.convoke.server.bots.Secrets;
import io.convoke.server.config.Config;
import io.convoke.server.config.Settings;
import io.convoke.server.config.WorkSettings;
import io.convoke.server.dispatch.TaskDispatch;
import io.convoke.server.http.HttpTerms;
import io.convoke.server.http.JwtTerms;
import io.convoke.server.launch.BotImage;
import io.convoke.server.launch.docker.DockerTerms;
import io.convoke.server.launch.nomad.NomadTerms;
import io.convoke.server.platform.Budget;
import io.convoke.server.platform.RemoteWebhook;
import io.convoke.server.platform.daily.DailyRegistration;
import io.convoke.server.platform.daily.DailySignature;
import io.convoke.server.platform.daily.DailyTerms;
import io.convoke.server.presence.PresenceTerms;
import io.convoke.server.presence.PresenceTerms.ReconcileMode;
import io.convoke.server.recordings.RecordingTerms;
import io.convoke.server.sync.SyncConfig;
import io.convoke.server.workflows.Workflows;
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

/** Settings as the terms of each feature, so that no feature knows the configuration. */
final class Terms {
  private static final int BURST_SECONDS = 4;
  private static final int POLLS_AT_ONCE = 16;

  private static final String WHISPER_LIVE = "whisperlive:";

  private Terms() {}

  /** The port to listen on; a free one if any will do, since bots must know it before we listen. */
  static int port(Config config) {
    int wanted = config.get(Settings.PORT);
    if (wanted != 0) {
      return wanted;
    }
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException("no free port", e);
    }
  }

  /** The first key encrypts, all decrypt. */
  static SecretBox secrets(Config config) {
    return SecretBox.parse(config.get(Settings.SECRET_KEY).orElseThrow());
  }

  static HttpTerms http(Config config, int port) {
    int rate = config.get(Settings.RATE_LIMIT);
    return HttpTerms.at(config.get(Settings.HOST), port)
        .with(
            new HttpTerms.Stalls(
                config.get(Settings.HTTP_STALL_TIMEOUT),
                HttpTerms.Stalls.DEFAULT.after(),
                config.get(Settings.HTTP_STALLED_PER_ADDRESS)))
        .with(config.get(Settings.TRUSTED_PROXIES))
        .with(new HttpTerms.Rate(rate, rate * BURST_SECONDS));
  }

  static JwtTerms jwt(Config config) {
    return new JwtTerms(
        config.get(Settings.JWT_SECRET),
        config.get(Settings.JWKS_URL),
        config.get(Settings.JWT_AUDIENCE),
        config.get(Settings.JWT_ISSUER));
  }

  static DailyTerms daily(Config config) {
    return new DailyTerms(
        config.get(Settings.DAILY_API_URL),
        config.get(Settings.DAILY_API_KEY).orElse(""),
        DailyTerms.DEFAULT_TIMEOUT);
  }

  static Optional<DailySignature> dailySignature(Config config) {
    return Optional.of(config.get(Settings.DAILY_WEBHOOK_SECRET))
        .filter(secrets -> !secrets.isEmpty())
        .map(secrets -> DailySignature.of(String.join(",", secrets)));
  }

  /** Our webhook at Daily, if Convoke shall look after it; the first secret signs. */
  static Optional<RemoteWebhook> dailyWebhook(Config config, Budget budget) {
    return config
        .get(Settings.DAILY_WEBHOOK_URL)
        .map(
            address ->
                new DailyRegistration(
                    daily(config),
                    budget,
                    address,
                    config.get(Settings.DAILY_WEBHOOK_SECRET).getFirst()));
  }

  static PresenceTerms presence(Config config) {
    return new PresenceTerms(
        config.get(Settings.PRESENCE_COALESCE_WINDOW),
        config.get(Settings.PRESENCE_MIN_POLL_INTERVAL),
        config.get(Settings.PRESENCE_RECONCILE_INTERVAL),
        switch (config.get(Settings.PRESENCE_RECONCILE)) {
          case BULK -> ReconcileMode.BULK;
          case UNCONDITIONAL -> ReconcileMode.UNCONDITIONAL;
        },
        config.get(Settings.MEETING_PROCESS_INTERVAL),
        POLLS_AT_ONCE);
  }

  static Workflows.Terms workflows(Config config, boolean runs) {
    return new Workflows.Terms(
        runs,
        new LongPollConfig(
            config.get(WorkSettings.LONGPOLL_ENABLED),
            config.get(WorkSettings.LONGPOLL_FALLBACK_INTERVAL),
            config.get(WorkSettings.LONGPOLL_TIMER_GRACE),
            config.get(WorkSettings.LONGPOLL_IDLE_SLEEP)),
        config.get(WorkSettings.DURABLE_ORCHESTRATORS),
        config.get(WorkSettings.DURABLE_WORKERS),
        config.get(WorkSettings.DURABLE_RETENTION));
  }

  static RecordingTerms recordings(Config config) {
    return RecordingTerms.defaults()
        .with(
            config.get(Settings.RECORDING_POLL_INTERVAL),
            config.get(WorkSettings.RECORDING_RETENTION));
  }

  static TaskDispatch.Terms dispatch(Config config) {
    return new TaskDispatch.Terms(
        DispatchTerms.of(
                config.get(WorkSettings.DISPATCH_TASK_TIMEOUT),
                config.get(WorkSettings.DISPATCH_LEASE),
                config.get(WorkSettings.DISPATCH_MAX_ATTEMPTS),
                config.get(WorkSettings.DISPATCH_OVERFLOW_AFTER))
            .deadAfter(config.get(WorkSettings.DISPATCH_DEAD_AFTER))
            .with(
                RetryBackoff.of(
                    config.get(WorkSettings.DISPATCH_RETRY_BACKOFF),
                    config.get(WorkSettings.DISPATCH_RETRY_BACKOFF_MAX))),
        switch (config.get(WorkSettings.DISPATCH_LEDGER)) {
          case POSTGRES -> true;
          case NONE -> false;
        },
        config.get(WorkSettings.DISPATCH_RETENTION));
  }

  static SyncConfig sync(Config config) {
    return new SyncConfig(
        config.get(WorkSettings.SYNC_CACHE_TTL),
        config.get(WorkSettings.SYNC_STALL_AFTER),
        config.get(WorkSettings.SYNC_WRITE_DEADLINE));
  }

  static BotTerms bots(Config config, int port) {
    return new BotTerms(
            config.get(Settings.BOTS_HEARTBEAT_INTERVAL),
            config.get(Settings.BOTS_COUNT_STOPPING),
            config.get(Settings.BOTS_MAX_LIVE),
            config.get(Settings.BOTS_LAUNCH_RATE),
            config.get(Settings.BOTS_SWEEP_CAP),
            config.get(Settings.BOTS_RESERVED_TIMEOUT),
            config.get(Settings.BOTS_STARTING_TIMEOUT),
            config.get(Settings.BOTS_HEARTBEAT_TIMEOUT),
            config.get(Settings.BOTS_STOPPING_TIMEOUT),
            sweepInterval(config),
            BotTerms.defaults("", Optional.empty()).killGrace(),
            config
                .get(Settings.BOT_CALLBACK_URL)
                .map(URI::toString)
                .orElse("http://" + reachable(config.get(Settings.HOST)) + ":" + port),
            config.get(Settings.BOT_REDIS_URL).map(URI::toString))
        .speaking(
            switch (config.get(Settings.BOT_PROTOCOL)) {
              case CONVOKE -> BotProtocol.CONVOKE;
              case VEXA -> BotProtocol.VEXA;
            },
            whisperLive(config));
  }

  /** As set, or the shortest of the timeouts where the default is longer than that. */
  private static Duration sweepInterval(Config config) {
    if (config.get(Settings.BOTS_SWEEP_INTERVAL).compareTo(Duration.ofMinutes(1)) > 0) {
      return config.get(Settings.BOTS_SWEEP_INTERVAL);
    }
    return Stream.of(
            Settings.BOTS_SWEEP_INTERVAL,
            Settings.BOTS_RESERVED_TIMEOUT,
            Settings.BOTS_STARTING_TIMEOUT,
            Settings.BOTS_HEARTBEAT_TIMEOUT,
            Settings.BOTS_STOPPING_TIMEOUT)
        .map(config::get)
        .min(Comparator.naturalOrder())
        .orElseThrow();
  }

  /** Vexa's image has its audio transcribed by WhisperLive, if that is what transcribes for us. */
  private static Map<String, String> whisperLive(Config config) {
    String transcriber = config.get(WorkSettings.TRANSCRIBER);
    return transcriber.startsWith(WHISPER_LIVE)
        ? Map.of("WHISPER_LIVE_URL", transcriber.substring(WHISPER_LIVE.length()))
        : Map.of();
  }

  static BotImage botImage(Config config) {
    return new BotImage(
        config.get(Settings.BOT_IMAGE).orElseThrow(),
        switch (config.get(Settings.BOT_PULL)) {
          case ALWAYS -> BotImage.Pull.ALWAYS;
          case MISSING -> BotImage.Pull.MISSING;
          case NEVER -> BotImage.Pull.NEVER;
        },
        config.get(Settings.BOT_MEMORY),
        config.get(Settings.BOT_CPUS));
  }

  static DockerTerms docker(Config config) {
    return new DockerTerms(
        config.get(Settings.DOCKER_HOST).toString(),
        config.get(Settings.BOT_FLEET),
        botImage(config),
        config.get(Settings.DOCKER_NETWORK));
  }

  static NomadTerms nomad(Config config) {
    return new NomadTerms(
        config.get(Settings.NOMAD_ADDR).orElseThrow(),
        config.get(Settings.NOMAD_JOB).orElseThrow(),
        config.get(Settings.NOMAD_NAMESPACE),
        config.get(Settings.NOMAD_TOKEN),
        config.get(Settings.BOT_FLEET));
  }

  static Secrets sealing(SecretBox box) {
    return new Secrets() {
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

  static io.convoke.server.webhooks.Secrets webhookSecrets(SecretBox box) {
    return new io.convoke.server.webhooks.Secrets() {
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
