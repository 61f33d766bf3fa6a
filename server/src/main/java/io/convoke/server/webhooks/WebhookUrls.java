package io.convoke.server.webhooks;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Optional;

/** Validates endpoint URLs. */
final class WebhookUrls {
  private static final int PORT_MAX = 65_535;

  private WebhookUrls() {}

  /** Why the URL is invalid; empty if it is valid. */
  static Optional<String> fault(String text) {
    try {
      URI url = new URI(text);
      if (url.getHost() == null) {
        return Optional.of("has no host");
      }
      if (url.getPort() == 0 || url.getPort() > PORT_MAX) {
        return Optional.of("has a port that cannot be");
      }
      if (url.getRawUserInfo() != null) {
        return Optional.of("must not hold credentials");
      }
      if (url.getRawFragment() != null) {
        return Optional.of("must not have a fragment");
      }
      return text.chars().allMatch(c -> c > 0x20 && c < 0x7f)
          ? Optional.empty()
          : Optional.of("must be ASCII; encode the rest");
    } catch (URISyntaxException e) {
      return Optional.of("is not a URL");
    }
  }

  /** The host, an IPv6 address without its brackets. */
  static String bareHost(URI url) {
    String host = url.getHost();
    return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
  }
}
