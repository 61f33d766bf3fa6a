package io.convoke.bench.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.bench.report.MeasuredSample;
import io.helidon.http.Status;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.http.Handler;
import io.helidon.webserver.http.HttpRouting;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The generator against a real server: it must not count what was not answered 200. */
final class LoadGeneratorTest {
  private final AtomicLong served = new AtomicLong();

  @Test
  void everyRequestIsSentOnceAndCounted() throws Exception {
    MeasuredSample measuredSample =
        drive(500, (request, response) -> response.send("x".repeat(300)));

    assertThat(measuredSample.operations()).isEqualTo(500);
    assertThat(measuredSample.failures()).isZero();
    assertThat(served).hasValue(500);
    assertThat(measuredSample.p50()).isPositive().isLessThanOrEqualTo(measuredSample.p99());
  }

  @Test
  void anotherStatusThan200IsAFailure() throws Exception {
    MeasuredSample measuredSample =
        drive(
            100,
            (request, response) ->
                response
                    .status(served.get() % 10 == 0 ? Status.TOO_MANY_REQUESTS_429 : Status.OK_200)
                    .send());

    assertThat(measuredSample.failures()).isPositive();
    assertThat(measuredSample.operations() + measuredSample.failures()).isEqualTo(100);
  }

  @Test
  void aServerThatIsNotThereMeasuresNothing() {
    assertThatThrownBy(
            () ->
                LoadGenerator.drive(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 1),
                    List.of(requests(1)),
                    Duration.ofSeconds(1)))
        .isInstanceOf(IOException.class);
  }

  private MeasuredSample drive(int number, Handler handler) throws IOException {
    Handler counted =
        (request, response) -> {
          byte[] _ = request.content().as(byte[].class);
          long _ = served.incrementAndGet();
          handler.handle(request, response);
        };
    WebServer server =
        WebServer.builder()
            .host("127.0.0.1")
            .port(0)
            .routing(HttpRouting.builder().post("/", counted))
            .build()
            .start();
    try {
      return LoadGenerator.drive(
          new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()),
          Collections.nCopies(4, requests(number)),
          Duration.ofSeconds(30));
    } finally {
      WebServer _ = server.stop();
    }
  }

  private static HttpRequestBytes requests(int number) {
    byte[] request =
        "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\nhi"
            .getBytes(StandardCharsets.US_ASCII);
    byte[][] all = new byte[number][];
    Arrays.fill(all, request);
    return new HttpRequestBytes(all);
  }
}
