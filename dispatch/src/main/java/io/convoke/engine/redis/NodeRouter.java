package io.convoke.engine.redis;

import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Finds the server of a key: always the same one, or a cluster node. */
sealed interface NodeRouter extends AutoCloseable
    permits NodeRouter.SingleNodeRouter, ClusterRouter {
  /**
   * The server that has a key.
   *
   * @throws RedisUnavailable when no node is known to serve its slot
   */
  RedisNode of(String key);

  /**
   * The server of parts that cannot say which key they mean.
   *
   * @throws IllegalStateException on a cluster
   */
  RedisNode only();

  /** Sends a command to the server of a key, and follows redirections. */
  <T extends @Nullable Object> CompletableFuture<T> send(
      String key, Function<RedisNode, CompletableFuture<T>> sending);

  /** Whether a command would be sent right now. */
  boolean up();

  @Override
  void close();

  /** One server, or the master behind Sentinels. */
  record SingleNodeRouter(RedisNode only) implements NodeRouter {
    @Override
    public RedisNode of(String key) {
      return only;
    }

    @Override
    public <T extends @Nullable Object> CompletableFuture<T> send(
        String key, Function<RedisNode, CompletableFuture<T>> sending) {
      return sending.apply(only);
    }

    @Override
    public boolean up() {
      return only.up();
    }

    @Override
    public void close() {
      only.close();
    }
  }
}
