package io.convoke.simulator.webhook;

import io.convoke.simulator.time.SimulationClock;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.Semaphore;

/** Posts signed bodies with a bound on concurrency; a late response counts as none. */
final class WebhookHttpClient implements AutoCloseable {

  private static final int AT_ONCE = 64;

  private final HttpClient client;
  private final Semaphore slots = new Semaphore(AT_ONCE);
  private final SimulationClock time;
  private final Duration timeout;
  private final boolean milliseconds;

  WebhookHttpClient(SimulationClock time, WebhookSenderConfig settings) {
    this.time = time;
    this.timeout = settings.timeout();
    this.milliseconds = settings.millisecondTimestamps();
    this.client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(timeout)
            .followRedirects(HttpClient.Redirect.NEVER)
            .build();
  }

  DeliveryAttempt post(WebhookEndpoint webhookEndpoint, byte[] body) {
    Instant at = time.instant();
    String timestamp = Long.toString(milliseconds ? at.toEpochMilli() : at.getEpochSecond());
    HttpRequest.Builder request =
        HttpRequest.newBuilder(webhookEndpoint.url())
            .timeout(timeout)
            .header("Content-Type", "application/json")
            .header("X-Webhook-Timestamp", timestamp)
            .header(
                "X-Webhook-Signature",
                WebhookSignature.sign(webhookEndpoint.hmac(), timestamp, body))
            .POST(HttpRequest.BodyPublishers.ofByteArray(body));
    webhookEndpoint.basicAuth().ifPresent(auth -> request.header("Authorization", "Basic " + auth));
    long start = System.nanoTime();
    try {
      slots.acquire();
      try {
        HttpResponse<Void> answer =
            client.send(request.build(), HttpResponse.BodyHandlers.discarding());
        return new DeliveryAttempt(
            at, Optional.of(answer.statusCode()), Optional.empty(), since(start));
      } finally {
        slots.release();
      }
    } catch (IOException failed) {
      return new DeliveryAttempt(
          at, Optional.empty(), Optional.of(failed.getClass().getSimpleName()), since(start));
    } catch (InterruptedException closing) {
      Thread.currentThread().interrupt();
      return new DeliveryAttempt(
          at, Optional.empty(), Optional.of("simulator closed"), since(start));
    }
  }

  private static Duration since(long start) {
    return Duration.ofNanos(System.nanoTime() - start);
  }

  @Override
  public void close() {
    client.shutdownNow();
  }
}
