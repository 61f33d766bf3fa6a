package io.convoke.engine.redis;

import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Finds the server of a key: always the same one, or a cluster node. */
sealed interface Servers extends AutoCloseable permits Servers.One, Cluster {
  /**
   * The server that has a key.
   *
   * @throws RedisUnavailable when no node is known to serve its slot
   */
  Server of(String key);

  /**
   * The server of parts that cannot say which key they mean.
   *
   * @throws IllegalStateException on a cluster
   */
  Server only();

  /** Sends a command to the server of a key, and follows redirections. */
  <T extends @Nullable Object> CompletableFuture<T> send(
      String key, Function<Server, CompletableFuture<T>> sending);

  /** Whether a command would be sent right now. */
  boolean up();

  @Override
  void close();

  /** One server, or the master behind Sentinels. */
  record One(Server only) implements Servers {
    @Override
    public Server of(String key) {
      return only;
    }

    @Override
    public <T extends @Nullable Object> CompletableFuture<T> send(
        String key, Function<Server, CompletableFuture<T>> sending) {
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
