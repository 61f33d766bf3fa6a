package io.convoke.engine.redis;

import static io.lettuce.core.codec.StringCodec.UTF8;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SocketOptions.KeepAliveOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The Redis client. All threads share one multiplexed connection, so concurrent commands travel in
 * one packet; a command sent while Redis is away fails at once instead of queueing, because a queue
 * in front of a lossy store only hides its loss. The client reconnects by itself, also when Redis
 * stopped answering without closing the connection. An idle client sends nothing.
 *
 * <p>On a cluster there is one such connection to each node that holds keys of ours. A script is
 * sent to the node of its first key; other commands name their key. Methods without one are for one
 * Redis, and throw {@link IllegalStateException} on a cluster.
 */
public final class Redis implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Redis.class);
  private static final Duration CONNECT_MAX = Duration.ofSeconds(1);

  /** A peer that vanished is noticed after seven seconds, by the kernel and without a command. */
  private static final KeepAliveOptions KEEP_ALIVE =
      KeepAliveOptions.builder()
          .enable()
          .idle(Duration.ofSeconds(5))
          .interval(Duration.ofSeconds(1))
          .count(2)
          .build();

  private final ClientResources resources;
  private final RedisClient client;
  private final CopyOnWriteArrayList<Runnable> connectActions = new CopyOnWriteArrayList<>();
  private final RedisUrl url;
  private final NodeRouter nodeRouter;
  private final Object subscribing = new Object();
  private @Nullable SubscriptionRegistry subscriptionRegistry;

  private Redis(RedisUrl url) {
    this.url = url;
    this.resources =
        DefaultClientResources.builder().ioThreadPoolSize(2).computationThreadPoolSize(2).build();
    this.client = RedisClient.create(resources);
    client.setOptions(
        ClientOptions.builder()
            .autoReconnect(false)
            .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
            .socketOptions(
                SocketOptions.builder().connectTimeout(CONNECT_MAX).keepAlive(KEEP_ALIVE).build())
            // The bound is the connection's own, so that a dedicated one may block for longer.
            .timeoutOptions(TimeoutOptions.enabled())
            .build());
    this.nodeRouter =
        switch (url) {
          case RedisUrl.SingleServerUrl(var uri) ->
              new NodeRouter.SingleNodeRouter(
                  new RedisNode("commands", client, uri, this::connected, () -> {}));
          case RedisUrl.ClusterUrl(var seeds) -> new ClusterRouter(client, seeds, this::connected);
        };
  }

  /**
   * Prepares the way to {@code redis://:pass@host:port}, or to a cluster, {@code
   * redis-cluster://:pass@host:port,host:port}; connecting happens in the background.
   *
   * @throws IllegalArgumentException in words for the operator, never repeating the password
   */
  public static Redis open(String url) {
    return new Redis(RedisUrl.of(url));
  }

  /**
   * Checks a URL without connecting.
   *
   * @throws IllegalArgumentException as {@link #open} does
   */
  public static void check(String url) {
    RedisUrl _ = RedisUrl.of(url);
  }

  /** Whether a URL names a cluster, for callers that must refuse one early. */
  public static boolean isCluster(String url) {
    return RedisUrl.isCluster(url);
  }

  /**
   * Whether this is one node of a cluster that was named as if it were a Redis of its own, so that
   * most keys cannot be reached. False while no server answers.
   */
  public boolean isNodeOfCluster() {
    if (clustered()) {
      return false;
    }
    try {
      String _ = nodeRouter.only().runId();
      return nodeRouter.only().nodeOfCluster();
    } catch (RedisUnavailable e) {
      return false;
    }
  }

  /** Whether keys lie on several servers, so that a script may touch those of one slot only. */
  public boolean clustered() {
    return url instanceof RedisUrl.ClusterUrl;
  }

  /** Which slot of the cluster a key is in; 0 for every key of a Redis that is none. */
  public int slot(String key) {
    return clustered() ? ClusterRouter.slot(key) : 0;
  }

  /**
   * Runs a script and answers what it returned: Long, String, List or null.
   *
   * @throws RedisUnavailable when Redis is away or silent for two seconds
   */
  public @Nullable Object eval(LuaScript luaScript, List<String> keys, List<String> args) {
    return await(evalAsync(luaScript, keys, args).toCompletableFuture());
  }

  /** The same without waiting; the stage fails with {@link RedisUnavailable} when Redis is away. */
  public CompletionStage<@Nullable Object> evalAsync(
      LuaScript luaScript, List<String> keys, List<String> args) {
    return nodeRouter.send(
        keys.isEmpty() ? "" : keys.getFirst(), redisNode -> redisNode.eval(luaScript, keys, args));
  }

  /** Runs plain commands on the shared connection and waits for the last of them. */
  public <T extends @Nullable Object> T call(
      Function<RedisAsyncCommands<String, String>, ? extends CompletionStage<T>> call) {
    return await(nodeRouter.only().call(call));
  }

  /** The same where a key is; all keys of the commands are to lie in its slot. */
  public <T extends @Nullable Object> T call(
      String key, Function<RedisAsyncCommands<String, String>, ? extends CompletionStage<T>> call) {
    return await(nodeRouter.send(key, redisNode -> redisNode.call(call)));
  }

  /**
   * The shared connection, for callers that pipeline by themselves.
   *
   * @throws RedisUnavailable at once when Redis is away; later failures are the futures'
   */
  public RedisAsyncCommands<String, String> async() {
    return nodeRouter.only().async();
  }

  /** The same where a key is. */
  public RedisAsyncCommands<String, String> async(String key) {
    return nodeRouter.of(key).async();
  }

  /**
   * Opens a connection of its own for commands that block, like BZPOPMIN; the caller closes it.
   * {@code wait} is the longest block, so that silence beyond it counts as Redis being away. It
   * does not come back by itself: after a {@code RedisException} the caller opens another.
   *
   * @throws RedisUnavailable at once when Redis is away
   */
  public StatefulRedisConnection<String, String> dedicated(Duration wait) {
    return nodeRouter.only().dedicated(wait);
  }

  /** The same where a key is, for as long as it is there. */
  public StatefulRedisConnection<String, String> dedicated(String key, Duration wait) {
    return nodeRouter.of(key).dedicated(wait);
  }

  /**
   * Calls {@code onMessage} for each message of a channel: from now on if Redis is there, else as
   * soon as it comes, and again after every reconnect. What was published while the connection was
   * down is lost, as Redis says it is; {@link #onConnect} tells when to look for it.
   */
  public Subscription subscribe(String channel, MessageConsumer onMessage) {
    SubscriptionRegistry current;
    synchronized (subscribing) {
      if (subscriptionRegistry == null) {
        subscriptionRegistry =
            new SubscriptionRegistry(this::connectToHear, RedisNode.COMMAND_MAX, this::connected);
      }
      current = subscriptionRegistry;
    }
    return current.add(channel, onMessage);
  }

  /** A receiver of messages; it runs on the connection's thread and must not block. */
  @FunctionalInterface
  public interface MessageConsumer {
    void accept(String message);
  }

  /** A channel that is listened to until this is closed. */
  @FunctionalInterface
  public interface Subscription extends AutoCloseable {
    @Override
    void close();
  }

  /**
   * Runs after every connect of this process to Redis, and when Redis takes commands again that it
   * refused (memory, disk, replica, rights), in a thread of its own; once now if it is connected.
   * Whatever Redis keeps or publishes may have been missed. Commands and channels travel on two
   * connections, so it may run twice for one outage.
   */
  public void onConnect(Runnable action) {
    connectActions.add(action);
    if (available()) {
      start(action);
    }
  }

  /** Whether a command would be sent right now and, as far as is known, not be refused. */
  public boolean available() {
    return nodeRouter.up();
  }

  /** Which life of which server answers: another one may lack what was written last. */
  public String runId() {
    return nodeRouter.only().runId();
  }

  /** The same where a key is. */
  public String runId(String key) {
    return nodeRouter.of(key).runId();
  }

  @Override
  public void close() {
    synchronized (subscribing) {
      if (subscriptionRegistry != null) {
        subscriptionRegistry.close();
      }
    }
    nodeRouter.close();
    client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    resources.shutdown(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(2, TimeUnit.SECONDS);
  }

  private CompletionStage<StatefulRedisPubSubConnection<String, String>> connectToHear() {
    return switch (nodeRouter) {
      case NodeRouter.SingleNodeRouter singleNodeRouter ->
          client.connectPubSubAsync(UTF8, singleNodeRouter.only().uri());
      case ClusterRouter clusterRouter ->
          clusterRouter.anyNode().thenCompose(uri -> client.connectPubSubAsync(UTF8, uri));
    };
  }

  private void connected() {
    connectActions.forEach(Redis::start);
  }

  private static void start(Runnable action) {
    Thread _ =
        Thread.ofVirtual()
            .name("redis-connected")
            .start(
                () -> {
                  try {
                    action.run();
                  } catch (RedisUnavailable e) {
                    log.debug("Redis went away again; the next connect runs this once more");
                  } catch (RuntimeException | Error e) {
                    log.error("an action after a connect to Redis failed", e);
                  }
                });
  }

  /**
   * Waits for an answer. Every command ends by the connection's own timeout; a timed wait of a
   * virtual thread would wake the scheduler's timer thread once for each caller.
   *
   * @throws RedisUnavailable when Redis is away, or the caller is interrupted
   */
  public static <T extends @Nullable Object> T await(CompletableFuture<T> answer) {
    try {
      return answer.get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : new RedisUnavailable(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RedisUnavailable(e);
    }
  }
}
