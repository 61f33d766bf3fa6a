package io.convoke.bench.locks;

import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A hand-written lock on Lettuce: {@code SET NX PX}, and a script that deletes the lock if its
 * token is still the same. No renewal, no epoch, no notice of a loss. Its token is as cheap as a
 * unique one can be, and it waits without a time limit, as Convoke's does.
 */
final class HandWrittenLocker implements Locker {
  static final String NAME = "hand-written";

  private static final String DELETE =
      "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return"
          + " 0";

  private final RedisClient client;
  private final StatefulRedisConnection<String, String> connection;
  private final RedisAsyncCommands<String, String> commands;
  private final String sha;
  private final SetArgs terms = SetArgs.Builder.nx().px(120_000);
  private final String owner = UUID.randomUUID() + ":";
  private final AtomicLong count = new AtomicLong();

  HandWrittenLocker(String url) {
    this.client = RedisClient.create(url);
    this.connection = client.connect();
    this.commands = connection.async();
    this.sha = connection.sync().scriptLoad(DELETE);
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public void once(String key) throws Exception {
    String token = owner + count.incrementAndGet();
    if (!"OK".equals(commands.set(key, token, terms).toCompletableFuture().get())) {
      throw new IllegalStateException(key + " has another holder");
    }
    Long deleted =
        commands
            .<Long>evalsha(sha, ScriptOutputType.INTEGER, new String[] {key}, token)
            .toCompletableFuture()
            .get();
    if (deleted != 1) {
      throw new IllegalStateException(key + " was lost");
    }
  }

  @Override
  public void close() {
    connection.close();
    client.shutdown();
  }
}
