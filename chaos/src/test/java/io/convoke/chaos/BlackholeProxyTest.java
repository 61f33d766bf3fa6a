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

/** What becomes of a word on a wire that is whole, silent or slow. */
@Timeout(30)
final class BlackholeProxyTest {
  private static final Duration LATE = Duration.ofMillis(300);

  private ServerSocket store;
  private BlackholeProxy wire;
  private Socket process;
  private Socket heard;

  @BeforeEach
  void connect() throws IOException {
    store = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    wire = new BlackholeProxy(store.getLocalPort());
    process = new Socket(InetAddress.getLoopbackAddress(), wire.port());
    heard = store.accept();
    say("first");
    assertThat(hear(5)).isEqualTo("first");
  }

  @AfterEach
  void disconnect() throws IOException {
    heard.close();
    process.close();
    wire.close();
    store.close();
  }

  @Test
  void aSilentWireLosesWhatIsSaid() throws IOException {
    var _ = wire.silence();
    say("lost");
    process.close();
    assertThat(heard.getInputStream().readAllBytes()).isEmpty();
  }

  @Test
  void aSlowWireKeepsTheOrderAndIsQuickAgain() throws IOException {
    long slowed = System.nanoTime();
    var _ = wire.slow(LATE);
    say("la");
    say("te");
    assertThat(hear(4)).isEqualTo("late");
    assertThat(System.nanoTime() - slowed).isGreaterThanOrEqualTo(LATE.toNanos());
    say("again");
    assertThat(hear(5)).isEqualTo("again");
  }

  @Test
  void whoIsSilentIsHeardAgainOnANewConnection() throws Exception {
    CompletableFuture<Instant> again = wire.silence();
    say("lost");
    assertThat(again).isNotDone();
    Instant before = Instant.now();
    try (Socket other = new Socket(InetAddress.getLoopbackAddress(), wire.port())) {
      other.getOutputStream().write("again".getBytes(UTF_8));
      assertThat(again.get(5, SECONDS)).isBetween(before, Instant.now());
    }
  }

  @Test
  void whoIsSlowIsHeardAgainWhenItArrives() throws Exception {
    Instant before = Instant.now();
    CompletableFuture<Instant> again = wire.slow(LATE);
    say("late");
    assertThat(hear(4)).isEqualTo("late");
    assertThat(again.get(5, SECONDS)).isAfterOrEqualTo(before.plus(LATE));
  }

  @Test
  void whoIsSlowIsHeardAgainOnANewConnectionBefore() throws Exception {
    CompletableFuture<Instant> again = wire.slow(Duration.ofMinutes(1));
    say("late");
    try (Socket other = new Socket(InetAddress.getLoopbackAddress(), wire.port())) {
      other.getOutputStream().write("again".getBytes(UTF_8));
      assertThat(again.get(5, SECONDS)).isBeforeOrEqualTo(Instant.now());
    }
  }

  @Test
  void anotherProcessTellsNothingOfTheOneBefore() throws Exception {
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
  void whatWasSaidArrivesAfterItsSpeakerHasGone() throws IOException {
    var _ = wire.slow(LATE);
    say("last words");
    process.close();
    assertThat(new String(heard.getInputStream().readAllBytes(), UTF_8)).isEqualTo("last words");
  }

  @Test
  void whatWasSaidOnABrokenConnectionArrivesAfterThatWhichWasSaidAgain() throws IOException {
    wire.slow(Duration.ofMillis(50), Duration.ofSeconds(2));
    say("once");
    assertThat(process.getInputStream().read()).isEqualTo(-1);
    try (Socket again = new Socket(InetAddress.getLoopbackAddress(), wire.port());
        Socket heardAgain = store.accept()) {
      again.getOutputStream().write("once".getBytes(UTF_8));
      assertThat(heardAgain.getInputStream().readNBytes(4)).isEqualTo("once".getBytes(UTF_8));
      assertThat(heard.getInputStream().available()).isZero();
      assertThat(new String(heard.getInputStream().readAllBytes(), UTF_8)).isEqualTo("once");
    }
  }

  private void say(String word) throws IOException {
    process.getOutputStream().write(word.getBytes(UTF_8));
  }

  private String hear(int length) throws IOException {
    return new String(heard.getInputStream().readNBytes(length), UTF_8);
  }
}
