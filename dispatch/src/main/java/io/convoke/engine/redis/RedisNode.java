package io.convoke.engine.redis;

import static io.lettuce.core.codec.StringCodec.UTF8;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One server, or the current master behind Sentinels: its connections and the commands on them. It
 * knows which life of the server each of its connections reaches.
 */
final class RedisNode implements AutoCloseable {
  static final Duration COMMAND_MAX = Duration.ofSeconds(2);

  /** An idle connection gets a PING this often. */
  private static final Duration QUIET = Duration.ofSeconds(60);

  /** Written to learn whether writes are taken; ends by itself. */
  private static final String PROBE_KEY = "convoke:probe";

  private final RedisClient client;
  private final RedisURI uri;
  private final ManagedConnection<StatefulRedisConnection<String, String>> managedConnection;
  private final WriteRefusalMonitor writeRefusalMonitor;

  /**
   * Dedicated connections for blocking commands; closed together with the main one, because a
   * silent server does not close them.
   */
  private final Set<StatefulRedisConnection<String, String>> dedicated =
      ConcurrentHashMap.newKeySet();

  private final AtomicInteger attempts = new AtomicInteger();
  private volatile @Nullable ServerRun serverRun;

  /**
   * The run id that a connection reaches; a server with another run id may lack the last writes.
   */
  private record ServerRun(
      StatefulRedisConnection<String, String> connection, String runId, boolean clustered) {}

  /**
   * {@code onUp} runs after each connect and when refusals have ended, {@code onDown} while there
   * is no connection.
   */
  RedisNode(String name, RedisClient client, RedisURI uri, Runnable onUp, Runnable onDown) {
    this.client = client;
    this.uri = uri;
    this.writeRefusalMonitor = new WriteRefusalMonitor(name, this::probe, onUp);
    this.managedConnection =
        new ManagedConnection<>(name, QUIET, this::connect, up -> onUp.run(), onDown).start();
  }

  /** The connection is offered once it is known whom it reaches. */
  private CompletionStage<StatefulRedisConnection<String, String>> connect() {
    int attempt = attempts.incrementAndGet();
    return client
        .connectAsync(UTF8, uri)
        .thenCompose(
            connection ->
                connection
                    .async()
                    .info("server")
                    .handle((info, error) -> met(attempt, connection, info, error)));
  }

  /**
   * Without the right to read INFO the run id stays unknown; a server that does not answer counts
   * as down. One that answers after the next attempt has begun is not the one that is offered.
   */
  private StatefulRedisConnection<String, String> met(
      int attempt,
      StatefulRedisConnection<String, String> connection,
      @Nullable String info,
      @Nullable Throwable error) {
    Throwable cause = error instanceof CompletionException e ? e.getCause() : error;
    if (cause != null && !(cause instanceof RedisCommandExecutionException)) {
      var _ = connection.closeAsync();
      throw new RedisUnavailable(cause);
    }
    String told = info == null ? "" : info;
    if (attempt == attempts.get()) {
      serverRun = new ServerRun(connection, runIdIn(told), told.contains("redis_mode:cluster"));
    }
    return connection;
  }

  RedisURI uri() {
    return uri;
  }

  /** Whether a command would be sent, and no refusal of all writes is known. */
  boolean up() {
    return managedConnection.up() != null && !writeRefusalMonitor.refusesAll();
  }

  boolean connected() {
    return managedConnection.up() != null;
  }

  /** The open connection, if there is one, for callers that must not wait for the first connect. */
  @Nullable StatefulRedisConnection<String, String> connection() {
    return managedConnection.up();
  }

  CompletableFuture<@Nullable Object> eval(
      LuaScript luaScript, List<String> keys, List<String> args) {
    CompletableFuture<@Nullable Object> answer = new CompletableFuture<>();
    try {
      StatefulRedisConnection<String, String> connection = managedConnection.get();
      String signature = luaScript.takesRunId() ? runId(connection) : null;
      RedisAsyncCommands<String, String> commands = connection.async();
      settle(
          send(commands, CommandType.EVALSHA, luaScript.sha(), keys, args, signature),
          (value, error) -> {
            if (error instanceof RedisNoScriptException) {
              settle(
                  send(commands, CommandType.EVAL, luaScript.source(), keys, args, signature),
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

  <T extends @Nullable Object> CompletableFuture<T> call(
      Function<RedisAsyncCommands<String, String>, ? extends CompletionStage<T>> call) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    try {
      settle(
          call.apply(managedConnection.get().async()),
          (value, error) -> finish(answer, value, error));
    } catch (RedisUnavailable | RedisException e) {
      answer.completeExceptionally(translated(e));
    }
    return answer;
  }

  RedisAsyncCommands<String, String> async() {
    StatefulRedisConnection<String, String> connection = managedConnection.get();
    // The link does not see the answers of these commands.
    managedConnection.used();
    return connection.async();
  }

  StatefulRedisConnection<String, String> dedicated(Duration wait) {
    var _ = managedConnection.get();
    try {
      StatefulRedisConnection<String, String> connection = client.connect(uri);
      connection.setTimeout(wait.plus(COMMAND_MAX));
      dedicated.removeIf(each -> !each.isOpen());
      boolean _ = dedicated.add(connection);
      return connection;
    } catch (RedisException e) {
      throw new RedisUnavailable(e);
    }
  }

  /** Which life of which server answers. */
  String runId() {
    String known = runId(managedConnection.get());
    return known.isEmpty()
        ? runIdIn(Redis.await(call(commands -> commands.info("server"))))
        : known;
  }

  /** Whether it said, when it was last met, that it is one of several. */
  boolean nodeOfCluster() {
    ServerRun known = serverRun;
    return known != null && known.clustered;
  }

  @Override
  public void close() {
    writeRefusalMonitor.close();
    managedConnection.close();
    dedicated.forEach(
        connection -> {
          var _ = connection.closeAsync();
        });
  }

  @SuppressWarnings("ReferenceEquality") // this very connection, not one like it
  private String runId(StatefulRedisConnection<String, String> connection) {
    ServerRun known = serverRun;
    return known != null && known.connection == connection ? known.runId : "";
  }

  private static String runIdIn(String info) {
    return info.lines().filter(line -> line.startsWith("run_id:")).findFirst().orElse("");
  }

  private static CompletionStage<@Nullable Object> send(
      RedisAsyncCommands<String, String> commands,
      CommandType type,
      String script,
      List<String> keys,
      List<String> args,
      @Nullable String signature) {
    ScriptOutput reply = new ScriptOutput();
    CommandArgs<String, String> command =
        new CommandArgs<>(UTF8).add(script).add(keys.size()).addKeys(keys);
    for (String arg : args) {
      // As bytes: the codec's way for values takes a buffer of its own for each of them.
      command.add(arg.getBytes(StandardCharsets.UTF_8));
    }
    if (signature != null) {
      command.add(signature.getBytes(StandardCharsets.UTF_8));
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
      managedConnection.onReply();
      answer.complete(value);
    } else {
      if (error instanceof RedisCommandTimeoutException) {
        managedConnection.doubt();
      }
      answer.completeExceptionally(translated(error));
    }
  }

  private RuntimeException translated(Throwable error) {
    return switch (error) {
      case RedisCommandExecutionException answered -> {
        RedisErrorReply reply = RedisErrorReply.of(answered);
        if (reply.isRefusal()) {
          writeRefusalMonitor.onError(reply);
        }
        yield reply.exception();
      }
      case RedisUnavailable away -> away;
      default -> new RedisUnavailable(error);
    };
  }

  private WriteRefusalMonitor.WriteProbeResult probe() throws InterruptedException {
    StatefulRedisConnection<String, String> connection = managedConnection.up();
    if (connection == null) {
      return WriteRefusalMonitor.WriteProbeResult.UNANSWERED;
    }
    try {
      String _ =
          connection
              .async()
              .set(PROBE_KEY, "", SetArgs.Builder.px(1000))
              .get(COMMAND_MAX.toMillis(), TimeUnit.MILLISECONDS);
      return WriteRefusalMonitor.WriteProbeResult.TAKEN;
    } catch (ExecutionException e) {
      if (!(e.getCause() instanceof RedisCommandExecutionException answered)) {
        return WriteRefusalMonitor.WriteProbeResult.UNANSWERED;
      }
      RedisErrorReply reply = RedisErrorReply.of(answered);
      if (reply.code().equals("READONLY")) {
        // Another server may be the master under this name by now.
        var _ = connection.closeAsync();
      }
      return reply.isForAllWrites()
          ? WriteRefusalMonitor.WriteProbeResult.REFUSED
          : WriteRefusalMonitor.WriteProbeResult.TAKEN;
    } catch (TimeoutException | RedisException e) {
      return WriteRefusalMonitor.WriteProbeResult.UNANSWERED;
    }
  }
}
