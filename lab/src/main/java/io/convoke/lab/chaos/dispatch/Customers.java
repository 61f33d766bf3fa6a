package io.convoke.lab.chaos.dispatch;

import io.convoke.lab.chaos.dispatch.verdict.Answer;
import io.convoke.lab.chaos.dispatch.verdict.Asked;
import io.convoke.lab.chaos.dispatch.verdict.Stop;
import io.convoke.lab.client.Api;
import io.convoke.lab.client.Reply;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * Those who want tasks, ask again, and want them to stop, now at this server and now at that. They
 * note what they were answered and when.
 */
final class Customers {
  private static final Duration PAUSE = Duration.ofMillis(500);

  /** So long the patient ask: longer than it takes any server to come back. */
  private static final Duration PATIENCE = Duration.ofSeconds(75);

  /** No token of a real service: what is sealed is not looked at here. */
  private static final String TOKEN = "chaos-token";

  private final Api admin;
  private final List<URI> urls;
  private final List<Member> servers;
  private final SplittableRandom random;
  private final List<Asked> asked = new ArrayList<>();
  private final List<Answer> answers = new ArrayList<>();
  private final List<Stop> stops = new ArrayList<>();

  Customers(Fleet fleet, long seed) {
    this.urls = fleet.urls();
    this.admin = Api.admin(urls.getFirst(), fleet.adminToken());
    this.servers = fleet.servers();
    this.random = new SplittableRandom(seed);
  }

  /** Wants a task with all that its order says; returns when they are through with it. */
  void want(Order order) {
    note(asked, order.asked());
    Optional<String> id = ask(order);
    if (id.isEmpty()) {
      return;
    }
    Instant accepted = Instant.now();
    for (Duration after : order.stops()) {
      awaitTime(accepted.plus(after));
      stop(id.get());
    }
    for (int i = 0; i < order.times(); i++) {
      LockSupport.parkNanos(Duration.ofMillis(next(1500)).toNanos());
      var _ = post(order, server());
    }
  }

  /** Asks one server, whether it lives or not, and others if it does not accept. */
  void want(Order order, int first) {
    note(asked, order.asked());
    if (post(order, first).isEmpty() && order.patient()) {
      var _ = ask(order);
    }
  }

  /**
   * What came of a word about a pod.
   *
   * @param status 202, 404 when it does not live, or that of the last try
   * @param once whether no try went unanswered, which may still have its effect at any time
   */
  record Told(int status, boolean once) {}

  /** Drains a pod, or lets it take tasks again. */
  Told tell(String pod, String what) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    int status = 0;
    boolean once = true;
    while (status != 202 && status != 404 && System.nanoTime() - end < 0) {
      status = admin.at(urls.get(server())).post("/pods/" + pod + "/" + what, Map.of()).status();
      if (status == 0 || status >= 500) {
        once = false;
        LockSupport.parkNanos(PAUSE.toNanos());
      }
    }
    return new Told(status, once);
  }

  List<Asked> asked() {
    return copy(asked);
  }

  List<Answer> answers() {
    return copy(answers);
  }

  List<Stop> stops() {
    return copy(stops);
  }

  Api admin() {
    return admin;
  }

  /** Some server that works, or any if none does. */
  int server() {
    for (int i = 0; i < 3 * servers.size(); i++) {
      int server = next(servers.size());
      if (servers.get(server).works()) {
        return server;
      }
    }
    return next(servers.size());
  }

  private Optional<String> ask(Order order) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    boolean again = true;
    while (again) {
      Optional<Reply> reply = post(order, server());
      if (reply.isPresent()) {
        return reply.filter(Reply::ok).map(it -> it.body().path("id").asString(""));
      }
      LockSupport.parkNanos(PAUSE.toNanos());
      again = order.patient() && System.nanoTime() - end < 0;
    }
    return Optional.empty();
  }

  /** Empty if that was no answer that is worth to be believed. */
  private Optional<Reply> post(Order order, int server) {
    Instant sent = Instant.now();
    Reply reply = admin.at(urls.get(server)).post("/tasks", body(order));
    String id = reply.ok() ? reply.body().path("id").asString("") : "";
    note(answers, new Answer(order.request(), server, reply.status(), id, sent, Instant.now()));
    return Optional.of(reply).filter(it -> it.ok() || it.status() == 409);
  }

  private void stop(String id) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (System.nanoTime() - end < 0) {
      int server = server();
      Instant sent = Instant.now();
      Reply reply = admin.at(urls.get(server)).post("/tasks/" + id + "/stop", Map.of());
      note(stops, new Stop(id, server, reply.status(), sent, Instant.now()));
      if (reply.ok()) {
        return;
      }
      LockSupport.parkNanos(PAUSE.toNanos());
    }
  }

  private static Map<String, Object> body(Order order) {
    Map<String, Object> body = new HashMap<>();
    order.id().ifPresent(id -> body.put("id", id));
    order.region().ifPresent(region -> body.put("region", region));
    if (order.unique()) {
      body.put("unique", "channel");
    }
    body.put("request_id", order.request());
    body.put("type", order.type());
    body.put("action", "start");
    body.put("channel", order.channel());
    body.put("payload", Map.of("fate", order.fate().words(), "access_token", TOKEN));
    return body;
  }

  private static void awaitTime(Instant at) {
    for (Instant now = Instant.now(); now.isBefore(at); now = Instant.now()) {
      LockSupport.parkNanos(Duration.between(now, at).toNanos());
    }
  }

  private int next(int bound) {
    synchronized (random) {
      return random.nextInt(bound);
    }
  }

  private static <T> void note(List<T> all, T one) {
    synchronized (all) {
      boolean _ = all.add(one);
    }
  }

  private static <T> List<T> copy(List<T> all) {
    synchronized (all) {
      return List.copyOf(all);
    }
  }
}
