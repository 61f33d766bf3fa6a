package io.convoke.server.http.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.server.http.CallerRole;
import io.convoke.server.http.ContractClient;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.EventReader;
import io.convoke.server.http.Response;
import io.convoke.server.http.TestServer;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Stopping: what is in flight ends, streams are told to go, new work is not taken. */
class ShutdownStateTest {
  private static final Duration SOON = Duration.ofSeconds(10);

  private final CountDownLatch entered = new CountDownLatch(1);
  private final CountDownLatch mayLeave = new CountDownLatch(1);

  private Endpoint slow() {
    return Endpoint.get("/slow")
        .id("slow")
        .tag("test")
        .summary("Takes its time.")
        .roles(CallerRole.PUBLIC)
        .answers(204)
        .handle(
            _ -> {
              entered.countDown();
              assertThat(mayLeave.await(10, TimeUnit.SECONDS)).isTrue();
              return Response.noContent();
            });
  }

  private Endpoint ticks() {
    return Endpoint.get("/ticks")
        .id("ticks")
        .tag("test")
        .summary("A stream.")
        .roles(CallerRole.PUBLIC)
        .answers(200, "text/event-stream")
        .handle(
            _ ->
                Response.events(
                    out -> {
                      out.send("1", "tick", java.util.Map.of("n", 1));
                      entered.countDown();
                      while (out.open()) {
                        assertThat(mayLeave.await(10, TimeUnit.SECONDS)).isTrue();
                      }
                    }));
  }

  @Test
  void a_request_in_flight_is_answered_before_the_server_stops() throws Exception {
    TestServer server = TestServer.of(slow());
    ContractClient client = server.anonymous();
    var answer = CompletableFuture.supplyAsync(() -> client.get("/slow"));
    assertThat(entered.await(10, TimeUnit.SECONDS)).isTrue();

    server.server().announceStop();
    var ready = client.get("/readyz").expect(503, "not_ready");
    assertThat(ready.header("Connection")).isEqualTo("close");
    var stopped = CompletableFuture.runAsync(server::close);
    mayLeave.countDown();

    assertThat(answer.get(10, TimeUnit.SECONDS).status()).isEqualTo(204);
    stopped.get(10, TimeUnit.SECONDS);
  }

  @Test
  void a_server_that_announced_its_stop_serves_new_connections_and_streams() throws Exception {
    mayLeave.countDown();
    try (TestServer server = TestServer.of(slow(), ticks())) {
      server.server().announceStop();
      server.anonymous().get("/readyz").expect(503, "not_ready");
      assertThat(server.anonymous().get("/slow").status()).isEqualTo(204);
      try (EventReader reader = server.anonymous().events("/ticks")) {
        assertThat(reader.next(SOON).id()).isEqualTo("1");
      }
    }
  }

  @Test
  void an_idle_connection_does_not_delay_the_stop() throws Exception {
    TestServer server = TestServer.of(slow());
    server.anonymous().get("/livez").expect(200);
    try (Socket idle = new Socket(InetAddress.getLoopbackAddress(), server.server().port())) {
      idle.getOutputStream()
          .write("GET /livez HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      assertThat(idle.getInputStream().read()).isEqualTo('H');
      long began = System.nanoTime();
      server.close();
      assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(5));
    }
  }

  @Test
  void a_stream_ends_completely_so_that_its_client_reconnects() throws Exception {
    TestServer server = TestServer.of(ticks());
    try (EventReader reader = server.anonymous().events("/ticks")) {
      assertThat(reader.next(SOON).id()).isEqualTo("1");
      assertThat(entered.await(10, TimeUnit.SECONDS)).isTrue();

      long began = System.nanoTime();
      server.close();
      assertThat(reader.ends(SOON)).isTrue();
      assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(5));
    }
  }
}
