package io.convoke.agent.http;

import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * Sends requests whose answers must be complete, or begin, in time. The timeout of a {@link
 * HttpRequest} is neither: up to JDK 25 it ends with the headers, so a server that sends them and
 * then stalls would hold its caller for ever; from JDK 26 on it ends with the body, so it would cut
 * a stream.
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
    return within(client, request, body, "whole answer", atMost, _ -> {});
  }

  /**
   * Sends a request, which must have no timeout of its own, and waits until its answer begins. The
   * caller reads the body as it comes, and closes it.
   *
   * @throws HttpTimeoutException if no headers come in this time; the request is then cancelled
   * @throws IOException if the server cannot be reached or breaks off
   */
  public static HttpResponse<InputStream> begun(
      HttpClient client, HttpRequest request, Duration atMost)
      throws IOException, InterruptedException {
    return within(
        client,
        request,
        HttpResponse.BodyHandlers.ofInputStream(),
        "answer",
        atMost,
        WholeAnswer::close);
  }

  private static void close(HttpResponse<InputStream> answer) {
    try {
      answer.body().close();
    } catch (IOException _) {
      // It is closed all the same.
    }
  }

  /**
   * Sends in a thread of its own: {@link HttpClient#sendAsync} completes in the common pool, whose
   * few threads the code of a bot may hold.
   *
   * @param late takes an answer that came as it was given up
   */
  private static <T> HttpResponse<T> within(
      HttpClient client,
      HttpRequest request,
      HttpResponse.BodyHandler<T> body,
      String what,
      Duration atMost,
      Consumer<HttpResponse<T>> late)
      throws IOException, InterruptedException {
    CompletableFuture<HttpResponse<T>> call = new CompletableFuture<>();
    Thread sender =
        Thread.ofVirtual()
            .name("http-answer")
            .start(
                () -> {
                  try {
                    HttpResponse<T> answer = client.send(request, body);
                    if (!call.complete(answer)) {
                      late.accept(answer);
                    }
                  } catch (IOException | InterruptedException | RuntimeException | Error broken) {
                    boolean _ = call.completeExceptionally(broken);
                  }
                });
    try {
      return call.get(atMost.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException over) {
      if (!call.cancel(true) && call.state() == Future.State.SUCCESS) {
        return call.resultNow();
      }
      sender.interrupt();
      throw new HttpTimeoutException("no " + what + " within " + atMost);
    } catch (InterruptedException stopped) {
      if (call.cancel(true)) {
        sender.interrupt();
      } else if (call.state() == Future.State.SUCCESS) {
        late.accept(call.resultNow());
      }
      throw stopped;
    } catch (ExecutionException broken) {
      throw broken.getCause() instanceof IOException io ? io : new IOException(broken.getCause());
    }
  }
}
