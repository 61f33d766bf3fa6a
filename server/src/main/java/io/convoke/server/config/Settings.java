package io.convoke.server.config;

import static io.convoke.server.config.Setting.optional;
import static io.convoke.server.config.Setting.setting;
import static io.convoke.server.config.Setting.text;

import io.convoke.server.http.TrustedProxies;
import io.convoke.server.meetings.AllowedMeetingHosts;
import io.convoke.server.rooms.RoomClaims.RoomClaimMode;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/**
 * The settings of the server itself, of presence and of bots, in the order of the documentation.
 */
public final class Settings {
  private static final List<Setting<?>> ALL = new ArrayList<>();

  public static final Setting<Integer> PORT =
      add(
          setting(
              "CONVOKE_PORT",
              "8080",
              "port of the listener; 0 takes a free one",
              SettingParsers.number(0, 65_535)));
  public static final Setting<String> HOST =
      add(setting("CONVOKE_HOST", "127.0.0.1", "address of the listener", SettingParsers::host));
  public static final Setting<Optional<String>> DATABASE_URL =
      add(
          text(
                  "CONVOKE_DATABASE_URL",
                  "`postgresql://user:pass@host:port/db`, or `host,host`, of which the primary is"
                      + " found; `?pool_mode=transaction` behind a pooler of transactions; not"
                      + " needed with `--embedded`")
              .asSecret());
  public static final Setting<Optional<String>> LISTEN_DATABASE_URL =
      add(
          text(
                  "CONVOKE_LISTEN_DATABASE_URL",
                  "a direct way to the database for LISTEN and migrations, past a pooler")
              .asSecret());
  public static final Setting<Optional<URI>> REDIS_URL =
      add(
          optional(
                  "CONVOKE_REDIS_URL",
                  "`redis://`, `rediss://` or `redis-sentinel://`; not needed with `--embedded`",
                  SettingParsers.url(
                      "redis", "rediss", "redis-sentinel", "redis-cluster", "rediss-cluster"))
              .asSecret());
  public static final Setting<Integer> DATABASE_POOL =
      add(
          setting(
              "CONVOKE_DATABASE_POOL",
              "20",
              "connections to the database at most",
              SettingParsers.number(2, 500)));

  public static final Setting<Optional<String>> ADMIN_TOKEN =
      add(
          text(
                  "CONVOKE_ADMIN_TOKEN",
                  "what `X-Admin-API-Key` must carry; not needed where admins come from"
                      + " `CONVOKE_OIDC_ISSUER`")
              .asSecret());
  public static final Setting<Optional<String>> INTERNAL_TOKEN =
      add(text("CONVOKE_INTERNAL_TOKEN", "bearer token of internal services").asSecret());
  public static final Setting<Optional<String>> SECRET_KEY =
      add(
          optional(
                  "CONVOKE_SECRET_KEY",
                  "base64 of 32 bytes; encrypts stored secrets and sessions, derives the tokens of"
                      + " bots; several, comma separated: the first issues, all verify",
                  SettingParsers::keys)
              .asSecret());
  public static final Setting<Optional<String>> JWT_SECRET =
      add(
          text("CONVOKE_JWT_SECRET", "key of user JWTs signed with HS256, 32 bytes at least")
              .asSecret());
  public static final Setting<Optional<URI>> JWKS_URL =
      add(
          optional(
              "CONVOKE_JWKS_URL",
              "where the keys of RS256 and ES256 user JWTs are",
              SettingParsers.url("http", "https")));
  public static final Setting<Optional<String>> JWT_AUDIENCE =
      add(text("CONVOKE_JWT_AUDIENCE", "audience that a user JWT must name"));
  public static final Setting<Optional<String>> JWT_ISSUER =
      add(text("CONVOKE_JWT_ISSUER", "issuer that a user JWT must name"));
  public static final Setting<Integer> RATE_LIMIT =
      add(
          setting(
              "CONVOKE_RATE_LIMIT",
              "50",
              "requests per second of one caller, four times that at once",
              SettingParsers.number(1, 100_000)));

  public static final Setting<Long> QUOTA_TASKS =
      add(
          setting(
              "CONVOKE_QUOTA_TASKS",
              "100000",
              "tasks of one user that have not ended; `0` is unlimited, here and below",
              SettingParsers::quota));
  public static final Setting<Long> QUOTA_MEETINGS =
      add(
          setting(
              "CONVOKE_QUOTA_MEETINGS",
              "10000",
              "tracked meetings of one user that have not ended",
              SettingParsers::quota));
  public static final Setting<Long> QUOTA_SCHEDULES =
      add(
          setting(
              "CONVOKE_QUOTA_SCHEDULES",
              "10000",
              "bots of one user that wait for their start time",
              SettingParsers::quota));
  public static final Setting<Long> QUOTA_STREAMS =
      add(
          setting(
              "CONVOKE_QUOTA_STREAMS",
              "1000",
              "event streams of one user on one node",
              SettingParsers::quota));
  public static final Setting<Long> QUOTA_WEBHOOKS =
      add(
          setting(
              "CONVOKE_QUOTA_WEBHOOKS",
              "50",
              "webhook endpoints of one user",
              SettingParsers::quota));
  public static final Setting<Long> QUOTA_ROOMS =
      add(
          setting(
              "CONVOKE_QUOTA_ROOMS",
              "1000",
              "rooms of one user that a Janus has",
              SettingParsers::quota));
  public static final Setting<Long> QUOTA_STORED_BYTES =
      add(
          setting(
              "CONVOKE_QUOTA_STORED_BYTES",
              "0",
              "recordings of one user, as `500g`; a user beyond it tracks and sends bots no more",
              text -> text.equals("0") ? 0L : SettingParsers.bytes(text)));
  public static final Setting<Duration> AUDIT_RETENTION =
      add(
          setting(
              "CONVOKE_AUDIT_RETENTION",
              "365d",
              "how long rows of the audit journal are kept; `0s` is for ever",
              SettingParsers::duration));

  public static final Setting<Duration> HTTP_STALL_TIMEOUT =
      add(
          setting(
              "CONVOKE_HTTP_STALL_TIMEOUT",
              "30s",
              "how long a client may take no byte of its answer",
              SettingParsers::interval));
  public static final Setting<Boolean> MIGRATE =
      add(
          setting(
              "CONVOKE_MIGRATE",
              "true",
              "whether a start updates the schemas; `false` is `serve --no-migrate`: it exits if"
                  + " they are too old",
              SettingParsers::flag));
  public static final Setting<Duration> SHUTDOWN_DELAY =
      add(
          setting(
              "CONVOKE_SHUTDOWN_DELAY",
              "3s",
              "how long a server that was told to stop still serves, while `/readyz` says 503; 0s"
                  + " with `--embedded`",
              SettingParsers::duration));
  public static final Setting<Integer> HTTP_STALLED_PER_ADDRESS =
      add(
          setting(
              "CONVOKE_HTTP_STALLED_PER_ADDRESS",
              "32",
              "connections of one address without a byte for 5 s; beyond, the longest stalled are"
                  + " closed",
              SettingParsers.number(1, 100_000)));
  public static final Setting<TrustedProxies> TRUSTED_PROXIES =
      add(
          setting(
              "CONVOKE_TRUSTED_PROXIES",
              "",
              "addresses and networks, comma separated, of proxies whose `X-Forwarded-For` or"
                  + " `Forwarded` is believed",
              TrustedProxies::parse));

  public static final Setting<URI> DAILY_API_URL =
      add(
          setting(
              "CONVOKE_DAILY_API_URL",
              "https://api.daily.co/v1",
              "Daily's REST API: presence, rooms, recordings",
              SettingParsers::server));
  public static final Setting<Optional<String>> DAILY_API_KEY =
      add(text("CONVOKE_DAILY_API_KEY", "bearer key of the Daily account").asSecret());
  public static final Setting<List<String>> DAILY_WEBHOOK_SECRET =
      add(
          setting(
                  "CONVOKE_DAILY_WEBHOOK_SECRET",
                  "",
                  "base64 HMAC key of Daily's webhooks; two, comma separated, while rotating",
                  text -> text.isEmpty() ? List.<String>of() : SettingParsers.webhookSecrets(text))
              .asSecret());

  public static final Setting<Optional<URI>> DAILY_WEBHOOK_URL =
      add(
          optional(
              "CONVOKE_DAILY_WEBHOOK_URL",
              "public address of `/webhooks/daily`; with it Convoke registers and watches its"
                  + " webhook",
              SettingParsers.url("http", "https")));

  public static final Setting<ReconcileSetting> PRESENCE_RECONCILE =
      add(
          setting(
              "CONVOKE_PRESENCE_RECONCILE",
              "bulk",
              "`bulk`: one call for the whole domain a tick; `unconditional`: flags all active"
                  + " meetings",
              SettingParsers.oneOf(ReconcileSetting.class)));
  public static final Setting<Duration> PRESENCE_RECONCILE_INTERVAL =
      add(
          setting(
              "CONVOKE_PRESENCE_RECONCILE_INTERVAL",
              "30s",
              "within which every active meeting is proven",
              SettingParsers::interval));
  public static final Setting<Duration> PRESENCE_COALESCE_WINDOW =
      add(
          setting(
              "CONVOKE_PRESENCE_COALESCE_WINDOW",
              "1500ms",
              "events within it, counted from the first, cost one poll",
              SettingParsers::duration));
  public static final Setting<Duration> PRESENCE_MIN_POLL_INTERVAL =
      add(
          setting(
              "CONVOKE_PRESENCE_MIN_POLL_INTERVAL",
              "1s",
              "between two polls of one meeting",
              SettingParsers::duration));
  public static final Setting<Duration> RECORDING_POLL_INTERVAL =
      add(
          setting(
              "CONVOKE_RECORDING_POLL_INTERVAL",
              "180s",
              "between two listings of recordings, the backup of webhooks",
              SettingParsers::interval));
  public static final Setting<RoomClaimMode> ROOM_CLAIMS =
      add(
          setting(
              "CONVOKE_ROOM_CLAIMS",
              "first",
              "who owns a room of Daily: `first`: the first user who tracks it or sends a bot"
                  + " there; `assigned`: only the user to whom an admin assigns it",
              SettingParsers.oneOf(RoomClaimMode.class)));
  public static final Setting<Duration> MEETING_PROCESS_INTERVAL =
      add(
          setting(
              "CONVOKE_MEETING_PROCESS_INTERVAL",
              "60s",
              "between two runs of meeting processing",
              SettingParsers::interval));
  public static final Setting<Duration> MEETING_UNUSED_TIMEOUT =
      add(
          setting(
              "CONVOKE_MEETING_UNUSED_TIMEOUT",
              "7d",
              "after it a tracked meeting ends whose room was never used",
              SettingParsers::interval));

  public static final Setting<BotLauncher> BOT_LAUNCHER =
      add(
          setting(
              "CONVOKE_BOT_LAUNCHER",
              "process",
              "where bots run: `process`, `docker`, `nomad`, `kubernetes`",
              SettingParsers.oneOf(BotLauncher.class)));
  public static final Setting<Optional<String>> BOT_COMMAND =
      add(
          text(
              "CONVOKE_BOT_COMMAND",
              "command line of the process launcher; the reference bot without it"));
  public static final Setting<Optional<UserIds>> BOT_UIDS =
      add(
          optional(
              "CONVOKE_BOT_UIDS",
              "users that bots of the process launcher run as, one each, as `64000-64999`; needs"
                  + " root; the server's own user without it",
              UserIds::parse));
  public static final Setting<AllowedMeetingHosts> MEETING_HOSTS =
      add(
          setting(
              "CONVOKE_MEETING_HOSTS",
              "",
              "hosts that bots may be sent to besides the platforms' own, comma separated: `host`,"
                  + " `host:port` or `*.domain`; may be private and use http",
              text ->
                  text.isEmpty()
                      ? AllowedMeetingHosts.PLATFORMS
                      : AllowedMeetingHosts.listed(text)));
  public static final Setting<BotProtocolSetting> BOT_PROTOCOL =
      add(
          setting(
              "CONVOKE_BOT_PROTOCOL",
              "convoke",
              "the bots' callback protocol: `convoke`, `vexa` for Vexa's bot image up to 0.10, or"
                  + " `vexa12` for later ones",
              SettingParsers.oneOf(BotProtocolSetting.class)));
  public static final Setting<Optional<URI>> BOT_CALLBACK_URL =
      add(
          optional(
              "CONVOKE_BOT_CALLBACK_URL",
              "where bots reach this server; the listener's own address without it, which means"
                  + " themselves to bots in pods and containers",
              SettingParsers.url("http", "https")));
  public static final Setting<Optional<URI>> BOT_REDIS_URL =
      add(
          optional(
                  "CONVOKE_BOT_REDIS_URL",
                  "given to bots as `redis_url`, credentials included; without it bots wait for"
                      + " commands at `GET /callback/commands`",
                  SettingParsers.url("redis", "rediss", "redis-sentinel"))
              .asSecret());
  public static final Setting<Optional<String>> BOT_IMAGE =
      add(text("CONVOKE_BOT_IMAGE", "image of the docker and kubernetes launchers"));
  public static final Setting<ImagePull> BOT_PULL =
      add(
          setting(
              "CONVOKE_BOT_PULL",
              "missing",
              "when the image is fetched: `always`, `missing`, `never`",
              SettingParsers.oneOf(ImagePull.class)));
  public static final Setting<Optional<Long>> BOT_MEMORY =
      add(
          setting(
              "CONVOKE_BOT_MEMORY",
              "2g",
              "memory of one container, as `512m` or `2g`; `0` is unlimited",
              SettingParsers::memory));
  public static final Setting<Optional<Double>> BOT_CPUS =
      add(
          optional(
              "CONVOKE_BOT_CPUS", "processors of one container, as `0.5`", SettingParsers::cpus));
  public static final Setting<String> BOT_FLEET =
      add(
          setting(
              "CONVOKE_BOT_FLEET",
              "convoke",
              "marks our bots; two installations on one engine or cluster need two names",
              SettingParsers::label));
  public static final Setting<URI> DOCKER_HOST =
      add(
          setting(
              "CONVOKE_DOCKER_HOST",
              "unix:///var/run/docker.sock",
              "the Docker engine",
              SettingParsers.url("unix", "tcp")));
  public static final Setting<Optional<String>> DOCKER_NETWORK =
      add(text("CONVOKE_DOCKER_NETWORK", "network of the bots' containers"));
  public static final Setting<ObjectNode> BOT_DOCKER_TEMPLATE =
      add(
          setting(
              "CONVOKE_BOT_DOCKER_TEMPLATE",
              "{}",
              "JSON or a file of it: changes to what the docker launcher sends to the engine",
              SettingParsers::template));
  public static final Setting<ObjectNode> BOT_POD_TEMPLATE =
      add(
          setting(
              "CONVOKE_BOT_POD_TEMPLATE",
              "{}",
              "JSON or a file of it: changes to the pods of the kubernetes launcher",
              SettingParsers::template));
  public static final Setting<Optional<URI>> NOMAD_ADDR =
      add(optional("CONVOKE_NOMAD_ADDR", "address of Nomad", SettingParsers::server));
  public static final Setting<Optional<String>> NOMAD_JOB =
      add(text("CONVOKE_NOMAD_JOB", "the parameterized job that runs a bot"));
  public static final Setting<Optional<String>> NOMAD_TOKEN =
      add(text("CONVOKE_NOMAD_TOKEN", "token of Nomad").asSecret());
  public static final Setting<Optional<String>> NOMAD_NAMESPACE =
      add(text("CONVOKE_NOMAD_NAMESPACE", "namespace of that job; Nomad's default without it"));
  public static final Setting<Optional<String>> NOMAD_REGION =
      add(text("CONVOKE_NOMAD_REGION", "region of that job; the agent's own without it"));
  public static final Setting<Optional<String>> NOMAD_CA_FILE =
      add(text("CONVOKE_NOMAD_CA_FILE", "certificate authority of Nomad, PEM"));
  public static final Setting<Optional<String>> NOMAD_CERT_FILE =
      add(text("CONVOKE_NOMAD_CERT_FILE", "our certificate for Nomad, PEM"));
  public static final Setting<Optional<String>> NOMAD_KEY_FILE =
      add(text("CONVOKE_NOMAD_KEY_FILE", "its key, PEM, PKCS #8"));
  public static final Setting<Optional<URI>> KUBERNETES_URL =
      add(
          optional(
              "CONVOKE_KUBERNETES_URL",
              "the API server; the cluster that we run in without it",
              SettingParsers::server));
  public static final Setting<Optional<String>> KUBERNETES_NAMESPACE =
      add(
          text(
              "CONVOKE_KUBERNETES_NAMESPACE",
              "namespace of the bots' pods; our own, or `default`, without it"));
  public static final Setting<Optional<String>> KUBERNETES_TOKEN =
      add(
          text("CONVOKE_KUBERNETES_TOKEN", "bearer token; our service account's without it")
              .asSecret());
  public static final Setting<Optional<String>> KUBERNETES_CA_FILE =
      add(
          text(
              "CONVOKE_KUBERNETES_CA_FILE",
              "certificate authority of the API server, PEM; our service account's without it"));
  public static final Setting<Duration> BOTS_HEARTBEAT_INTERVAL =
      add(
          setting(
              "CONVOKE_BOTS_HEARTBEAT_INTERVAL",
              "30s",
              "between two heartbeats of a bot",
              SettingParsers::interval));
  public static final Setting<Boolean> BOTS_COUNT_STOPPING =
      add(
          setting(
              "CONVOKE_BOTS_COUNT_STOPPING",
              "false",
              "whether stopping bots count against a user's limit",
              SettingParsers::flag));
  public static final Setting<Optional<Integer>> BOTS_MAX_LIVE =
      add(
          optional(
              "CONVOKE_BOTS_MAX_LIVE",
              "live bots of all users at most",
              SettingParsers.number(0, 1_000_000)));
  public static final Setting<Optional<Integer>> BOTS_LAUNCH_RATE =
      add(
          optional(
              "CONVOKE_BOTS_LAUNCH_RATE",
              "launches a second at most",
              SettingParsers.number(1, 10_000)));
  public static final Setting<Optional<Integer>> BOTS_SWEEP_CAP =
      add(
          optional(
              "CONVOKE_BOTS_SWEEP_CAP",
              "bots that one sweep may fail; without it the larger of 10 and a tenth of the fleet",
              SettingParsers.number(1, 1_000_000)));
  public static final Setting<Duration> BOTS_RESERVED_TIMEOUT =
      add(
          setting(
              "CONVOKE_BOTS_RESERVED_TIMEOUT",
              "5m",
              "how long a bot may stay reserved",
              SettingParsers::interval));
  public static final Setting<Duration> BOTS_STARTING_TIMEOUT =
      add(
          setting(
              "CONVOKE_BOTS_STARTING_TIMEOUT",
              "10m",
              "how long a bot may stay starting",
              SettingParsers::interval));
  public static final Setting<Duration> BOTS_HEARTBEAT_TIMEOUT =
      add(
          setting(
              "CONVOKE_BOTS_HEARTBEAT_TIMEOUT",
              "2m",
              "how long an active bot may send no heartbeat",
              SettingParsers::interval));
  public static final Setting<Duration> BOTS_STOPPING_TIMEOUT =
      add(
          setting(
              "CONVOKE_BOTS_STOPPING_TIMEOUT",
              "2m",
              "how long a bot may stay stopping",
              SettingParsers::interval));
  public static final Setting<Duration> BOTS_ABANDON_AFTER =
      add(
          setting(
              "CONVOKE_BOTS_ABANDON_AFTER",
              "6h",
              "how long after its deadline a bot whose launcher is out of reach is given up",
              SettingParsers::interval));
  public static final Setting<Duration> BOTS_SWEEP_INTERVAL =
      add(
          setting(
              "CONVOKE_BOTS_SWEEP_INTERVAL",
              "1m",
              "between two sweeps; up to `1m` no longer than the shortest of these timeouts",
              SettingParsers::interval));

  public static final Setting<LogFormat> LOG_FORMAT =
      add(
          setting(
              "CONVOKE_LOG_FORMAT",
              "json",
              "`json`, one object a line, or `text`; on standard error",
              SettingParsers.oneOf(LogFormat.class)));
  public static final Setting<Optional<URI>> TRACES_URL =
      add(
          optional(
              "CONVOKE_TRACES_URL",
              "where spans go by OTLP over HTTP, such as `http://collector:4318`; `OTEL_*`"
                  + " variables configure the rest",
              SettingParsers::server));
  public static final Setting<Optional<URI>> SIM_URL =
      add(
          optional(
              "CONVOKE_SIM_URL",
              "an attached platform simulator, for the operator's `/simulator` and its page",
              SettingParsers::server));

  private Settings() {}

  /** How the reconciliation timer finds what webhooks missed. */
  public enum ReconcileSetting {
    BULK,
    UNCONDITIONAL
  }

  /** Where bots run. */
  public enum BotLauncher {
    PROCESS,
    DOCKER,
    NOMAD,
    KUBERNETES
  }

  /** Which callbacks the bots make. */
  public enum BotProtocolSetting {
    CONVOKE,
    VEXA,
    VEXA12;

    /** Whether the bots are Vexa's image, of whatever release. */
    public boolean vexa() {
      return this != CONVOKE;
    }
  }

  /** When the bots' image is fetched from its registry. */
  public enum ImagePull {
    ALWAYS,
    MISSING,
    NEVER
  }

  /** The format of log lines. */
  public enum LogFormat {
    JSON,
    TEXT
  }

  /** These, the settings of Janus and of the identity provider, and those of the later systems. */
  public static List<Setting<?>> all() {
    List<Setting<?>> all = new ArrayList<>(ALL);
    all.addAll(VexaSettings.all());
    all.addAll(BotRuleSettings.all());
    all.addAll(JanusSettings.all());
    all.addAll(SignInSettings.all());
    all.addAll(BackgroundWorkSettings.all());
    return all;
  }

  private static <T> Setting<T> add(Setting<T> setting) {
    ALL.add(setting);
    return setting;
  }
}
