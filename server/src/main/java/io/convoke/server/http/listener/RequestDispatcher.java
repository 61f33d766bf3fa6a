package io.convoke.server.http.listener;

import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.server.http.Caller;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.Endpoint.HttpMethod;
import io.convoke.server.http.EventStream;
import io.convoke.server.http.PercentDecoder;
import io.convoke.server.http.Problem;
import io.convoke.server.http.RequestBodyKind;
import io.convoke.server.http.Response;
import io.convoke.server.http.auth.AuthContext;
import io.convoke.server.http.auth.CallerRateLimiter;
import io.convoke.server.http.connection.StreamCaller;
import io.convoke.server.http.listener.RequestRouter.RouteMatch;
import io.convoke.server.http.schema.StrictJsonReader;
import io.convoke.server.trace.Traceparent;
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
import io.opentelemetry.api.trace.SpanContext;
import java.io.UncheckedIOException;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Takes each request from the web server through all that its endpoint describes: route, trace,
 * caller, rate, parameters, body, idempotency, handler, answer. The order is the order of cost:
 * what can be refused without work is refused first.
 */
final class RequestDispatcher implements Handler {
  private static final String DOCS = "/docs";
  private static final HeaderName TRACEPARENT = HeaderNames.create("traceparent");
  private static final HeaderName RATE_LIMIT = HeaderNames.create("RateLimit");

  private final RequestRouter<CompiledOperation> requestRouter;
  private final OperationRunner runner;
  private final DispatcherDependencies parts;
  private final Header ratePolicy;

  RequestDispatcher(
      RequestRouter<CompiledOperation> requestRouter,
      OperationRunner runner,
      DispatcherDependencies parts) {
    this.requestRouter = requestRouter;
    this.runner = runner;
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
    Optional<HttpMethod> method = method(head ? "GET" : word);
    RouteMatch<CompiledOperation> routeMatch;
    try {
      routeMatch = requestRouter.find(method, path);
    } catch (Problem problem) {
      parts.writer().write(response, problem, Traceparent.fresh().getTraceId(), head);
      return;
    }
    switch (routeMatch) {
      case RouteMatch.RouteFound<CompiledOperation>(
              CompiledOperation compiledOperation,
              Map<String, String> parameters) ->
          serve(compiledOperation, parameters, request, response, head);
      case RouteMatch.RouteMethodMismatch<CompiledOperation>(Set<HttpMethod> allowed) -> {
        response.header("Allow", allow(allowed));
        Problem problem =
            Problem.of(405, "method_not_allowed", "This path does not take " + word + ".");
        parts.writer().write(response, problem, trace(request).getTraceId(), head);
      }
      case RouteMatch.RouteMissing<CompiledOperation>() ->
          serveFile(path, method, request, response, head);
    }
  }

  private void serve(
      CompiledOperation compiledOperation,
      Map<String, String> pathParameters,
      ServerRequest request,
      ServerResponse response,
      boolean head) {
    long began = System.nanoTime();
    RequestTrace trace = parts.tracing().begin(compiledOperation, header(request, TRACEPARENT));
    int status;
    try {
      AuthContext authContext = parts.callers().of(compiledOperation.endpoint(), request);
      Response answer =
          answer(compiledOperation, authContext, pathParameters, request, response, trace);
      trace.announce(response);
      status = answer.status();
      compiledOperation.timer().record(status, System.nanoTime() - began);
      parts
          .writer()
          .write(
              response,
              answer,
              head,
              new StreamCaller(
                  authContext.caller(),
                  () -> welcome(compiledOperation, request, authContext.caller())));
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
      Problem problem = ExceptionMapper.problem(e, compiledOperation.endpoint(), trace.id());
      trace.failed(problem);
      trace.announce(response);
      compiledOperation.timer().record(problem.status(), System.nanoTime() - began);
      parts.writer().write(response, problem, trace.id(), head);
    } finally {
      trace.end();
    }
  }

  private Response answer(
      CompiledOperation compiledOperation,
      AuthContext authContext,
      Map<String, String> pathParameters,
      ServerRequest request,
      ServerResponse response,
      RequestTrace trace)
      throws Exception {
    Endpoint endpoint = compiledOperation.endpoint();
    limit(authContext.caller(), response);
    Function<String, Optional<String>> headers = name -> header(request, HeaderFieldNames.of(name));
    return runner.run(
        compiledOperation,
        new OperationRunner.OperationInput(
            authContext,
            pathParameters,
            PercentDecoder.query(request.prologue().query().rawValue()),
            headers,
            () -> body(compiledOperation, request),
            endpoint.creates() ? headers.apply("Idempotency-Key") : Optional.empty(),
            trace::id));
  }

  /**
   * Whether the caller of an open stream may still read what the stream was opened for; not once
   * the caller's teams have changed, and opening it again shows what is visible then. An
   * unreachable store changes nothing.
   */
  private boolean welcome(
      CompiledOperation compiledOperation, ServerRequest request, Caller before) {
    try {
      return parts.callers().of(compiledOperation.endpoint(), request).caller().equals(before);
    } catch (Problem problem) {
      return problem.status() >= 500;
    } catch (StoreUnavailable | RedisUnavailable _) {
      return true;
    }
  }

  /** Limits people only: the operator decides how many services and bots run. */
  private void limit(Caller caller, ServerResponse response) {
    switch (caller) {
      case Caller.UserCaller _, Caller.AdminCaller _ -> {
        CallerRateLimiter.RateLimitState rateLimitState = parts.limits().tryAcquire(caller.scope());
        response.header(ratePolicy);
        response.header(
            HeaderValues.create(
                RATE_LIMIT,
                "\"caller\";r="
                    + rateLimitState.remaining()
                    + ";t="
                    + rateLimitState.untilNext().toSeconds()));
        if (!rateLimitState.admitted()) {
          throw Problem.tooMany(
              "rate_limited", "Too many requests; slow down.", rateLimitState.untilNext());
        }
      }
      case Caller.InternalCaller _, Caller.BotCaller _, Caller.AnonymousCaller _ -> {}
    }
  }

  private RequestBody body(CompiledOperation compiledOperation, ServerRequest request) {
    return switch (compiledOperation.endpoint().body()) {
      case RequestBodyKind.NoRequestBody() -> RequestBody.NONE;
      case RequestBodyKind.RawRequestBody(int max) ->
          new RequestBody(parts.bodies().read(request, max), Optional.empty());
      case RequestBodyKind.StreamedRequestBody(_, long max) ->
          new RequestBody(new byte[0], Optional.empty(), parts.bodies().stream(request, max));
      case RequestBodyKind.JsonRequestBody(_, boolean required, OptionalInt max) ->
          json(compiledOperation, required, max.orElse(parts.terms().maxBody()), request);
    };
  }

  private RequestBody json(
      CompiledOperation compiledOperation, boolean required, int max, ServerRequest request) {
    byte[] bytes = parts.bodies().read(request, max);
    if (bytes.length == 0 && !required) {
      return RequestBody.NONE;
    }
    if (bytes.length > 0 && !isJson(request.headers())) {
      throw Problem.of(415, "unsupported_media_type", "The body must be application/json.");
    }
    var tree = StrictJsonReader.read(bytes);
    compiledOperation.checkBody(tree);
    return new RequestBody(bytes, Optional.of(tree));
  }

  private static boolean isJson(ServerRequestHeaders headers) {
    return headers
        .contentType()
        .map(
            type ->
                type.mediaType().text().equalsIgnoreCase("application/json")
                    || type.mediaType().subtype().toLowerCase(Locale.ROOT).endsWith("+json"))
        .orElse(true);
  }

  private void serveFile(
      String path,
      Optional<HttpMethod> method,
      ServerRequest request,
      ServerResponse response,
      boolean head) {
    if (method.isPresent() && method.get() == HttpMethod.GET) {
      if (path.equals(DOCS) && parts.docs().isPresent()) {
        // Relative, so that it also leads there behind a proxy that serves us under a path.
        parts.writer().redirect(response, "docs/");
        return;
      }
      Optional<StaticFiles.StaticAsset> asset = file(path, request);
      if (asset.isPresent()) {
        String match = header(request, HeaderNames.IF_NONE_MATCH).orElse("");
        String encoding = header(request, HeaderNames.ACCEPT_ENCODING).orElse("");
        parts.writer().write(response, asset.get(), match, encoding, head);
        return;
      }
    }
    parts.writer().write(response, Problem.notFound("path"), trace(request).getTraceId(), head);
  }

  private Optional<StaticFiles.StaticAsset> file(String path, ServerRequest request) {
    if (path.startsWith(DOCS + "/") && parts.docs().isPresent()) {
      return parts.docs().get().document(path.substring(DOCS.length()));
    }
    String accept = header(request, HeaderNames.ACCEPT).orElse("");
    return parts.files().file(path).or(() -> parts.files().page(path, accept));
  }

  private static Optional<String> header(ServerRequest request, HeaderName name) {
    return request.headers().first(name);
  }

  private static SpanContext trace(ServerRequest request) {
    return header(request, TRACEPARENT).map(Traceparent::parse).orElseGet(Traceparent::fresh);
  }

  private static Optional<HttpMethod> method(String word) {
    return switch (word) {
      case "GET" -> Optional.of(HttpMethod.GET);
      case "POST" -> Optional.of(HttpMethod.POST);
      case "PUT" -> Optional.of(HttpMethod.PUT);
      case "PATCH" -> Optional.of(HttpMethod.PATCH);
      case "DELETE" -> Optional.of(HttpMethod.DELETE);
      default -> Optional.empty();
    };
  }

  private static String allow(Set<HttpMethod> allowed) {
    Set<String> words =
        allowed.stream().map(HttpMethod::name).collect(Collectors.toCollection(TreeSet::new));
    if (words.contains("GET")) {
      words.add("HEAD");
    }
    return String.join(", ", words);
  }
}
