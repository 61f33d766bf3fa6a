package io.convoke.server.launch.docker;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.convoke.server.launch.BotImage;
import io.convoke.server.launch.BotImage.ImagePullPolicy;
import io.convoke.server.launch.Launcher.BotExit;
import java.io.IOException;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A fake engine that, like Docker, answers an events request before it subscribes, and lists a
 * dying container as running. Here that gap is always long enough.
 */
@Tag("nightly")
final class EarlyDeathTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00.5Z");
  private static final Instant DEATH = NOW.plusMillis(1);
  private static final String ID = "0123456789abcdef";

  private final CountDownLatch over = new CountDownLatch(1);
  private final BlockingQueue<BotExit> exits = new LinkedBlockingQueue<>();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private HttpServer engine;
  private DockerLauncher launcher;

  @BeforeEach
  void start() throws IOException {
    engine = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    engine.setExecutor(threads);
    says("/info", "{\"Name\": \"here\", \"SystemTime\": \"%s\"}".formatted(NOW));
    says(
        "/containers/json",
        "[{\"Id\": \"%s\", \"Names\": [\"/convoke-bot-1\"], \"State\": \"running\"}]"
            .formatted(ID));
    var _ = engine.createContext("/events", this::tellDeaths);
    engine.start();
    launcher =
        new DockerLauncher(
            new DockerConfig(
                "tcp://127.0.0.1:" + engine.getAddress().getPort(),
                "test",
                new BotImage("bot:1", ImagePullPolicy.NEVER, Optional.empty(), Optional.empty()),
                Optional.empty()),
            InstantSource.system());
  }

  @AfterEach
  void stop() {
    over.countDown();
    launcher.close();
    engine.stop(0);
    threads.close();
  }

  @Test
  void anExitBeforeTheEventStreamOpensIsReported() throws Exception {
    launcher.onExit(exits::add);
    assertThat(exits.poll(10, TimeUnit.SECONDS))
        .isEqualTo(new BotExit("docker:here:" + ID, "convoke-bot-1", Optional.of(3)));
  }

  /** Past events are sent only with a {@code since}. */
  private void tellDeaths(HttpExchange exchange) throws IOException {
    try (exchange) {
      exchange.sendResponseHeaders(200, 0);
      OutputStream body = exchange.getResponseBody();
      body.flush();
      if (since(exchange).filter(from -> !from.isAfter(DEATH)).isPresent()) {
        body.write(
            """
            {"Type": "container", "Action": "die", "Actor": {"ID": "%s",
             "Attributes": {"name": "convoke-bot-1", "exitCode": "3"}}}
            """
                .formatted(ID)
                .getBytes(StandardCharsets.UTF_8));
        body.flush();
      }
      over.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static Optional<Instant> since(HttpExchange exchange) {
    return Stream.of(exchange.getRequestURI().getQuery().split("&"))
        .filter(parameter -> parameter.startsWith("since="))
        .map(parameter -> new BigDecimal(parameter.substring("since=".length())))
        .map(seconds -> Instant.EPOCH.plusNanos(seconds.movePointRight(9).longValueExact()))
        .findFirst();
  }

  private void says(String path, String json) {
    var _ =
        engine.createContext(
            path,
            exchange -> {
              try (exchange) {
                byte[] answer = json.getBytes(StandardCharsets.UTF_8);
                exchange.getResponseHeaders().set("Content-Type", "application/json");
                exchange.sendResponseHeaders(200, answer.length);
                exchange.getResponseBody().write(answer);
              }
            });
  }
}
