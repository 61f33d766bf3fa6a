package io.convoke.server.webhooks;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Deliveries to servers that send a byte now and then. */
@Timeout(60)
class DeliveryRequestTest {
  private static final Duration SHORT = Duration.ofMillis(300);

  /** At 20 ms each, far longer than a delivery may take here. */
  private static final int DRIPS = 500;

  @Test
  void aHandshakeWithoutEndIsGivenUp() throws Exception {
    // The head of a TLS record of 16 KiB.
    isGivenUp("https", new byte[] {22, 3, 3, 64, 0});
  }

  @Test
  void anAnswerWithoutEndIsGivenUp() throws Exception {
    isGivenUp("http", "HTTP/1.1 200".getBytes(StandardCharsets.US_ASCII));
  }

  private static void isGivenUp(String scheme, byte[] beginning) throws Exception {
    CountDownLatch over = new CountDownLatch(1);
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Thread dripping = Thread.ofVirtual().start(() -> drip(server, beginning, over));
      URI url = URI.create(scheme + "://127.0.0.1:" + server.getLocalPort() + "/");
      DeliveryRequest request = new DeliveryRequest(url, InetAddress.getLoopbackAddress(), SHORT);
      assertThatThrownBy(() -> request.send(Map.of(), "{}"))
          .isInstanceOf(SocketTimeoutException.class);
      over.countDown();
      dripping.join();
    }
  }

  private static void drip(ServerSocket server, byte[] beginning, CountDownLatch over) {
    try (Socket socket = server.accept()) {
      OutputStream out = socket.getOutputStream();
      out.write(beginning);
      try {
        for (int i = 0; i < DRIPS && !over.await(20, TimeUnit.MILLISECONDS); i++) {
          out.write(' ');
        }
      } catch (IOException _) {
        // The client has given it up.
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
