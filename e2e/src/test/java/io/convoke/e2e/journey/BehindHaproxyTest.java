package io.convoke.e2e.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.convoke.chaos.ChaosEnvironment;
import io.convoke.chaos.ServerCluster;
import io.convoke.fakes.client.ApiClient;
import io.convoke.fakes.client.ApiReply;
import io.convoke.simulator.process.DebianPackages;
import io.convoke.simulator.process.InstalledPrograms;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three servers behind HAProxy with the configuration of {@code docs/operations/haproxy.cfg}, under
 * load: each is stopped and started in turn, then one after the other is killed. No request fails
 * but those that a killed server had received, and nothing that was acknowledged is lost.
 */
@Tag("nightly")
@Tag("heavy")
class BehindHaproxyTest {
  private static final int SERVERS = 3;
  private static final int CLIENTS = 6;
  private static final int KILLS = 10;

  /** {@code -Dconvoke.seconds.between.kills=60} makes it a run of ten minutes. */
  private static final Duration BETWEEN_KILLS =
      Duration.ofSeconds(Long.getLong("convoke.seconds.between.kills", 6));

  private static final Duration BETWEEN_REQUESTS = Duration.ofMillis(60);

  /** A killed server's connections are reset at once; this bounds the scheduling of both. */
  private static final long AFTER_KILL_NANOS = Duration.ofMillis(200).toNanos();

  @TempDir private Path folder;

  private final AtomicBoolean over = new AtomicBoolean();
  private final AtomicInteger answered = new AtomicInteger();
  private final Queue<FailedRequest> failed = new ConcurrentLinkedQueue<>();
  private final Queue<Long> kills = new ConcurrentLinkedQueue<>();
  private final Set<Long> meetings = ConcurrentHashMap.newKeySet();
  private final Set<String> tasks = ConcurrentHashMap.newKeySet();

  private record FailedRequest(String request, int status, long begun, long ended) {}

  @Test
  @Timeout(900)
  void noRequestFailsButThoseInFlightAtAKill() throws Exception {
    assumeThat(
            DebianPackages.ensure(
                () -> DebianPackages.onPath("haproxy").findAny().isPresent(), "haproxy"))
        .as("Debian's haproxy")
        .isTrue();
    try (ChaosEnvironment environment = ChaosEnvironment.open(Set.of())) {
      ServerCluster servers = new ServerCluster(environment, folder, SERVERS);
      String admin = "an-admin-token-of-more-than-32-characters";
      servers.start(
          "api,dispatch",
          Map.of(
              "CONVOKE_ADMIN_TOKEN",
              admin,
              "CONVOKE_RATE_LIMIT",
              "100000",
              "CONVOKE_QUOTA_MEETINGS",
              "1000000",
              "CONVOKE_QUOTA_TASKS",
              "1000000",
              "CONVOKE_SHUTDOWN_DELAY",
              "3s"));
      int port = InstalledPrograms.freePort();
      Process haproxy = haproxy(port, servers.urls());
      try {
        ApiClient proxied =
            ApiClient.admin(URI.create("http://127.0.0.1:" + port), admin)
                .withTimeout(Duration.ofSeconds(20));
        BotServerCluster.await(
            "HAProxy", () -> !haproxy.isAlive() || proxied.get("/admin/users").status() == 200);
        assertThat(haproxy.isAlive()).as(Files.readString(folder.resolve("haproxy.log"))).isTrue();
        ApiClient user = proxied.newUser("behind-a-balancer@example.org", 0).api();
        List<Thread> clients =
            IntStream.range(0, CLIENTS)
                .mapToObj(client -> Thread.ofVirtual().start(() -> call(user, client)))
                .toList();
        for (int i = 0; i < SERVERS; i++) {
          awaitAnswers(200);
          servers.stop(i);
          servers.restart(i);
        }
        assertThat(failed).as("requests while servers were stopped and started").isEmpty();
        for (int i = 0; i < KILLS; i++) {
          awaitAnswers(200);
          long next = System.nanoTime() + BETWEEN_KILLS.toNanos();
          boolean _ = kills.add(System.nanoTime());
          servers.kill(i % SERVERS);
          servers.restart(i % SERVERS);
          LockSupport.parkNanos(next - System.nanoTime());
        }
        awaitAnswers(200);
        over.set(true);
        for (Thread client : clients) {
          client.join();
        }
        System.err.printf(
            "behind HAProxy: %d requests answered, %d failed, %d meetings, %d tasks%n",
            answered.get(), failed.size(), meetings.size(), tasks.size());
        assertThat(failed.stream().filter(request -> !isInFlightAtAKill(request))).isEmpty();
        assertThat(failed).hasSizeLessThanOrEqualTo(KILLS * CLIENTS);
        for (long meeting : meetings) {
          assertThat(user.get("/meetings/" + meeting).status()).isEqualTo(200);
        }
        for (String task : tasks) {
          assertThat(user.get("/tasks/" + task).status()).isEqualTo(200);
        }
      } finally {
        over.set(true);
        haproxy.destroyForcibly().waitFor();
        servers.close();
      }
    }
  }

  private boolean isInFlightAtAKill(FailedRequest request) {
    return kills.stream()
        .anyMatch(kill -> request.begun - kill < AFTER_KILL_NANOS && request.ended - kill > 0);
  }

  /** The file of the documentation with the addresses of this run. */
  private Process haproxy(int port, List<URI> urls) throws IOException {
    Path home = Path.of(System.getProperty("convoke.home", "..")).toAbsolutePath().normalize();
    String text = Files.readString(home.resolve("docs/operations/haproxy.cfg"));
    text = text.replace("bind :8000", "bind 127.0.0.1:" + port);
    for (int i = 0; i < SERVERS; i++) {
      String address = "10.0.0." + (i + 1) + ":8000";
      assertThat(text).contains(address);
      text = text.replace(address, urls.get(i).getAuthority());
    }
    Path file = Files.writeString(folder.resolve("haproxy.cfg"), text);
    return new ProcessBuilder("haproxy", "-db", "-f", file.toString())
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve("haproxy.log").toFile())
        .start();
  }

  private void call(ApiClient user, int client) {
    for (int turn = 0; !over.get(); turn++) {
      int number = turn * CLIENTS + client;
      ApiReply meeting =
          request(
              "POST /meetings",
              201,
              () ->
                  user.post(
                      "/meetings",
                      Map.of("platform", "google_meet", "native_meeting_id", meetCode(number))));
      if (meeting.status() == 201) {
        long id = meeting.body().path("id").asLong();
        boolean _ = meetings.add(id);
        ApiReply _ = request("GET /meetings/ID", 200, () -> user.get("/meetings/" + id));
      }
      ApiReply task =
          request(
              "POST /tasks",
              202,
              () ->
                  user.post(
                      "/tasks",
                      Map.of(
                          "request_id",
                          "r-" + number,
                          "type",
                          "record",
                          "action",
                          "start",
                          "channel",
                          "c-" + number,
                          "payload",
                          Map.of())));
      if (task.status() == 202) {
        boolean _ = tasks.add(task.body().path("id").asString());
      }
      ApiReply _ = request("GET /tasks", 200, () -> user.get("/tasks?limit=5"));
      LockSupport.parkNanos(BETWEEN_REQUESTS.toNanos());
    }
  }

  private ApiReply request(String what, int expected, Supplier<ApiReply> sending) {
    long begun = System.nanoTime();
    ApiReply reply = sending.get();
    if (reply.status() == expected) {
      int _ = answered.incrementAndGet();
    } else {
      boolean _ = failed.add(new FailedRequest(what, reply.status(), begun, System.nanoTime()));
    }
    return reply;
  }

  private void awaitAnswers(int more) {
    int before = answered.get();
    BotServerCluster.await("answers", () -> answered.get() >= before + more);
  }

  /** The code of a Google Meet for a number, for example {@code abc-defg-hij}. */
  private static String meetCode(int number) {
    StringBuilder letters = new StringBuilder();
    for (int i = 0, rest = number; i < 10; i++, rest /= 26) {
      letters.append((char) ('a' + rest % 26));
    }
    return letters.insert(7, '-').insert(3, '-').toString();
  }
}
