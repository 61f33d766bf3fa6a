package io.convoke.engine.redis;

import static io.lettuce.core.codec.StringCodec.UTF8;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisBusyException;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisLoadingException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.RedisReadOnlyException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SocketOptions.KeepAliveOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The way to Redis. All threads share one multiplexed connection, so concurrent commands travel in
 * one packet; a command sent while Redis is away fails at once instead of queueing, because a queue
 * in front of a lossy store only hides its loss. The connection comes back by itself, also when
 * Redis fell silent without closing it. While nobody sends anything, nothing is sent.
 */
public final class Redis implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Redis.class);
  private static final Duration COMMAND_MAX = Duration.ofSeconds(2);
  private static final Duration CONNECT_MAX = Duration.ofSeconds(1);

  /** A peer that vanished is noticed after seven seconds, by the kernel and without a command. */
  private static final KeepAliveOptions KEEP_ALIVE =
      KeepAliveOptions.builder()
          .enable()
          .idle(Duration.ofSeconds(5))
          .interval(Duration.ofSeconds(1))
          .count(2)
          .build();

  /** A connection that nobody uses is asked for a sign of life this often. */
  private static final Duration QUIET = Duration.ofSeconds(60);

  private final RedisURI uri;
  private final ClientResources resources;
  private final RedisClient client;
  private final CopyOnWriteArrayList<Runnable> connectActions = new CopyOnWriteArrayList<>();
  private final Link<StatefulRedisConnection<String, String>> link;
  private final Object subscribing = new Object();
  private @Nullable Subscriptions subscriptions;

  private Redis(RedisURI uri) {
    this.uri = uri;
    this.resources =
        DefaultClientResources.builder().ioThreadPoolSize(2).computationThreadPoolSize(2).build();
    this.client = RedisClient.create(resources, uri);
    client.setOptions(
        ClientOptions.builder()
            .autoReconnect(false)
            .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
            .socketOptions(
                SocketOptions.builder().connectTimeout(CONNECT_MAX).keepAlive(KEEP_ALIVE).build())
            // The bound is the connection's own, so that a dedicated one may block for longer.
            .timeoutOptions(TimeoutOptions.enabled())
            .build());
    this.link =
        new Link<>("commands", QUIET, () -> client.connectAsync(UTF8, uri), up -> connected())
            .start();
  }

  /**
   * Prepares the way to {@code redis://:pass@host:port}; connecting happens in the background.
   *
   * @throws IllegalArgumentException in words for the operator, never repeating the password
   */
  public static Redis open(String url) {
    RedisURI uri;
    try {
      uri = RedisURI.create(url);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("not a URL of the form redis://:pass@host:port");
    }
    uri.setTimeout(COMMAND_MAX);
    return new Redis(uri);
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
      RedisAsyncCommands<String, String> commands = link.get().async();
      settle(
          send(commands, CommandType.EVALSHA, script.sha(), keys, args),
          (value, error) -> {
            if (error instanceof RedisNoScriptException) {
              settle(
                  send(commands, CommandType.EVAL, script.source(), keys, args),
                  (again, failure) -> finish(answer, again, failure));
            } else {
              finish(answer, value, error);
            }
          });
    } catch (RedisUnavailable | RedisException e) {
      answer.completeExceptionally(translated(e));
    }
    return answer;
  }

  /** Runs plain commands on the shared connection and waits for the last of them. */
  public <T extends @Nullable Object> T call(
      Function<RedisAsyncCommands<String, String>, ? extends CompletionStage<T>> call) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    try {
      settle(call.apply(link.get().async()), (value, error) -> finish(answer, value, error));
    } catch (RedisException e) {
      throw translated(e);
    }
    return await(answer);
  }

  /**
   * The shared connection, for callers that pipeline by themselves.
   *
   * @throws RedisUnavailable at once when Redis is away; later failures are the futures'
   */
  public RedisAsyncCommands<String, String> async() {
    StatefulRedisConnection<String, String> connection = link.get();
    // Nobody tells the link how these commands end.
    link.used();
    return connection.async();
  }

  /**
   * Opens a connection of its own for commands that block, like BZPOPMIN; the caller closes it.
   * {@code wait} is the longest block, so that silence beyond it counts as Redis being away. It
   * does not come back by itself: after a {@link RedisException} the caller opens another.
   *
   * @throws RedisUnavailable at once when Redis is away
   */
  public StatefulRedisConnection<String, String> dedicated(Duration wait) {
    var _ = link.get();
    try {
      StatefulRedisConnection<String, String> connection = client.connect();
      connection.setTimeout(wait.plus(COMMAND_MAX));
      return connection;
    } catch (RedisException e) {
      throw new RedisUnavailable(e);
    }
  }

  /**
   * Calls {@code onMessage} for each message of a channel: from now on if Redis is there, else as
   * soon as it comes, and again after every reconnect. What was published while the connection was
   * down is lost, as Redis says it is; {@link #onConnect} tells when to look for it.
   */
  public Subscription subscribe(String channel, Consumer onMessage) {
    Subscriptions current;
    synchronized (subscribing) {
      if (subscriptions == null) {
        subscriptions =
            new Subscriptions(
                () -> client.connectPubSubAsync(UTF8, uri), COMMAND_MAX, this::connected);
      }
      current = subscriptions;
    }
    return current.add(channel, onMessage);
  }

  /** A receiver of messages; it runs on the connection's thread and must not block. */
  @FunctionalInterface
  public interface Consumer {
    void accept(String message);
  }

  /** A channel that is listened to until this is closed. */
  @FunctionalInterface
  public interface Subscription extends AutoCloseable {
    @Override
    void close();
  }

  /**
   * Runs after every connect of this process to Redis, in a thread of its own, and once now if it
   * is connected: whatever Redis keeps or publishes may have been missed. Commands and channels
   * travel on two connections, so it may run twice for one outage.
   */
  public void onConnect(Runnable action) {
    connectActions.add(action);
    if (available()) {
      start(action);
    }
  }

  /** Whether a command would be sent right now. */
  public boolean available() {
    return link.up() != null;
  }

  /** Which life of which server answers: another one may lack what was written last. */
  public String runId() {
    return call(commands -> commands.info("server"))
        .lines()
        .filter(line -> line.startsWith("run_id:"))
        .findFirst()
        .orElse("run_id:unknown");
  }

  @Override
  public void close() {
    synchronized (subscribing) {
      if (subscriptions != null) {
        subscriptions.close();
      }
    }
    link.close();
    client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    resources.shutdown(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(2, TimeUnit.SECONDS);
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
                  } catch (RuntimeException e) {
                    log.error("an action after a connect to Redis failed", e);
                  }
                });
  }

  private static CompletionStage<@Nullable Object> send(
      RedisAsyncCommands<String, String> commands,
      CommandType type,
      String script,
      List<String> keys,
      List<String> args) {
    ScriptReply reply = new ScriptReply();
    CommandArgs<String, String> command =
        new CommandArgs<>(UTF8).add(script).add(keys.size()).addKeys(keys);
    for (String arg : args) {
      // As bytes: the codec's way for values takes a buffer of its own for each of them.
      command.add(arg.getBytes(StandardCharsets.UTF_8));
    }
    return commands.dispatch(type, reply, command).thenApply(done -> reply.value());
  }

  private static <T extends @Nullable Object> void settle(
      CompletionStage<T> stage, BiConsumer<T, @Nullable Throwable> then) {
    var _ =
        stage.whenComplete(
            (value, error) ->
                then.accept(value, error instanceof CompletionException e ? e.getCause() : error));
  }

  /** Every answer proves that the connection lives; one that does not come makes it doubtful. */
  private <T extends @Nullable Object> void finish(
      CompletableFuture<T> answer, T value, @Nullable Throwable error) {
    if (error == null) {
      link.heard();
      answer.complete(value);
    } else {
      if (error instanceof RedisCommandTimeoutException) {
        link.doubt();
      }
      answer.completeExceptionally(translated(error));
    }
  }

  private static RuntimeException translated(Throwable error) {
    return switch (error) {
      // A server that starts, is stuck in a script, or lost its place to another is out of reach.
      case RedisLoadingException loading -> new RedisUnavailable(loading);
      case RedisBusyException busy -> new RedisUnavailable(busy);
      case RedisReadOnlyException replaced -> new RedisUnavailable(replaced);
      case RedisCommandExecutionException refused -> refused;
      case RedisUnavailable away -> away;
      default -> new RedisUnavailable(error);
    };
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
