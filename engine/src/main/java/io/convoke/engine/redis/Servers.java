package io.convoke.engine.redis;

import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Who serves a key: always the same server, or a node of a cluster. */
sealed interface Servers extends AutoCloseable permits Servers.One, Cluster {
  /**
   * The server that has a key.
   *
   * @throws RedisUnavailable when nobody is known to have it
   */
  Server of(String key);

  /**
   * The server of parts that cannot say which key they mean.
   *
   * @throws IllegalStateException on a cluster
   */
  Server only();

  /** Sends something to who has a key, and again where it is told that another one has it. */
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
