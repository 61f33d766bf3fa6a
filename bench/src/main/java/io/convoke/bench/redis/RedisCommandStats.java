package io.convoke.bench.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The commands that a Redis has done, by its own {@code INFO commandstats}. */
public final class RedisCommandStats implements AutoCloseable {
  private static final Pattern LINE =
      Pattern.compile("cmdstat_([^:]+):calls=(\\d+),usec=(\\d+),.*");

  /** The commands of the statistics themselves and of every connecting client. */
  private static final Set<String> NOT_WORK =
      Set.of("info", "auth", "hello", "select", "client|setinfo", "client|setname", "command");

  private final RedisClient client;
  private final StatefulRedisConnection<String, String> connection;

  public RedisCommandStats(String url) {
    this.client = RedisClient.create(url);
    this.connection = client.connect();
  }

  /**
   * Calls and time by command. A script counts as one {@code evalsha}, and its inner commands count
   * too; the script's time includes theirs.
   */
  public record CommandCounts(Map<String, Long> calls, Map<String, Long> micros) {
    /** All commands, those inside of scripts too. */
    public long all() {
      return calls.values().stream().mapToLong(Long::longValue).sum();
    }

    public long of(String... names) {
      return sum(calls, names);
    }

    public long microsOf(String... names) {
      return sum(micros, names);
    }

    public CommandCounts since(CommandCounts before) {
      return new CommandCounts(minus(calls, before.calls), minus(micros, before.micros));
    }

    private static Map<String, Long> minus(Map<String, Long> now, Map<String, Long> before) {
      Map<String, Long> left = new TreeMap<>();
      now.forEach((name, count) -> left.put(name, count - before.getOrDefault(name, 0L)));
      return left;
    }

    private static long sum(Map<String, Long> map, String... names) {
      long sum = 0;
      for (String name : names) {
        sum += map.getOrDefault(name, 0L);
      }
      return sum;
    }
  }

  public CommandCounts now() {
    Map<String, Long> calls = new TreeMap<>();
    Map<String, Long> micros = new TreeMap<>();
    connection
        .sync()
        .info("commandstats")
        .lines()
        .map(LINE::matcher)
        .filter(Matcher::matches)
        .filter(line -> !NOT_WORK.contains(line.group(1)))
        .forEach(
            line -> {
              calls.put(line.group(1), Long.parseLong(line.group(2)));
              micros.put(line.group(1), Long.parseLong(line.group(3)));
            });
    return new CommandCounts(calls, micros);
  }

  /** Keys in the first database. */
  public long keys() {
    return connection.sync().dbsize();
  }

  /** Clients that wait in a blocking command. */
  public int blocked() {
    return connection
        .sync()
        .info("clients")
        .lines()
        .filter(line -> line.startsWith("blocked_clients:"))
        .map(line -> Integer.parseInt(line.substring(line.indexOf(':') + 1).strip()))
        .findFirst()
        .orElse(0);
  }

  @Override
  public void close() {
    connection.close();
    client.shutdown();
  }
}
