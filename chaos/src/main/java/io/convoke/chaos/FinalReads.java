package io.convoke.chaos;

import io.convoke.chaos.kernel.ReadBackRule.ReadBack;
import io.convoke.fakes.client.ApiClient;
import io.convoke.fakes.client.ApiReply;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads of one caller once all is quiet, from each server in turn, beside what they should show.
 */
public final class FinalReads {
  private static final JsonMapper SORTED =
      JsonMapper.builder().enable(JsonNodeFeature.WRITE_PROPERTIES_SORTED).build();

  /** Small, so that every list has several pages. */
  private static final int LIMIT = 3;

  private static final Duration LOOK_EVERY = Duration.ofMillis(100);

  private static final int PAGES_MAX = 500;

  private final ApiClient caller;
  private final List<URI> servers;
  private final List<ReadBack> reads = new ArrayList<>();
  private int turn;

  public FinalReads(ApiClient caller, List<URI> servers) {
    this.caller = caller;
    this.servers = servers;
  }

  /** A time as answers show it, in SQL. */
  public static String time(String column) {
    return "to_char(date_trunc('milliseconds', %s) at time zone 'UTC', '%s')"
        .formatted(column, "YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"");
  }

  /** Each field of an object at this address. */
  public void object(String path, JsonNode expected) {
    object(path, expected, Duration.ZERO);
  }

  /** The same, where servers may show an earlier state for so long. */
  public void object(String path, JsonNode expected, Duration lag) {
    long deadline = System.nanoTime() + lag.toNanos();
    List<String> wanted = fields(expected, expected);
    ApiReply reply = get(path);
    while (!fields(expected, reply.body()).equals(wanted) && System.nanoTime() - deadline < 0) {
      LockSupport.parkNanos(LOOK_EVERY.toNanos());
      reply = get(path);
    }
    add(path + " answered " + reply.status(), wanted, fields(expected, reply.body()));
  }

  /** The items of an answer that has all of them. */
  public void items(String path, List<JsonNode> expected) {
    ApiReply reply = get(path);
    List<String> shown =
        reply
            .body()
            .path("items")
            .valueStream()
            .map(
                item ->
                    expected.isEmpty()
                        ? text(item)
                        : String.join(", ", fields(expected.getFirst(), item)))
            .toList();
    add(
        path + " answered " + reply.status(),
        expected.stream().map(item -> String.join(", ", fields(item, item))).toList(),
        shown);
  }

  /** A list, read in small pages. */
  public void pages(String path, List<String> expected, Function<JsonNode, String> part) {
    List<String> shown = new ArrayList<>();
    String start = path + (path.contains("?") ? "&" : "?") + "limit=" + LIMIT;
    String cursor = "";
    int page = 0;
    do {
      ApiReply reply = get(start + cursor);
      JsonNode items = reply.body().path("items");
      if (!reply.ok() || items.size() > LIMIT) {
        shown.add("page %d: %d with %d items".formatted(page, reply.status(), items.size()));
      }
      items.valueStream().map(part).forEach(shown::add);
      String next = reply.body().path("next_cursor").asString("");
      cursor = next.isEmpty() ? "" : "&cursor=" + next;
    } while (!cursor.isEmpty() && ++page < PAGES_MAX);
    add(path, expected, shown);
  }

  /** Whatever was compared elsewhere. */
  public void add(String what, List<String> expected, List<String> shown) {
    reads.add(new ReadBack(what, List.copyOf(expected), List.copyOf(shown)));
  }

  /** From the next server. */
  public ApiReply get(String path) {
    return caller.at(servers.get(turn++ % servers.size())).get(path);
  }

  /** All reads so far. */
  public List<ReadBack> reads() {
    return List.copyOf(reads);
  }

  /** JSON with the members of each object by name, since stores keep no order. */
  public static String text(JsonNode node) {
    return SORTED.writeValueAsString(node);
  }

  private static List<String> fields(JsonNode wanted, JsonNode node) {
    return wanted.properties().stream()
        .map(field -> field.getKey() + " " + text(node.path(field.getKey())))
        .toList();
  }
}
