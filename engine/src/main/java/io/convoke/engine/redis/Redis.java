package io.convoke.engine.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.event.connection.ConnectionActivatedEvent;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.Delay;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The way to Redis. All threads share one multiplexed connection, so concurrent commands travel in
 * one packet; a command sent while Redis is away fails at once instead of queueing, because a queue
 * in front of a lossy store only hides its loss. The connection comes back by itself.
 */
public final class Redis implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Redis.class);
  private static final Duration COMMAND_MAX = Duration.ofSeconds(2);
  private static final Duration CONNECT_MAX = Duration.ofSeconds(1);
  private static final Duration RECONNECT_MAX = Duration.ofMillis(500);

  private final ClientResources resources;
  private final RedisClient client;
  private final CopyOnWriteArrayList<Runnable> reconnectActions = new CopyOnWriteArrayList<>();
  private final Object connecting = new Object();
  private volatile @Nullable StatefulRedisConnection<String, String> shared;
  private volatile @Nullable Subscriptions subscriptions;

  private Redis(ClientResources resources, RedisClient client) {
    this.resources = resources;
    this.client = client;
  }

  /** Prepares the way to {@code redis://...}; connects with the first command, not now. */
  public static Redis open(String url) {
    RedisURI uri = RedisURI.create(url);
    uri.setTimeout(COMMAND_MAX);
    ClientResources resources =
        DefaultClientResources.builder()
            .ioThreadPoolSize(2)
            .computationThreadPoolSize(2)
            .reconnectDelay(Delay.constant(RECONNECT_MAX))
            .build();
    RedisClient client = RedisClient.create(resources, uri);
    client.setOptions(
        ClientOptions.builder()
            .autoReconnect(true)
            .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
            .socketOptions(
                SocketOptions.builder().connectTimeout(CONNECT_MAX).keepAlive(true).build())
            .timeoutOptions(TimeoutOptions.enabled(COMMAND_MAX))
            .build());
    Redis redis = new Redis(resources, client);
    var _ =
        resources
            .eventBus()
            .get()
            .ofType(ConnectionActivatedEvent.class)
            .subscribe(event -> redis.reconnected());
    return redis;
  }

  /**
   * Runs a script and answers what it returned: Long, String, List or null.
   *
   * @throws RedisUnavailable when Redis is away or silent for two seconds
   */
  public @Nullable Object eval(Script script, List<String> keys, List<String> args) {
    return await(evalAsync(script, keys, args).toCompletableFuture());
  }

  /** The same without waiting; the stage fails with {@link RedisUnavailable} when Redis is away. */
  public CompletionStage<@Nullable Object> evalAsync(
      Script script, List<String> keys, List<String> args) {
    CompletableFuture<@Nullable Object> answer = new CompletableFuture<>();
    try {
      RedisAsyncCommands<String, String> commands = async();
      settle(
          run(commands, CommandType.EVALSHA, script.sha(), keys, args),
          (value, error) -> {
            if (error instanceof RedisNoScriptException) {
              settle(
                  run(commands, CommandType.EVAL, script.source(), keys, args),
                  (again, failure) -> finish(answer, again, failure));
            } else {
              finish(answer, value, error);
            }
          });
    } catch (RedisUnavailable e) {
      answer.completeExceptionally(e);
    }
    return answer;
  }

  private static CompletionStage<@Nullable Object> run(
      RedisAsyncCommands<String, String> commands,
      CommandType type,
      String script,
      List<String> keys,
      List<String> args) {
    return commands.dispatch(
        type,
        new ScriptAnswer(),
        new CommandArgs<>(StringCodec.UTF8)
            .add(script)
            .add(keys.size())
            .addKeys(keys)
            .addValues(args));
  }

  /** Runs plain commands on the shared connection and waits for the last of them. */
  public <T extends @Nullable Object> T call(
      Function<RedisAsyncCommands<String, String>, ? extends CompletionStage<T>> call) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    try {
      settle(call.apply(async()), (value, error) -> finish(answer, value, error));
    } catch (RedisException e) {
      throw translated(e);
    }
    return await(answer);
  }

  /** The shared connection, for callers that pipeline by themselves. */
  public RedisAsyncCommands<String, String> async() {
    return connection().async();
  }

  /**
   * Opens a connection of its own for commands that block, like BZPOPMIN; the caller closes it.
   * {@code wait} is the longest block, so that silence beyond it counts as Redis being away.
   */
  public StatefulRedisConnection<String, String> dedicated(Duration wait) {
    try {
      StatefulRedisConnection<String, String> connection = client.connect();
      connection.setTimeout(wait.plus(COMMAND_MAX));
      return connection;
    } catch (RedisException e) {
      throw new RedisUnavailable(e);
    }
  }

  /**
   * Calls {@code onMessage} for each message of a channel, and again after every reconnect; what
   * was published while the connection was down is lost, as Redis says it is.
   */
  public AutoCloseable subscribe(String channel, Consumer onMessage) {
    return subscriptions().add(channel, onMessage);
  }

  /** A receiver of messages; it runs on the connection's thread and must not block. */
  @FunctionalInterface
  public interface Consumer {
    void accept(String message);
  }

  /** Runs after every connect of this process to Redis, the first one included. */
  public void onConnect(Runnable action) {
    reconnectActions.add(action);
  }

  /** Whether a command would be sent right now. */
  public boolean available() {
    StatefulRedisConnection<String, String> connection = shared;
    return connection != null && connection.isOpen();
  }

  @Override
  public void close() {
    client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    resources.shutdown(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(2, TimeUnit.SECONDS);
  }

  private void reconnected() {
    for (Runnable action : reconnectActions) {
      Thread.ofVirtual().name("redis-connected").start(action);
    }
  }

  private StatefulRedisConnection<String, String> connection() {
    StatefulRedisConnection<String, String> connection = shared;
    if (connection != null) {
      return connection;
    }
    synchronized (connecting) {
      if (shared == null) {
        try {
          shared = client.connect();
        } catch (RedisException e) {
          throw new RedisUnavailable(e);
        }
      }
      return java.util.Objects.requireNonNull(shared);
    }
  }

  private Subscriptions subscriptions() {
    synchronized (connecting) {
      Subscriptions current = subscriptions;
      if (current == null) {
        try {
          current = new Subscriptions(client.connectPubSub());
        } catch (RedisException e) {
          throw new RedisUnavailable(e);
        }
        subscriptions = current;
      }
      return current;
    }
  }

  private static <T extends @Nullable Object> void settle(
      CompletionStage<T> stage, BiConsumer<T, @Nullable Throwable> then) {
    var _ =
        stage.whenComplete(
            (value, error) ->
                then.accept(value, error instanceof CompletionException e ? e.getCause() : error));
  }

  private static <T extends @Nullable Object> void finish(
      CompletableFuture<T> answer, T value, @Nullable Throwable error) {
    if (error == null) {
      answer.complete(value);
    } else {
      answer.completeExceptionally(translated(error));
    }
  }

  private static RuntimeException translated(Throwable error) {
    return error instanceof RedisCommandExecutionException refused
        ? refused
        : new RedisUnavailable(error);
  }

  private static <T extends @Nullable Object> T await(CompletableFuture<T> answer) {
    try {
      return answer.get(COMMAND_MAX.plusSeconds(1).toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : new RedisUnavailable(e);
    } catch (TimeoutException e) {
      throw new RedisUnavailable(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RedisUnavailable(e);
    }
  }

  /** Channels of one pub/sub connection with their receivers. */
  private static final class Subscriptions extends RedisPubSubAdapter<String, String> {
    private final StatefulRedisPubSubConnection<String, String> connection;
    private final java.util.concurrent.ConcurrentHashMap<String, CopyOnWriteArrayList<Consumer>>
        receivers = new java.util.concurrent.ConcurrentHashMap<>();

    Subscriptions(StatefulRedisPubSubConnection<String, String> connection) {
      this.connection = connection;
      connection.addListener(this);
    }

    AutoCloseable add(String channel, Consumer receiver) {
      receivers.computeIfAbsent(channel, name -> new CopyOnWriteArrayList<>()).add(receiver);
      try {
        connection.sync().subscribe(channel);
      } catch (RedisException e) {
        throw new RedisUnavailable(e);
      }
      return () -> remove(channel, receiver);
    }

    private void remove(String channel, Consumer receiver) {
      List<Consumer> remaining = receivers.getOrDefault(channel, new CopyOnWriteArrayList<>());
      remaining.remove(receiver);
      if (remaining.isEmpty()) {
        var _ = connection.async().unsubscribe(channel);
      }
    }

    @Override
    public void message(String channel, String message) {
      for (Consumer receiver : receivers.getOrDefault(channel, new CopyOnWriteArrayList<>())) {
        try {
          receiver.accept(message);
        } catch (RuntimeException e) {
          log.warn("a receiver of channel messages failed", e);
        }
      }
    }
  }
}
