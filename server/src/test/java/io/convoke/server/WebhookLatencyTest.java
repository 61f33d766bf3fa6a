package io.convoke.server;

import static java.time.Duration.between;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.convoke.engine.durable.Durable;
import io.convoke.engine.journal.Journal;
import io.convoke.engine.journal.NewJournalEvent;
import io.convoke.engine.json.Json;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.server.config.ServerConfig;
import io.convoke.server.http.ContractClient;
import io.convoke.simulator.stores.LocalStores;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * How long a message takes from its event to an endpoint, beside another user whose endpoints do
 * not answer or have far more to take, on a server with default settings. The same events without
 * the other user are measured in the same run, so that a slow machine is not taken for a slow
 * server.
 */
class WebhookLatencyTest {
  private static final String ADMIN = "the-admins-token";
  private static final String TYPE = "sync.status_changed";
  private static final int EVENTS = 200;
  private static final Duration EVENT_EVERY = Duration.ofMillis(100);
  private static final Duration WORK_EVERY = Duration.ofMillis(500);
  private static final Duration ARRIVED_AFTER = Duration.ofSeconds(60);
  private static final long P99_MAX = 1_000;
  private static final long MARGIN = 250;

  private final String url = MigratedDatabase.url();
  private final Map<String, Long> arrivals = new ConcurrentHashMap<>();
  private final CountDownLatch answers = new CountDownLatch(1);
  private final HttpServer endpoint = endpoint();
  private final ServerSocket silent = silent();
  private final App app;
  private final Database database;
  private final Journal journal;
  private final ContractClient admin;
  private final User flooding;
  private final User measured;

  WebhookLatencyTest(@TempDir Path folder) {
    app = App.start(config(url), EnumSet.allOf(NodeRole.class), folder);
    database = Database.open(DatabaseUrl.parse(url), 6, "latency-test", Migrations.SCHEMAS);
    journal = new Journal(database);
    admin = ContractClient.of(app.url()).with("X-Admin-API-Key", ADMIN);
    flooding = user("flooding@example.org");
    measured = user("measured@example.org");
  }

  private record User(long id, ContractClient client) {}

  /** Milliseconds, sorted: of messages, and of workflows of the other pools. */
  private record Latencies(List<Long> messages, List<Long> work) {
    long p99() {
      return messages.get((int) Math.ceil(messages.size() * 0.99) - 1);
    }

    @Override
    public String toString() {
      return "messages p50 %d p90 %d p99 %d max %d ms, work p50 %d max %d ms"
          .formatted(
              messages.get(messages.size() / 2),
              messages.get(messages.size() * 9 / 10),
              p99(),
              messages.getLast(),
              work.get(work.size() / 2),
              work.getLast());
    }
  }

  @AfterEach
  void close() throws IOException {
    answers.countDown();
    journal.close();
    database.close();
    app.close();
    endpoint.stop(0);
    silent.close();
  }

  @Test
  @Tag("nightly")
  void fourSilentEndpointsWithABacklog() throws Exception {
    besideSilentEndpoints(4, 1_000);
  }

  @Test
  @Tag("nightly")
  void fortySilentEndpointsWithABacklog() throws Exception {
    besideSilentEndpoints(40, 500);
  }

  private void besideSilentEndpoints(int count, int backlog) throws Exception {
    for (int i = 0; i < count; i++) {
      register(flooding, silent.getLocalPort(), "/" + i);
    }
    register(measured, endpoint.getAddress().getPort(), "/measured");
    Latencies baseline = baseline();
    append(flooding, "backlog", backlog);
    Latencies beside = measure("beside", () -> append(flooding, "more", 1));
    check(baseline, beside);
  }

  @Test
  @Tag("nightly")
  void anEndpointThatIsFloodedWithTenThousandEvents() throws Exception {
    register(flooding, endpoint.getAddress().getPort(), "/flooded");
    register(measured, endpoint.getAddress().getPort(), "/measured");
    Latencies baseline = baseline();
    append(flooding, "flood", 10_000);
    Latencies beside = measure("beside", () -> {});
    check(baseline, beside);
  }

  @Test
  @Tag("nightly")
  void endpointsThatComeBackToTheirBacklog() throws Exception {
    for (int i = 0; i < 4; i++) {
      register(flooding, endpoint.getAddress().getPort(), "/blocked/" + i);
    }
    register(measured, endpoint.getAddress().getPort(), "/measured");
    Latencies baseline = baseline();
    append(flooding, "backlog", 1_000);
    Latencies silent = measure("silent", () -> {});
    answers.countDown();
    Latencies back = measure("back", () -> {});
    check(baseline, silent);
    check(baseline, back);
  }

  /** The first messages load classes and connect, so they are sent before the clock runs. */
  private Latencies baseline() throws InterruptedException {
    Latencies _ = measure("warm", () -> {}, EVENTS / 4);
    return measure("baseline", () -> {});
  }

  private static void check(Latencies baseline, Latencies beside) {
    String seen = "baseline: " + baseline + "; beside the other user: " + beside;
    System.out.println(seen);
    assertThat(beside.p99()).as(seen).isLessThan(Math.max(P99_MAX, baseline.p99() + MARGIN));
    assertThat(beside.work().getLast())
        .as("recordings and ordinary work; " + seen)
        .isLessThan(Math.max(P99_MAX, baseline.work().getLast() + MARGIN));
  }

  /** Events of the measured user at a steady pace, and workflows of the other pools beside them. */
  private Latencies measure(String name, Runnable withEach) throws InterruptedException {
    return measure(name, withEach, EVENTS);
  }

  private Latencies measure(String name, Runnable withEach, int count) throws InterruptedException {
    Map<String, Long> begun = new ConcurrentHashMap<>();
    Map<String, Instant> work = new ConcurrentHashMap<>();
    ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
    try (ScheduledExecutorService clock = Executors.newScheduledThreadPool(4)) {
      for (int i = 0; i < count; i++) {
        String subject = name + ":" + i;
        Runnable event =
            () -> {
              begun.put(subject, System.nanoTime());
              append(measured, subject);
              withEach.run();
            };
        var _ =
            clock.schedule(
                guarded(event, failures), EVENT_EVERY.toMillis() * i, TimeUnit.MILLISECONDS);
      }
      long over = EVENT_EVERY.toMillis() * count;
      for (long at = 0; at < over; at += WORK_EVERY.toMillis()) {
        String id = name + "-" + at;
        var _ = clock.schedule(guarded(() -> start(id, work), failures), at, TimeUnit.MILLISECONDS);
      }
    }
    long until = System.nanoTime() + ARRIVED_AFTER.toNanos();
    while (!arrivals.keySet().containsAll(begun.keySet()) && System.nanoTime() < until) {
      synchronized (arrivals) {
        arrivals.wait(100);
      }
    }
    assertThat(failures).isEmpty();
    assertThat(begun).hasSize(count);
    assertThat(arrivals.keySet()).containsAll(begun.keySet());
    List<Long> messages =
        begun.entrySet().stream()
            .map(it -> (requireNonNull(arrivals.get(it.getKey())) - it.getValue()) / 1_000_000)
            .sorted()
            .toList();
    return new Latencies(messages, ended(work));
  }

  private static Runnable guarded(Runnable action, ConcurrentLinkedQueue<Throwable> failures) {
    return () -> {
      try {
        action.run();
      } catch (RuntimeException | Error e) {
        boolean _ = failures.add(e);
      }
    };
  }

  /** A recording that is gone, and the daily removal of old workflows: each of another pool. */
  private void start(String id, Map<String, Instant> work) {
    database.run(
        tx -> {
          tx.run(
              List.of(
                  Durable.starting(
                      tx, "recording", "recording-" + id, Map.of("recordingId", id, "run", 1)),
                  Durable.starting(
                      tx, "retention", "retention-" + id, Duration.ofDays(30).toMillis())));
          Instant now =
              tx.sql("select clock_timestamp() as now").one(resultRow -> resultRow.instant("now"));
          work.put("recording-" + id, now);
          work.put("retention-" + id, now);
        });
  }

  private List<Long> ended(Map<String, Instant> work) throws InterruptedException {
    long until = System.nanoTime() + ARRIVED_AFTER.toNanos();
    Map<String, Instant> ends = new HashMap<>();
    while (ends.size() < work.size() && System.nanoTime() < until) {
      ends.clear();
      database
          .read(
              tx ->
                  tx.sql(
                          """
                          select instance_id, completed_at from durable.executions
                          where instance_id = any(?) and completed_at is not null
                          """)
                      .with((Object) work.keySet().toArray(String[]::new))
                      .list(
                          resultRow ->
                              Map.entry(
                                  resultRow.text("instance_id"),
                                  resultRow.instant("completed_at"))))
          .forEach(end -> ends.put(end.getKey(), end.getValue()));
      synchronized (arrivals) {
        arrivals.wait(100);
      }
    }
    assertThat(ends.keySet()).isEqualTo(work.keySet());
    return ends.entrySet().stream()
        .map(end -> between(requireNonNull(work.get(end.getKey())), end.getValue()).toMillis())
        .sorted()
        .toList();
  }

  private void append(User user, String subject) {
    database.run(tx -> journal.append(tx, List.of(event(user, subject))));
  }

  /** As many events as are said, each about a subject of its own. */
  private void append(User user, String name, int count) {
    List<NewJournalEvent> events = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      boolean _ = events.add(event(user, name + ":" + System.nanoTime() + ":" + i));
    }
    database.run(tx -> journal.append(tx, events));
  }

  private static NewJournalEvent event(User user, String subject) {
    return NewJournalEvent.of(TYPE, subject, Optional.of(user.id()), Map.of("status", "success"));
  }

  private static void register(User user, int port, String path) {
    user.client()
        .post(
            "/webhook-endpoints",
            Map.of("url", "http://127.0.0.1:" + port + path, "types", List.of(TYPE)))
        .expect(201);
  }

  private User user(String email) {
    long id =
        admin.post("/admin/users", Map.of("email", email)).expect(201).json().path("id").asLong();
    String key =
        admin
            .post("/admin/users/" + id + "/tokens", Map.of())
            .expect(201)
            .json()
            .path("token")
            .asString();
    return new User(id, ContractClient.of(admin.url()).with("X-API-Key", key));
  }

  private static ServerConfig config(String url) {
    Map<String, String> settings = new HashMap<>();
    settings.put("CONVOKE_PORT", "0");
    settings.put("CONVOKE_DATABASE_URL", url);
    settings.put("CONVOKE_REDIS_URL", LocalStores.forTests().redis().url());
    settings.put("CONVOKE_SECRET_KEY", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=");
    settings.put("CONVOKE_ADMIN_TOKEN", ADMIN);
    settings.put("CONVOKE_BOT_COMMAND", "exec sleep 30");
    settings.put("CONVOKE_WEBHOOKS_ALLOW_PRIVATE", "true");
    return ServerConfig.of(settings);
  }

  /** The kernel takes connections for it, and nothing ever reads them. */
  private static ServerSocket silent() {
    try {
      return new ServerSocket(0, 1_000, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Answers at once, but for paths below /blocked, which answer when the test allows it. */
  private HttpServer endpoint() {
    try {
      HttpServer server =
          HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1_000);
      server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
      server.createContext(
          "/",
          exchange -> {
            long now = System.nanoTime();
            String path = exchange.getRequestURI().getPath();
            byte[] body = exchange.getRequestBody().readAllBytes();
            if (path.startsWith("/blocked")) {
              try {
                answers.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            } else if (path.equals("/measured")) {
              Long _ =
                  arrivals.putIfAbsent(
                      Json.read(body, JsonNode.class).path("subject").asString(), now);
              synchronized (arrivals) {
                arrivals.notifyAll();
              }
            }
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
          });
      server.start();
      return server;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
