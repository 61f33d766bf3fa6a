package io.convoke.chaos;

import io.convoke.chaos.kernel.ReadBackRule.ReadBack;
import io.convoke.fakes.client.ApiClient;
import io.convoke.fakes.client.ApiReply;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.Supplier;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Compares what servers show with what is known from elsewhere. Calls go to one server after the
 * other and are repeated while no fault-free answer comes. Thread-safe.
 */
public final class ApiComparisons {
  private static final JsonMapper SORTED =
      JsonMapper.builder().enable(JsonNodeFeature.WRITE_PROPERTIES_SORTED).build();

  /** A key whose request was cut off by a fault is in flight for a minute. */
  private static final Duration ANSWERS_MAX = Duration.ofSeconds(75);

  private static final Duration SHOWS_MAX = Duration.ofSeconds(20);
  private static final int PAGES_MAX = 500;
  private static final Duration PAUSE = Duration.ofMillis(500);

  private final List<URI> servers;
  private final AtomicInteger turn = new AtomicInteger();
  private final List<ReadBack> all = new CopyOnWriteArrayList<>();

  public ApiComparisons(List<URI> servers) {
    this.servers = List.copyOf(servers);
  }

  /** All comparisons so far. */
  public List<ReadBack> all() {
    return List.copyOf(all);
  }

  /** Notes a comparison. */
  public void compare(String what, Object expected, Object shown) {
    compare(what, List.of(expected.toString()), List.of(shown.toString()));
  }

  /** Notes a comparison of lists. */
  public void compare(String what, List<String> expected, List<String> shown) {
    all.add(new ReadBack(what, List.copyOf(expected), List.copyOf(shown)));
  }

  /** Asks until a server answers that has what it needs. */
  public ApiReply ask(ApiClient caller, Function<ApiClient, ApiReply> call) {
    long end = System.nanoTime() + ANSWERS_MAX.toNanos();
    ApiReply reply = call.apply(caller.at(next()));
    while (!answered(reply) && System.nanoTime() - end < 0) {
      LockSupport.parkNanos(PAUSE.toNanos());
      reply = call.apply(caller.at(next()));
    }
    return reply;
  }

  /** An object that a path shows, in the words of this view. */
  public void object(
      ApiClient caller, String path, Object expected, Function<JsonNode, String> view) {
    ApiReply reply = ask(caller, api -> api.get(path));
    compare(path, expected, reply.ok() ? view.apply(reply.body()) : "status " + reply.status());
  }

  /** The same, of what may take some seconds to show. */
  public void soon(
      ApiClient caller, String path, Object expected, Function<JsonNode, String> view) {
    within(SHOWS_MAX, caller, path, expected, view);
  }

  /** The same, of what shows within this time. */
  public void within(
      Duration most,
      ApiClient caller,
      String path,
      Object expected,
      Function<JsonNode, String> view) {
    Supplier<String> look = () -> view.apply(ask(caller, api -> api.get(path)).body());
    long deadline = System.nanoTime() + most.toNanos();
    String shown = look.get();
    while (!shown.equals(expected.toString()) && System.nanoTime() - deadline < 0) {
      LockSupport.parkNanos(PAUSE.toNanos());
      shown = look.get();
    }
    compare(path, expected, shown);
  }

  /** Each of these fields of the object that a path shows. */
  public void fields(ApiClient caller, String path, JsonNode expected) {
    compare(
        path,
        fields(expected, expected),
        fields(expected, ask(caller, api -> api.get(path)).body()));
  }

  /** These fields of each item of an answer that has all items. */
  public void items(ApiClient caller, String path, List<JsonNode> expected) {
    compare(
        path,
        expected.stream().map(item -> String.join(", ", fields(item, item))).toList(),
        ask(caller, api -> api.get(path))
            .body()
            .path("items")
            .valueStream()
            .map(
                item ->
                    expected.isEmpty()
                        ? text(item)
                        : String.join(", ", fields(expected.getFirst(), item)))
            .toList());
  }

  /** A list, read in pages of this size; of each item a view. */
  public void list(
      ApiClient caller,
      String path,
      int limit,
      Function<JsonNode, String> view,
      List<String> expected) {
    String start = path + (path.contains("?") ? "&" : "?") + "limit=" + limit;
    List<String> shown = new ArrayList<>();
    String cursor = "";
    int page = 0;
    do {
      String next = start + cursor;
      ApiReply reply = ask(caller, api -> api.get(next));
      JsonNode items = reply.body().path("items");
      if (!reply.ok() || items.size() > limit) {
        shown.add("page %d: %d with %d items".formatted(page, reply.status(), items.size()));
      }
      items.valueStream().map(view).forEach(shown::add);
      String following = reply.body().path("next_cursor").asString("");
      cursor = following.isEmpty() ? "" : "&cursor=" + following;
    } while (!cursor.isEmpty() && ++page < PAGES_MAX);
    compare(path, expected, shown);
  }

  /** A call that is to be answered with this status, and code of its problem if it has one. */
  public void answer(
      ApiClient caller, String what, String expected, Function<ApiClient, ApiReply> call) {
    ApiReply reply = ask(caller, call);
    String code = reply.ok() || !expected.contains(" ") ? "" : " " + code(reply.body());
    compare(what, expected, reply.status() + code);
  }

  /** A post that is to be answered so. */
  public void post(ApiClient caller, String path, Map<String, ?> body, String expected) {
    answer(caller, "POST " + path + " " + body, expected, api -> api.post(path, body));
  }

  /** A get that is to be answered so. */
  public void get(ApiClient caller, String path, String expected) {
    answer(caller, "GET " + path, expected, api -> api.get(path));
  }

  /** A time as answers show it, in SQL. */
  public static String time(String column) {
    return "to_char(date_trunc('milliseconds', %s) at time zone 'UTC', '%s')"
        .formatted(column, "YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"");
  }

  /** The view that is the text of a field. */
  public static Function<JsonNode, String> text(String field) {
    return item -> item.path(field).asString("");
  }

  /** JSON with the members of each object by name, since stores keep no order. */
  public static String text(JsonNode node) {
    return SORTED.writeValueAsString(node);
  }

  /** These fields of an object. */
  public static List<String> fields(JsonNode wanted, JsonNode node) {
    return wanted.properties().stream()
        .map(field -> field.getKey() + " " + text(node.path(field.getKey())))
        .toList();
  }

  /** A server that was killed in the middle of a request may leave its key in flight. */
  private static boolean answered(ApiReply reply) {
    return reply.status() != 0
        && reply.status() != 503
        && !code(reply.body()).equals("idempotency_in_flight");
  }

  private static String code(JsonNode body) {
    return body.path("code").asString("");
  }

  private URI next() {
    return servers.get(Math.floorMod(turn.getAndIncrement(), servers.size()));
  }
}
