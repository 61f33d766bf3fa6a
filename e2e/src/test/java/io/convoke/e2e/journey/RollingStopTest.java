package io.convoke.e2e.journey;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two servers are stopped and started in turn; clients that ask for readiness lose no request. */
class RollingStopTest {
  private static final Duration CHECKED_EACH = Duration.ofSeconds(1);
  private static final Duration BETWEEN_REQUESTS = Duration.ofMillis(10);
  private static final Duration SOON = Duration.ofSeconds(10);
  private static final int SERVERS = 2;
  private static final int CLIENTS = 4;
  private static final int STOPS = 4;

  @TempDir private Path folder;

  private final Queue<String> failures = new ConcurrentLinkedQueue<>();
  private final AtomicInteger answered = new AtomicInteger();
  private final AtomicBoolean over = new AtomicBoolean();

  @Test
  @Tag("nightly")
  void aServerThatStopsServesUntilItsClientsHaveSeenThatItIsNotReady() throws Exception {
    try (BotServerCluster servers =
        new BotServerCluster(folder, SERVERS, Map.of("CONVOKE_SHUTDOWN_DELAY", "3s"))) {
      List<Thread> clients =
          IntStream.range(0, CLIENTS)
              .mapToObj(_ -> Thread.ofVirtual().start(() -> callUntilOver(servers)))
              .toList();
      for (int i = 0; i < STOPS; i++) {
        int before = answered.get();
        BotServerCluster.await("answers", () -> answered.get() > before + 100);
        servers.roll(i);
      }
      over.set(true);
      for (Thread client : clients) {
        client.join();
      }
      assertThat(failures).isEmpty();
    }
  }

  /** A client with a list of ready servers that is up to a second old. */
  private void callUntilOver(BotServerCluster servers) {
    try (HttpClient http = HttpClient.newHttpClient()) {
      List<URI> ready = List.of();
      long checked = 0;
      for (int turn = 0; !over.get(); turn++) {
        long now = System.nanoTime();
        if (ready.isEmpty() || now - checked >= CHECKED_EACH.toNanos()) {
          checked = now;
          ready =
              IntStream.range(0, SERVERS)
                  .mapToObj(servers::url)
                  .filter(url -> status(http, url.resolve("/readyz")) == 200)
                  .toList();
        }
        if (!ready.isEmpty()) {
          call(http, ready.get(turn % ready.size()));
        }
        LockSupport.parkNanos(BETWEEN_REQUESTS.toNanos());
      }
    }
  }

  private void call(HttpClient http, URI url) {
    int status = status(http, url.resolve("/openapi.yaml"));
    if (status == 200) {
      int _ = answered.incrementAndGet();
    } else {
      failures.add(url + " answered " + status);
    }
  }

  /** The status of an answer; 0 if there was none. */
  private static int status(HttpClient http, URI url) {
    try {
      HttpRequest request = HttpRequest.newBuilder(url).timeout(SOON).build();
      return http.send(request, BodyHandlers.discarding()).statusCode();
    } catch (IOException e) {
      return 0;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return 0;
    }
  }
}
