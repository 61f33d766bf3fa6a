package io.convoke.client;

import io.convoke.client.ConvokeException.ApiProblem;
import io.convoke.client.ConvokeException.InvalidField;
import io.convoke.client.ConvokeException.LimitReached;
import io.convoke.client.ConvokeException.NoAnswer;
import io.convoke.client.ConvokeException.RequestRefused;
import io.convoke.client.ConvokeException.ServerFailed;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse.BodySubscribers;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** Sends requests, repeats those that may be, and makes failures of what is no success. */
final class ApiTransport implements AutoCloseable {
  private static final Set<Integer> PASSING = Set.of(429, 502, 503, 504);

  /** The first request with the same key still runs. */
  private static final String IN_FLIGHT = "idempotency_in_flight";

  private final HttpClient http;
  private final URI server;
  private final Map<String, String> headers;
  private final Duration answerTimeout;
  private final RetrySettings retries;
  private final InstantSource clock = InstantSource.system();
  private final CountDownLatch closed = new CountDownLatch(1);

  ApiTransport(
      URI server, Map<String, String> headers, Duration answerTimeout, RetrySettings retries) {
    this.server = server;
    this.headers = headers;
    this.answerTimeout = answerTimeout;
    this.retries = retries;
    this.http =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(10))
            .followRedirects(HttpClient.Redirect.NEVER)
            .build();
  }

  /** The answer to a request, after retries. */
  ApiReply send(CallParts request) {
    return send(request, false);
  }

  /**
   * The answer to a request, after retries.
   *
   * @param redirect whether a redirect is a success; none is followed
   */
  ApiReply send(CallParts given, boolean redirect) {
    CallParts request = given.keyed();
    boolean unanswered = false;
    for (int attempt = 1; ; attempt++) {
      boolean last = attempt >= retries.attempts() || !request.repeatable();
      Duration wait = retries.wait(attempt);
      try {
        HttpResponse<byte[]> response = whole(http(request), BodyHandlers.ofByteArray());
        if (response.statusCode() < 300 || (redirect && response.statusCode() == 303)) {
          return new ApiReply(response.headers(), response.body());
        }
        if (unanswered && request.method().equals("DELETE") && response.statusCode() == 404) {
          // Deleted by the attempt that got no answer.
          return new ApiReply(response.headers(), new byte[0]);
        }
        unanswered |= response.statusCode() == 502 || response.statusCode() == 504;
        ApiProblem problem =
            problem(response.statusCode(), response.headers(), text(response.body()));
        if (last || !passing(problem)) {
          throw failure(problem);
        }
        Duration asked = problem.retryAfter().orElse(Duration.ZERO);
        if (asked.compareTo(retries.longestWait()) > 0) {
          throw failure(problem);
        }
        wait = asked.compareTo(wait) > 0 ? asked : wait;
      } catch (IOException e) {
        unanswered = true;
        if (last) {
          throw unreached(e);
        }
      }
      pause(wait);
    }
  }

  /**
   * Opens a stream of events whose lines are read as they arrive.
   *
   * @param lines gets them once the answer has begun as a success; its owner cancels it
   * @throws IOException if the server cannot be reached, sends no headers in time, or if what it
   *     answers is no stream of events but, say, the page of a proxy
   */
  void open(CallParts request, Flow.Subscriber<String> lines) throws IOException {
    HttpResponse<Flow.Publisher<List<ByteBuffer>>> response =
        whole(http(request), BodyHandlers.ofPublisher());
    if (response.statusCode() == 200) {
      response.body().subscribe(BodySubscribers.fromLineSubscriber(lines));
      String type = response.headers().firstValue("Content-Type").orElse("nothing");
      if (!type.startsWith("text/event-stream")) {
        throw new IOException("not a stream of events but " + type);
      }
      return;
    }
    HttpResponse.BodySubscriber<String> text = BodySubscribers.ofString(StandardCharsets.UTF_8);
    response.body().subscribe(text);
    String body = within(text.getBody().toCompletableFuture());
    throw failure(problem(response.statusCode(), response.headers(), body));
  }

  /** The same request as one of the JDK's. */
  HttpRequest http(CallParts request) {
    BodyPublisher body =
        request
            .content()
            .map(it -> BodyPublishers.ofByteArray(it.content()))
            .orElseGet(BodyPublishers::noBody);
    HttpRequest.Builder builder =
        HttpRequest.newBuilder(address(request.path(), request.query()))
            .method(request.method(), body);
    headers.forEach(builder::header);
    request.headers().forEach(builder::header);
    request.content().ifPresent(it -> builder.header("Content-Type", it.type()));
    return builder.build();
  }

  private URI address(String path, Map<String, List<String>> query) {
    String base = server.toString();
    String parameters =
        query.entrySet().stream()
            .flatMap(
                it ->
                    it.getValue().stream()
                        .map(value -> encoded(it.getKey()) + "=" + encoded(value)))
            .collect(Collectors.joining("&"));
    return URI.create(
        (base.endsWith("/") ? base.substring(0, base.length() - 1) : base)
            + path
            + (parameters.isEmpty() ? "" : "?" + parameters));
  }

  private static String text(byte[] body) {
    return new String(body, StandardCharsets.UTF_8);
  }

  /** A text as one segment of a path or value of a query. */
  static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  /**
   * Java's own timeout of a request ends with the headers; this one is for the whole answer. It is
   * waited for in a thread of its own, as {@link HttpClient#sendAsync} completes in the common
   * pool, whose few threads its user may hold.
   */
  private <T> HttpResponse<T> whole(HttpRequest request, HttpResponse.BodyHandler<T> body)
      throws IOException {
    FutureTask<HttpResponse<T>> call = new FutureTask<>(() -> http.send(request, body));
    Thread _ = Thread.ofVirtual().name("convoke-answer").start(call);
    return within(call);
  }

  private <T> T within(Future<T> call) throws IOException {
    try {
      return call.get(answerTimeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException late) {
      boolean _ = call.cancel(true);
      throw new HttpTimeoutException("no whole answer within " + answerTimeout.toSeconds() + " s");
    } catch (InterruptedException stopped) {
      boolean _ = call.cancel(true);
      throw interrupted(stopped);
    } catch (ExecutionException broken) {
      throw broken.getCause() instanceof IOException io ? io : new IOException(broken.getCause());
    }
  }

  private static boolean passing(ApiProblem problem) {
    return PASSING.contains(problem.status()) || problem.code().equals(IN_FLIGHT);
  }

  /** The failure of an answer that is no success. */
  static ConvokeException failure(ApiProblem problem) {
    if (problem.status() == 429) {
      return new LimitReached(problem);
    }
    return problem.status() >= 500 ? new ServerFailed(problem) : new RequestRefused(problem);
  }

  /** What an answer that is no success says; a proxy's says its status alone. */
  ApiProblem problem(int status, HttpHeaders answered, String body) {
    Optional<Duration> retryAfter = answered.firstValue("Retry-After").flatMap(this::retryAfter);
    boolean ours =
        answered.firstValue("Content-Type").filter(it -> it.contains("problem+json")).isPresent();
    if (ours) {
      try {
        JsonNode tree = ApiJson.MAPPER.readTree(body);
        List<InvalidField> errors =
            tree.path("errors")
                .valueStream()
                .map(
                    it ->
                        new InvalidField(
                            it.path("field").asString(""), it.path("message").asString("")))
                .toList();
        return new ApiProblem(
            status,
            tree.path("code").asString("unknown"),
            tree.path("detail").asString("The server answered " + status + "."),
            Optional.of(tree.path("trace_id").asString("")).filter(it -> !it.isEmpty()),
            errors,
            retryAfter);
      } catch (JacksonException _) {
        // Said below.
      }
    }
    return new ApiProblem(
        status,
        "http_" + status,
        "The answer is no answer of Convoke: HTTP " + status + ".",
        Optional.empty(),
        List.of(),
        retryAfter);
  }

  private Optional<Duration> retryAfter(String value) {
    try {
      if (value.strip().matches("[0-9]{1,9}")) {
        return Optional.of(Duration.ofSeconds(Long.parseLong(value.strip())));
      }
      Instant at =
          ZonedDateTime.parse(value.strip(), DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
      Duration wait = Duration.between(clock.instant(), at);
      return Optional.of(wait.isNegative() ? Duration.ZERO : wait);
    } catch (DateTimeException _) {
      return Optional.empty();
    }
  }

  NoAnswer unreached(IOException e) {
    return new NoAnswer("No answer from " + server + ": " + reason(e), e);
  }

  /** Why no answer came: the JDK leaves the message out where the class says it. */
  private static String reason(IOException e) {
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof UnresolvedAddressException) {
        return "there is no such host";
      }
    }
    return switch (e) {
      case HttpConnectTimeoutException _ -> "no connection in time";
      case ConnectException _ -> "nothing listens there";
      default -> Optional.ofNullable(e.getMessage()).orElse(e.getClass().getSimpleName());
    };
  }

  /** Waits, unless the client is closed meanwhile. */
  private void pause(Duration wait) {
    try {
      boolean _ = closed.await(wait.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
    requireOpen();
  }

  /**
   * Checks that the client was not closed.
   *
   * @throws IllegalStateException if it was
   */
  void requireOpen() {
    if (closed.getCount() == 0) {
      throw new IllegalStateException("the client is closed");
    }
  }

  static NoAnswer interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new NoAnswer("interrupted", e);
  }

  @Override
  public void close() {
    closed.countDown();
    http.shutdownNow();
  }
}
