package io.convoke.chaos;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Bytes on an intact, silenced or delayed connection. */
@Timeout(30)
final class BlackholeProxyTest {
  private static final Duration LATE = Duration.ofMillis(300);

  private ServerSocket store;
  private BlackholeProxy wire;
  private Socket process;
  private Socket server;

  @BeforeEach
  void connect() throws IOException {
    store = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    wire = new BlackholeProxy(store.getLocalPort());
    process = new Socket(InetAddress.getLoopbackAddress(), wire.port());
    server = store.accept();
    send("first");
    assertThat(receive(5)).isEqualTo("first");
  }

  @AfterEach
  void disconnect() throws IOException {
    server.close();
    process.close();
    wire.close();
    store.close();
  }

  @Test
  void aSilentConnectionDropsBytes() throws IOException {
    var _ = wire.silence();
    send("lost");
    process.close();
    assertThat(server.getInputStream().readAllBytes()).isEmpty();
  }

  @Test
  void aSlowConnectionKeepsTheOrderAndRecovers() throws IOException {
    long slowed = System.nanoTime();
    var _ = wire.slow(LATE);
    send("la");
    send("te");
    assertThat(receive(4)).isEqualTo("late");
    assertThat(System.nanoTime() - slowed).isGreaterThanOrEqualTo(LATE.toNanos());
    send("again");
    assertThat(receive(5)).isEqualTo("again");
  }

  @Test
  void aDelayHoldsForBothDirectionsUntilItIsTakenAway() throws IOException {
    wire.delay(LATE);
    long began = System.nanoTime();
    send("ask");
    assertThat(receive(3)).isEqualTo("ask");
    server.getOutputStream().write("told".getBytes(UTF_8));
    assertThat(process.getInputStream().readNBytes(4)).isEqualTo("told".getBytes(UTF_8));
    assertThat(System.nanoTime() - began).isGreaterThanOrEqualTo(2 * LATE.toNanos());
    wire.delay(Duration.ZERO);
    began = System.nanoTime();
    send("now");
    assertThat(receive(3)).isEqualTo("now");
    assertThat(System.nanoTime() - began).isLessThan(LATE.toNanos());
  }

  @Test
  void aSilencedProcessIsReconnectedByANewConnection() throws Exception {
    CompletableFuture<Instant> again = wire.silence();
    send("lost");
    assertThat(again).isNotDone();
    Instant before = Instant.now();
    try (Socket other = new Socket(InetAddress.getLoopbackAddress(), wire.port())) {
      other.getOutputStream().write("again".getBytes(UTF_8));
      assertThat(again.get(5, SECONDS)).isBetween(before, Instant.now());
    }
  }

  @Test
  void aDelayedProcessIsReconnectedWhenItsBytesArrive() throws Exception {
    Instant before = Instant.now();
    CompletableFuture<Instant> again = wire.slow(LATE);
    send("late");
    assertThat(receive(4)).isEqualTo("late");
    assertThat(again.get(5, SECONDS)).isAfterOrEqualTo(before.plus(LATE));
  }

  @Test
  void aDelayedProcessIsReconnectedEarlierByANewConnection() throws Exception {
    CompletableFuture<Instant> again = wire.slow(Duration.ofMinutes(1));
    send("late");
    try (Socket other = new Socket(InetAddress.getLoopbackAddress(), wire.port())) {
      other.getOutputStream().write("again".getBytes(UTF_8));
      assertThat(again.get(5, SECONDS)).isBeforeOrEqualTo(Instant.now());
    }
  }

  @Test
  void theConnectionOfAnotherProcessDoesNotCount() throws Exception {
    CompletableFuture<Instant> one = wire.silence();
    wire.another();
    CompletableFuture<Instant> next = wire.silence();
    try (Socket other = new Socket(InetAddress.getLoopbackAddress(), wire.port())) {
      other.getOutputStream().write("hello".getBytes(UTF_8));
      assertThat(next.get(5, SECONDS)).isNotNull();
      assertThat(one).isNotDone();
    }
  }

  @Test
  void bytesArriveAfterTheSenderClosed() throws IOException {
    var _ = wire.slow(LATE);
    send("last words");
    process.close();
    assertThat(new String(server.getInputStream().readAllBytes(), UTF_8)).isEqualTo("last words");
  }

  @Test
  void bytesOfABrokenConnectionArriveAfterTheRetry() throws IOException {
    wire.slow(Duration.ofMillis(50), Duration.ofSeconds(2));
    send("once");
    assertThat(process.getInputStream().read()).isEqualTo(-1);
    try (Socket again = new Socket(InetAddress.getLoopbackAddress(), wire.port());
        Socket secondServer = store.accept()) {
      again.getOutputStream().write("once".getBytes(UTF_8));
      assertThat(secondServer.getInputStream().readNBytes(4)).isEqualTo("once".getBytes(UTF_8));
      assertThat(server.getInputStream().available()).isZero();
      assertThat(new String(server.getInputStream().readAllBytes(), UTF_8)).isEqualTo("once");
    }
  }

  private void send(String word) throws IOException {
    process.getOutputStream().write(word.getBytes(UTF_8));
  }

  private String receive(int length) throws IOException {
    return new String(server.getInputStream().readNBytes(length), UTF_8);
  }
}
