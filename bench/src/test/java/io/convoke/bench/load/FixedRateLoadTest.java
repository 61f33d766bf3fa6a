package io.convoke.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.convoke.bench.report.MeasuredSample;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class FixedRateLoadTest {
  private static final byte[] REQUEST =
      "GET / HTTP/1.1\r\nHost: here\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

  @Test
  void theRateDoesNotDependOnTheServer() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    MeasuredSample measuredSample = drive(4, 500, () -> asked.incrementAndGet());

    assertThat(measuredSample.operations()).isEqualTo(250);
    assertThat(asked).hasValue(250);
    assertThat(measuredSample.span()).isBetween(Duration.ofMillis(490), Duration.ofSeconds(4));
  }

  @Test
  void latencyOfAWaitingRequestCountsFromItsDueTime() throws Exception {
    // One connection and 4 ms a request: of 500 a second half must wait, the last for half a
    // second.
    MeasuredSample measuredSample =
        drive(1, 500, () -> java.util.concurrent.locks.LockSupport.parkNanos(4_000_000));

    assertThat(measuredSample.operations()).isEqualTo(250);
    assertThat(measuredSample.p99()).isGreaterThan(Duration.ofMillis(300));
  }

  private static MeasuredSample drive(int connections, double perSecond, Runnable each)
      throws Exception {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      server.setExecutor(threads);
      var _ =
          server.createContext(
              "/",
              exchange -> {
                each.run();
                byte[] body = {'o', 'k'};
                exchange.sendResponseHeaders(200, body.length);
                try (exchange) {
                  exchange.getResponseBody().write(body);
                }
              });
      server.start();
      return FixedRateLoad.drive(
          server.getAddress(),
          connections,
          perSecond,
          new HttpRequestBytes(Collections.nCopies(1000, REQUEST).toArray(byte[][]::new)),
          Duration.ofMillis(500));
    } finally {
      server.stop(0);
    }
  }
}
