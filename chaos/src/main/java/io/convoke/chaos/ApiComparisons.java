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

/**
 * Compares what servers show with what is known from elsewhere. Calls go to one server after the
 * other and are repeated while no fault-free answer comes. Thread-safe.
 */
public final class ApiComparisons {
  private static final int TRIES_MAX = 40;
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
    all.add(new ReadBack(what, List.of(expected.toString()), List.of(shown.toString())));
  }

  /** Asks until a server answers that has what it needs. */
  public ApiReply ask(ApiClient caller, Function<ApiClient, ApiReply> call) {
    ApiReply reply = call.apply(caller.at(next()));
    for (int i = 1; i < TRIES_MAX && (reply.status() == 0 || reply.status() == 503); i++) {
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

  /** The same, of what may take a moment to show. */
  public void soon(
      ApiClient caller, String path, Object expected, Function<JsonNode, String> view) {
    Supplier<String> look = () -> view.apply(ask(caller, api -> api.get(path)).body());
    String shown = look.get();
    for (int i = 1; i < TRIES_MAX && !shown.equals(expected.toString()); i++) {
      LockSupport.parkNanos(PAUSE.toNanos());
      shown = look.get();
    }
    compare(path, expected, shown);
  }

  /** A list, read in pages of this size; the path has a query. */
  public void list(ApiClient caller, String path, int limit, String field, List<String> expected) {
    List<String> shown = new ArrayList<>();
    String cursor = "";
    do {
      String page = path + "&limit=" + limit + (cursor.isEmpty() ? "" : "&cursor=" + cursor);
      JsonNode body = ask(caller, api -> api.get(page)).body();
      List<String> items =
          body.path("items").valueStream().map(item -> item.path(field).asString("")).toList();
      cursor = body.path("next_cursor").asString("");
      shown.addAll(items);
      if (items.size() > limit) {
        shown.add("a page of " + items.size());
      }
    } while (!cursor.isEmpty() && shown.size() <= expected.size());
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

  private static String code(JsonNode body) {
    return body.path("code").asString("");
  }

  private URI next() {
    return servers.get(Math.floorMod(turn.getAndIncrement(), servers.size()));
  }
}
