package io.convoke.lab.chaos;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of a word on a wire that is whole, silent or slow. */
@Timeout(30)
final class SilentWireTest {
  private static final Duration LATE = Duration.ofMillis(300);

  private ServerSocket store;
  private SilentWire wire;
  private Socket process;
  private Socket heard;

  @BeforeEach
  void connect() throws IOException {
    store = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    wire = new SilentWire(store.getLocalPort());
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
    wire.silence();
    say("lost");
    process.close();
    assertThat(heard.getInputStream().readAllBytes()).isEmpty();
  }

  @Test
  void aSlowWireKeepsTheOrderAndIsQuickAgain() throws IOException {
    long slowed = System.nanoTime();
    wire.slow(LATE);
    say("la");
    say("te");
    assertThat(hear(4)).isEqualTo("late");
    assertThat(System.nanoTime() - slowed).isGreaterThanOrEqualTo(LATE.toNanos());
    say("again");
    assertThat(hear(5)).isEqualTo("again");
  }

  @Test
  void whatWasSaidArrivesAfterItsSpeakerHasGone() throws IOException {
    wire.slow(LATE);
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
