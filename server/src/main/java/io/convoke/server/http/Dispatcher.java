package io.convoke.server.http;

import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.server.http.Endpoint.Method;
import io.convoke.server.http.Router.Match;
import io.helidon.http.Header;
import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import io.helidon.http.HeaderValues;
import io.helidon.http.RequestException;
import io.helidon.http.ServerRequestHeaders;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.ServerConnectionException;
import io.helidon.webserver.http.Handler;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Takes each request from the web server through all that its endpoint describes: route, trace,
 * caller, rate, parameters, body, idempotency, handler, answer. The order is the order of cost:
 * what can be refused without work is refused first.
 */
final class Dispatcher implements Handler {
  private static final HeaderName TRACEPARENT = HeaderNames.create("traceparent");
  private static final HeaderName RATE_LIMIT = HeaderNames.create("RateLimit");

  private final Router<Operation> router;
  private final HttpParts parts;
  private final Header ratePolicy;

  Dispatcher(Router<Operation> router, HttpParts parts) {
    this.router = router;
    this.parts = parts;
    this.ratePolicy =
        HeaderValues.createCached(
            "RateLimit-Policy",
            "\"caller\";q=" + parts.limits().burst() + ";w=" + parts.limits().windowSeconds());
  }

  @Override
  public void handle(ServerRequest request, ServerResponse response) {
    dispatch(request, response);
    if (request.content().hasEntity() && !request.content().consumed()) {
      parts.headerWatch().bodyLeftUnread();
    }
  }

  private void dispatch(ServerRequest request, ServerResponse response) {
    String path = request.path().rawPath();
    String word = request.prologue().method().text();
    boolean head = word.equals("HEAD");
    Optional<Method> method = method(head ? "GET" : word);
    Match<Operation> match;
    try {
      match = router.find(method, path);
    } catch (Problem problem) {
      parts.writer().write(response, problem, Trace.fresh().traceId(), head);
      return;
    }
    switch (match) {
      case Match.Found<Operation>(Operation operation, Map<String, String> parameters) ->
          serve(operation, parameters, request, response, head);
      case Match.OtherMethod<Operation>(Set<Method> allowed) -> {
        response.header("Allow", allow(allowed));
        Problem problem =
            Problem.of(405, "method_not_allowed", "This path does not take " + word + ".");
        parts.writer().write(response, problem, trace(request).traceId(), head);
      }
      case Match.Missing<Operation>() -> serveFile(path, method, request, response, head);
    }
  }

  private void serve(
      Operation operation,
      Map<String, String> pathParameters,
      ServerRequest request,
      ServerResponse response,
      boolean head) {
    long began = System.nanoTime();
    RequestTrace trace = parts.tracing().begin(operation, header(request, TRACEPARENT));
    int status;
    try {
      Answer answer = answer(operation, pathParameters, request, response, trace);
      trace.announce(response);
      status = answer.status();
      operation.timer().record(status, System.nanoTime() - began);
      parts.writer().write(response, answer, head, () -> welcome(operation, request));
    } catch (RequestException | CloseConnectionException e) {
      throw e;
    } catch (EventStream.StreamClosedException e) {
      throw new CloseConnectionException(String.valueOf(e.getMessage()));
    } catch (UncheckedIOException e) {
      trace.failed(e);
      throw new ServerConnectionException("the connection broke", e);
    } catch (Exception e) {
      if (response.isSent()) {
        throw new CloseConnectionException("failed after the answer had begun", e);
      }
      Problem problem = Failures.problem(e, operation.endpoint(), trace.id());
      trace.failed(problem);
      trace.announce(response);
      operation.timer().record(problem.status(), System.nanoTime() - began);
      parts.writer().write(response, problem, trace.id(), head);
    } finally {
      trace.end();
    }
  }

  private Answer answer(
      Operation operation,
      Map<String, String> pathParameters,
      ServerRequest request,
      ServerResponse response,
      RequestTrace trace)
      throws Exception {
    Endpoint endpoint = operation.endpoint();
    Visitor visitor = parts.callers().of(endpoint, request);
    limit(visitor.caller(), response);
    Map<String, java.util.List<String>> query =
        Operation.query(request.prologue().query().rawValue());
    Function<String, Optional<String>> headers = name -> header(request, FieldNames.of(name));
    operation.checkParameters(pathParameters, query, headers);
    RequestBody body = body(operation, request);
    CheckedRequest checked =
        new CheckedRequest(endpoint, visitor, pathParameters, query, headers, body, trace::id);
    Optional<String> key = endpoint.creates() ? headers.apply("Idempotency-Key") : Optional.empty();
    if (key.isEmpty()) {
      return endpoint.handler().handle(checked);
    }
    return parts
        .idempotency()
        .run(checked, endpoint, key.get(), () -> endpoint.handler().handle(checked));
  }

  /**
   * Whether the caller of an open stream is still authorised. An unreachable store changes nothing.
   */
  private boolean welcome(Operation operation, ServerRequest request) {
    try {
      Visitor _ = parts.callers().of(operation.endpoint(), request);
      return true;
    } catch (Problem problem) {
      return problem.status() >= 500;
    } catch (StoreUnavailable | RedisUnavailable _) {
      return true;
    }
  }

  /** Only people are limited: our own services and bots are as many as we started. */
  private void limit(Caller caller, ServerResponse response) {
    switch (caller) {
      case Caller.User _, Caller.Admin _ -> {
        RateLimits.Standing standing = parts.limits().take(caller.scope());
        response.header(ratePolicy);
        response.header(
            HeaderValues.create(
                RATE_LIMIT,
                "\"caller\";r=" + standing.remaining() + ";t=" + standing.untilNext().toSeconds()));
        if (!standing.admitted()) {
          throw Problem.tooMany(
              "rate_limited", "Too many requests; slow down.", standing.untilNext());
        }
      }
      case Caller.Internal _, Caller.Bot _, Caller.Anonymous _ -> {}
    }
  }

  private RequestBody body(Operation operation, ServerRequest request) {
    return switch (operation.endpoint().body()) {
      case BodyKind.None() -> RequestBody.NONE;
      case BodyKind.Raw(int max) ->
          new RequestBody(parts.bodies().read(request, max), Optional.empty());
      case BodyKind.Json(_, boolean required) -> json(operation, required, request);
    };
  }

  private RequestBody json(Operation operation, boolean required, ServerRequest request) {
    byte[] bytes = parts.bodies().read(request, parts.terms().maxBody());
    if (bytes.length == 0 && !required) {
      return RequestBody.NONE;
    }
    if (bytes.length > 0 && !isJson(request.headers())) {
      throw Problem.of(415, "unsupported_media_type", "The body must be application/json.");
    }
    var tree = JsonBodies.read(bytes);
    operation.checkBody(tree);
    return new RequestBody(bytes, Optional.of(tree));
  }

  private static boolean isJson(ServerRequestHeaders headers) {
    return headers
        .contentType()
        .map(
            type ->
                type.mediaType().text().equals("application/json")
                    || type.mediaType().subtype().endsWith("+json"))
        .orElse(true);
  }

  private void serveFile(
      String path,
      Optional<Method> method,
      ServerRequest request,
      ServerResponse response,
      boolean head) {
    if (method.isPresent() && method.get() == Method.GET) {
      String accept = header(request, HeaderNames.ACCEPT).orElse("");
      Optional<StaticFiles.Asset> asset =
          parts.files().file(path).or(() -> parts.files().page(path, accept));
      if (asset.isPresent()) {
        String match = header(request, HeaderNames.IF_NONE_MATCH).orElse("");
        String encoding = header(request, HeaderNames.ACCEPT_ENCODING).orElse("");
        parts.writer().write(response, asset.get(), match, encoding, head);
        return;
      }
    }
    parts.writer().write(response, Problem.notFound("path"), trace(request).traceId(), head);
  }

  private static Optional<String> header(ServerRequest request, HeaderName name) {
    return request.headers().first(name);
  }

  private static Trace trace(ServerRequest request) {
    return header(request, TRACEPARENT).map(Trace::of).orElseGet(Trace::fresh);
  }

  private static Optional<Method> method(String word) {
    return switch (word) {
      case "GET" -> Optional.of(Method.GET);
      case "POST" -> Optional.of(Method.POST);
      case "PUT" -> Optional.of(Method.PUT);
      case "PATCH" -> Optional.of(Method.PATCH);
      case "DELETE" -> Optional.of(Method.DELETE);
      default -> Optional.empty();
    };
  }

  private static String allow(Set<Method> allowed) {
    Set<String> words =
        allowed.stream().map(Method::name).collect(Collectors.toCollection(TreeSet::new));
    if (words.contains("GET")) {
      words.add("HEAD");
    }
    return String.join(", ", words);
  }
}
