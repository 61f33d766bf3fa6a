package io.convoke.server.config;

import io.convoke.agent.blobs.BlobStoreConfig.S3Credentials;
import io.convoke.engine.sql.DatabaseUrl;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** The values of all settings, checked. */
public final class ServerConfig {
  private static final int ADMIN_TOKEN_MIN = 32;

  private static final String NO_CALLBACK_URL =
      "CONVOKE_BOT_CALLBACK_URL is missing: bots of this CONVOKE_BOT_LAUNCHER would call"
          + " themselves";

  /** Addresses of the listener by which nothing on another machine reaches it. */
  private static final Set<String> OF_THIS_MACHINE =
      Set.of("0.0.0.0", "127.0.0.1", "localhost", "::", "[::]", "::1", "[::1]");

  private final Map<Setting<?>, Object> values;
  private final Map<Setting<?>, String> texts;

  private ServerConfig(Map<Setting<?>, Object> values, Map<Setting<?>, String> texts) {
    this.values = values;
    this.texts = texts;
  }

  /**
   * Reads a configuration from texts by variable name.
   *
   * @throws InvalidConfigException with every fault at once
   */
  public static ServerConfig of(Map<String, String> texts) {
    ServerConfig serverConfig = each(texts);
    serverConfig.check();
    return serverConfig;
  }

  /**
   * Reads each setting on its own without checking their combination: for commands that need few of
   * them.
   *
   * @throws InvalidConfigException with every fault, for unknown settings and invalid values
   */
  public static ServerConfig each(Map<String, String> texts) {
    List<String> faults = new ArrayList<>();
    Map<String, String> left = new HashMap<>(texts);
    Map<Setting<?>, Object> values = new HashMap<>();
    Map<Setting<?>, String> given = new HashMap<>();
    for (Setting<?> setting : Settings.all()) {
      String text = Optional.ofNullable(left.remove(setting.name())).orElse(setting.fallback());
      given.put(setting, text);
      try {
        values.put(setting, Objects.requireNonNull(setting.parser().apply(text)));
      } catch (IllegalArgumentException e) {
        String shown = setting.secret() ? "" : ", not \"" + text + "\"";
        faults.add(setting.name() + " must be " + e.getMessage() + shown);
      }
    }
    left.keySet().stream().sorted().map(name -> "unknown setting " + name).forEach(faults::add);
    if (!faults.isEmpty()) {
      throw new InvalidConfigException(faults);
    }
    return new ServerConfig(values, given);
  }

  @SuppressWarnings("unchecked") // The value was made by the setting's own parser.
  public <T> T get(Setting<T> setting) {
    return (T) Objects.requireNonNull(values.get(setting));
  }

  /** Each setting that differs from its default, as text; secrets as three stars. */
  public List<String> differences() {
    return Settings.all().stream()
        .filter(setting -> !setting.fallback().equals(texts.get(setting)))
        .map(setting -> setting.name() + "=" + (setting.secret() ? "***" : texts.get(setting)))
        .toList();
  }

  /** What works and should not be left so, a sentence each. */
  public List<String> warnings() {
    List<String> warnings = new ArrayList<>();
    get(Settings.ADMIN_TOKEN)
        .filter(token -> token.length() < ADMIN_TOKEN_MIN)
        .ifPresent(
            _ ->
                warnings.add(
                    "CONVOKE_ADMIN_TOKEN has fewer than "
                        + ADMIN_TOKEN_MIN
                        + " characters: take random ones, for example from openssl rand"
                        + " -base64 32"));
    get(SignInSettings.OIDC_ISSUER)
        .filter(issuer -> !"https".equals(issuer.getScheme()))
        .ifPresent(
            _ ->
                warnings.add("CONVOKE_OIDC_ISSUER is no https: its keys and tokens can be forged"));
    if (get(BackgroundWorkSettings.CRM_OWNER).isPresent()
        && get(BackgroundWorkSettings.CRM_KIND) == BackgroundWorkSettings.CrmKind.HUBSPOT
        && get(BackgroundWorkSettings.CRM_SECRET).isEmpty()) {
      warnings.add(
          "CONVOKE_CRM_OWNER has no effect without CONVOKE_CRM_SECRET: in accounts of users the"
              + " owner is the meeting's user");
    }
    if (callbacksStayHere()) {
      switch (get(Settings.BOT_LAUNCHER)) {
        case DOCKER -> {
          if (!get(Settings.DOCKER_NETWORK).equals(Optional.of("host"))) {
            warnings.add(NO_CALLBACK_URL + ", unless its containers are in the host's network");
          }
        }
        case NOMAD ->
            warnings.add(
                NO_CALLBACK_URL + ", unless its jobs run on this machine in the host's network");
        case PROCESS, KUBERNETES -> {}
      }
    }
    return warnings;
  }

  /** Whether bots that are elsewhere cannot call back. */
  private boolean callbacksStayHere() {
    return get(Settings.BOT_CALLBACK_URL).isEmpty() && OF_THIS_MACHINE.contains(get(Settings.HOST));
  }

  private static boolean isCluster(URI url) {
    return url.getScheme().endsWith("-cluster");
  }

  private Optional<String> faultOf(Setting<Optional<String>> url) {
    try {
      Optional<DatabaseUrl> _ = get(url).map(DatabaseUrl::parse);
      return Optional.empty();
    } catch (IllegalArgumentException e) {
      return Optional.of(url.name() + ": " + e.getMessage());
    }
  }

  /** Where a connection to the database is a session, for LISTEN and migrations. */
  public Optional<DatabaseUrl> sessionDatabaseUrl() {
    return get(Settings.LISTEN_DATABASE_URL)
        .or(() -> get(Settings.DATABASE_URL))
        .map(DatabaseUrl::parse);
  }

  /**
   * Checks the addresses of the database, for commands that migrate and check nothing else.
   *
   * @throws InvalidConfigException with every fault
   */
  public void checkDatabase() {
    List<String> faults = databaseFaults();
    if (!faults.isEmpty()) {
      throw new InvalidConfigException(faults);
    }
  }

  private List<String> databaseFaults() {
    List<String> unreadable =
        Stream.of(Settings.DATABASE_URL, Settings.LISTEN_DATABASE_URL)
            .flatMap(url -> faultOf(url).stream())
            .toList();
    return unreadable.isEmpty()
            && sessionDatabaseUrl().filter(DatabaseUrl::transactionPooled).isPresent()
        ? List.of(
            "CONVOKE_LISTEN_DATABASE_URL must be a way past the pooler of transactions: LISTEN and"
                + " migrations need sessions")
        : unreadable;
  }

  /** What no single setting can see. */
  private void check() {
    List<String> faults = new ArrayList<>();
    if (get(Settings.JWT_SECRET).isPresent() && get(Settings.JWKS_URL).isPresent()) {
      faults.add("CONVOKE_JWT_SECRET and CONVOKE_JWKS_URL exclude each other");
    }
    get(Settings.JWT_SECRET)
        .filter(secret -> secret.length() < 32)
        .ifPresent(secret -> faults.add("CONVOKE_JWT_SECRET must be 32 bytes at least"));
    if (get(BackgroundWorkSettings.HUBSPOT_CLIENT_ID).isPresent()
        != get(BackgroundWorkSettings.HUBSPOT_CLIENT_SECRET).isPresent()) {
      faults.add("CONVOKE_HUBSPOT_CLIENT_ID and CONVOKE_HUBSPOT_CLIENT_SECRET need each other");
    }
    if (get(BackgroundWorkSettings.HUBSPOT_CLIENT_ID).isPresent()
        && (get(BackgroundWorkSettings.CRM_URL).isEmpty()
            || get(BackgroundWorkSettings.CRM_KIND) != BackgroundWorkSettings.CrmKind.HUBSPOT)) {
      faults.add("CONVOKE_HUBSPOT_CLIENT_ID needs CONVOKE_CRM_URL and CONVOKE_CRM_KIND=hubspot");
    }
    S3Credentials.fault(
            get(BackgroundWorkSettings.S3_ACCESS_KEY), get(BackgroundWorkSettings.S3_SECRET_KEY))
        .ifPresent(faults::add);
    if (get(SignInSettings.OIDC_ISSUER).isPresent()
        && get(SignInSettings.OIDC_CLIENT_ID).isEmpty()) {
      faults.add("CONVOKE_OIDC_ISSUER needs CONVOKE_OIDC_CLIENT_ID");
    }
    if (get(Settings.DATABASE_URL).isEmpty() != get(Settings.REDIS_URL).isEmpty()) {
      faults.add(
          "CONVOKE_DATABASE_URL and CONVOKE_REDIS_URL come together, or neither with --embedded");
    }
    faults.addAll(databaseFaults());
    get(BackgroundWorkSettings.DISPATCH_DEAD_AFTER)
        .filter(silence -> silence.compareTo(get(BackgroundWorkSettings.DISPATCH_LEASE)) > 0)
        .ifPresent(
            _ -> faults.add("CONVOKE_DISPATCH_DEAD_AFTER is longer than CONVOKE_DISPATCH_LEASE"));
    if (get(Settings.REDIS_URL).filter(ServerConfig::isCluster).isPresent()) {
      faults.add(
          "CONVOKE_REDIS_URL names a cluster, where presence does not work: name one Redis,"
              + " and the cluster for tasks as CONVOKE_DISPATCH_REDIS_URL");
    }
    if (get(Settings.DATABASE_URL).isPresent() && get(Settings.SECRET_KEY).isEmpty()) {
      faults.add(
          "CONVOKE_SECRET_KEY is missing: base64 of 32 random bytes, for example from openssl rand"
              + " -base64 32");
    }
    if (get(Settings.DAILY_WEBHOOK_URL).isPresent()
        && (get(Settings.DAILY_API_KEY).isEmpty()
            || get(Settings.DAILY_WEBHOOK_SECRET).isEmpty())) {
      faults.add(
          "CONVOKE_DAILY_WEBHOOK_URL needs CONVOKE_DAILY_API_KEY and CONVOKE_DAILY_WEBHOOK_SECRET");
    }
    if (get(JanusSettings.JANUS_ADMIN_URL).isPresent()
        && (get(JanusSettings.JANUS_ADMIN_SECRET).isEmpty()
            || get(JanusSettings.JANUS_ADMIN_KEY).isEmpty())) {
      faults.add(
          "CONVOKE_JANUS_ADMIN_URL needs CONVOKE_JANUS_ADMIN_SECRET and CONVOKE_JANUS_ADMIN_KEY");
    }
    if (get(JanusSettings.JANUS_URL).isPresent() && get(JanusSettings.JANUS_ADMIN_URL).isEmpty()) {
      faults.add("CONVOKE_JANUS_URL needs CONVOKE_JANUS_ADMIN_URL");
    }
    if (get(JanusSettings.JANUS_RECORDINGS).isPresent()
        && get(JanusSettings.JANUS_ADMIN_URL).isEmpty()) {
      faults.add("CONVOKE_JANUS_RECORDINGS needs CONVOKE_JANUS_ADMIN_URL");
    }
    switch (get(Settings.BOT_LAUNCHER)) {
      case PROCESS -> {}
      case DOCKER, KUBERNETES -> {
        if (get(Settings.BOT_IMAGE).isEmpty()) {
          faults.add("CONVOKE_BOT_IMAGE is missing for this CONVOKE_BOT_LAUNCHER");
        }
        if (get(Settings.BOT_LAUNCHER) == Settings.BotLauncher.KUBERNETES && callbacksStayHere()) {
          faults.add(NO_CALLBACK_URL);
        }
      }
      case NOMAD -> {
        if (get(Settings.NOMAD_ADDR).isEmpty() || get(Settings.NOMAD_JOB).isEmpty()) {
          faults.add(
              "CONVOKE_NOMAD_ADDR and CONVOKE_NOMAD_JOB are missing for"
                  + " CONVOKE_BOT_LAUNCHER=nomad");
        }
      }
    }
    if (!faults.isEmpty()) {
      throw new InvalidConfigException(faults);
    }
  }
}
