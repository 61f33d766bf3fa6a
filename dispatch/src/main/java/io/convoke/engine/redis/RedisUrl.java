package io.convoke.engine.redis;

import io.lettuce.core.RedisURI;
import java.util.Arrays;
import java.util.List;

/** Where Redis is, as an operator writes it. */
sealed interface RedisUrl {
  /** {@code redis://}, {@code rediss://} or {@code redis-sentinel://}. */
  record SingleServerUrl(RedisURI uri) implements RedisUrl {}

  /** Some of the nodes of a cluster; the others are found by asking these. */
  record ClusterUrl(List<RedisURI> seeds) implements RedisUrl {}

  String CLUSTER = "redis-cluster://";
  String CLUSTER_TLS = "rediss-cluster://";

  /**
   * Reads {@code redis://:pass@host:port} or {@code redis-cluster://:pass@host:port,host:port}; the
   * password is the same for all nodes of a cluster, and so is TLS ({@code rediss-cluster://}).
   *
   * @throws IllegalArgumentException in words for the operator, never repeating the password
   */
  static RedisUrl of(String url) {
    try {
      return isCluster(url)
          ? new ClusterUrl(seeds(url))
          : new SingleServerUrl(bounded(RedisURI.create(url)));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "not a URL of the form redis://:pass@host:port or"
              + " redis-cluster://:pass@host:port,host:port");
    }
  }

  static boolean isCluster(String url) {
    return url.startsWith(CLUSTER) || url.startsWith(CLUSTER_TLS);
  }

  private static List<RedisURI> seeds(String url) {
    String scheme = url.startsWith(CLUSTER) ? "redis://" : "rediss://";
    String rest = url.substring(url.indexOf("://") + 3);
    if (rest.endsWith("/")) {
      rest = rest.substring(0, rest.length() - 1);
    }
    int at = rest.lastIndexOf('@');
    String who = rest.substring(0, at + 1);
    String hosts = rest.substring(at + 1);
    if (hosts.isEmpty() || hosts.matches(".*[/?#].*")) {
      throw new IllegalArgumentException("a cluster has no database");
    }
    return Arrays.stream(hosts.split(",", -1))
        .map(host -> bounded(RedisURI.create(scheme + who + host)))
        .toList();
  }

  private static RedisURI bounded(RedisURI uri) {
    uri.setTimeout(RedisNode.COMMAND_MAX);
    return uri;
  }
}
