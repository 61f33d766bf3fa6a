package io.convoke.server.launch.kubernetes;

import io.convoke.server.launch.BotImage;
import java.net.URI;
import java.util.Optional;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;

/**
 * Where and how pods are made.
 *
 * @param token read for each request, because service account tokens are renewed
 * @param trust CA certificates of the API server; absent: the system's
 * @param fleet whose bots they are: two installations in one namespace need two names
 */
public record KubernetesConfig(
    URI server,
    String namespace,
    Supplier<Optional<String>> token,
    Optional<SSLContext> trust,
    String fleet,
    BotImage image) {
  @Override
  public String toString() {
    return "KubernetesConfig[" + server + ", " + namespace + "]";
  }
}
