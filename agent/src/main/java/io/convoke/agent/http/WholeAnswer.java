package io.convoke.agent.http;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Sends requests whose answers must be complete in time. The timeout of a {@link HttpRequest} ends
 * with the headers: a server that sends them and then stalls would hold its caller for ever.
 */
public final class WholeAnswer {
  private WholeAnswer() {}

  /**
   * Sends a request and waits for the whole answer.
   *
   * @throws HttpTimeoutException if it is not complete in this time; the request is then cancelled
   * @throws IOException if the server cannot be reached or breaks off
   */
  public static <T> HttpResponse<T> of(
      HttpClient client, HttpRequest request, HttpResponse.BodyHandler<T> body, Duration atMost)
      throws IOException, InterruptedException {
    CompletableFuture<HttpResponse<T>> call = client.sendAsync(request, body);
    try {
      return call.get(atMost.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException late) {
      boolean _ = call.cancel(true);
      throw new HttpTimeoutException("no whole answer within " + atMost);
    } catch (InterruptedException stopped) {
      boolean _ = call.cancel(true);
      throw stopped;
    } catch (ExecutionException broken) {
      throw broken.getCause() instanceof IOException io ? io : new IOException(broken.getCause());
    }
  }
}
