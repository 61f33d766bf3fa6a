package io.convoke.server.launch.kubernetes;

import io.convoke.server.config.InvalidConfigException;
import io.convoke.server.config.ServerConfig;
import io.convoke.server.config.Settings;
import io.convoke.server.launch.BotImage;
import io.convoke.server.launch.BotSandbox;
import io.convoke.server.launch.TlsConfig;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;

/**
 * Where and how pods are made.
 *
 * @param token read for each request, because service account tokens are renewed
 * @param trust CA certificates of the API server; absent: the system's
 * @param fleet label of the bots: two installations in one namespace need two
 */
public record KubernetesConfig(
    URI server,
    String namespace,
    Supplier<Optional<String>> token,
    Optional<SSLContext> trust,
    String fleet,
    BotImage image,
    BotSandbox sandbox) {
  private static final Path ACCOUNT = Path.of("/var/run/secrets/kubernetes.io/serviceaccount");

  /** Without a template. */
  public KubernetesConfig(
      URI server,
      String namespace,
      Supplier<Optional<String>> token,
      Optional<SSLContext> trust,
      String fleet,
      BotImage image) {
    this(server, namespace, token, trust, fleet, image, BotSandbox.HARDENED);
  }

  /** Reads the settings, and what they omit from the service account of this process's pod. */
  public static KubernetesConfig of(ServerConfig config) {
    return of(config, System.getenv(), ACCOUNT);
  }

  static KubernetesConfig of(ServerConfig config, Map<String, String> environment, Path account) {
    List<String> faults = PodManifests.faults(config.get(Settings.BOT_POD_TEMPLATE));
    if (!faults.isEmpty()) {
      throw new InvalidConfigException(
          faults.stream().map(fault -> Settings.BOT_POD_TEMPLATE.name() + ": " + fault).toList());
    }
    Optional<String> given = config.get(Settings.KUBERNETES_TOKEN);
    return new KubernetesConfig(
        config.get(Settings.KUBERNETES_URL).orElseGet(() -> ownCluster(environment)),
        config
            .get(Settings.KUBERNETES_NAMESPACE)
            .or(() -> read(account.resolve("namespace")))
            .orElse("default"),
        given.isPresent() ? () -> given : () -> read(account.resolve("token")),
        config
            .get(Settings.KUBERNETES_CA_FILE)
            .map(Path::of)
            .or(() -> Optional.of(account.resolve("ca.crt")).filter(Files::isReadable))
            .map(file -> TlsConfig.trusting(Settings.KUBERNETES_CA_FILE.name(), file)),
        config.get(Settings.BOT_FLEET),
        BotImage.of(config),
        new BotSandbox(
            config.get(Settings.BOT_PROTOCOL).vexa(), config.get(Settings.BOT_POD_TEMPLATE)));
  }

  @Override
  public String toString() {
    return "KubernetesConfig[" + server + ", " + namespace + "]";
  }

  private static URI ownCluster(Map<String, String> environment) {
    String host = environment.get("KUBERNETES_SERVICE_HOST");
    String port = environment.get("KUBERNETES_SERVICE_PORT");
    if (host == null || port == null) {
      throw new InvalidConfigException(
          List.of("CONVOKE_KUBERNETES_URL is missing, and the server does not run in a cluster"));
    }
    return URI.create("https://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port);
  }

  private static Optional<String> read(Path file) {
    try {
      return Files.isReadable(file)
          ? Optional.of(Files.readString(file).strip())
          : Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
