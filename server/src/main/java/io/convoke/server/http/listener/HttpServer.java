package io.convoke.server.http.listener;

import io.convoke.server.http.DocumentParts;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.HealthChecks;
import io.convoke.server.http.HttpConfig;
import io.convoke.server.http.RequestPolicies;
import io.convoke.server.http.auth.Authenticator;
import io.convoke.server.http.auth.BrowserSessions;
import io.convoke.server.http.auth.CallerRateLimiter;
import io.convoke.server.http.auth.CallerResolver;
import io.convoke.server.http.auth.CredentialFailureLimiter;
import io.convoke.server.http.auth.SessionEndpoints;
import io.convoke.server.http.connection.BodyReader;
import io.convoke.server.http.connection.BoundedConnections;
import io.convoke.server.http.connection.HeaderReadTimeout;
import io.convoke.server.http.connection.ShutdownState;
import io.convoke.server.http.connection.SocketTimeouts;
import io.convoke.server.http.idempotency.IdempotencyKeys;
import io.convoke.server.http.idempotency.IdempotentExecutor;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.http1.Http1Config;
import io.helidon.webserver.http1.Http1ConnectionSelector;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The listener: serves the endpoints it is given, sign-in ({@code /session}), the operator's own
 * ({@code /livez}, {@code /readyz}, {@code /metrics}, {@code /openapi.yaml}), the console's files,
 * and the documentation under {@code /docs}. {@link #close} lets requests in flight end, within a
 * bound, and ends streams so that their clients reconnect elsewhere.
 */
public final class HttpServer implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(HttpServer.class);
  private static final int MAX_CONNECTIONS = 20_000;
  private static final int MAX_HEADERS_BYTES = 16 * 1024;
  private static final int MAX_PROLOGUE_BYTES = 8 * 1024;

  /**
   * The socket's send buffer, doubled by Linux. The kernel reports space when a third is free: with
   * its default of megabytes, a slow reader would look like one that takes no byte for minutes.
   */
  private static final int SEND_BUFFER_BYTES = 64 * 1024;

  private static final Duration IDLE_CONNECTION = Duration.ofSeconds(75);
  private static final Duration IDLE_LOOK = Duration.ofSeconds(15);

  private final WebServer server;
  private final ShutdownState shutdownState;
  private final SocketTimeouts watch;
  private final HttpConfig terms;
  private final List<Endpoint> endpoints;

  private HttpServer(
      WebServer server,
      ShutdownState shutdownState,
      SocketTimeouts watch,
      HttpConfig terms,
      List<Endpoint> endpoints) {
    this.server = server;
    this.shutdownState = shutdownState;
    this.watch = watch;
    this.terms = terms;
    this.endpoints = endpoints;
  }

  /**
   * Starts to listen.
   *
   * @param endpoints of all features
   * @param browserSessions the browsers' session cookies
   * @param parts what the document says besides them
   * @param policies what features say about the requests of people
   * @param healthChecks the checks of {@code /readyz}
   * @param registry for request timers and {@code /metrics}
   * @param telemetry for spans; {@link OpenTelemetry#noop()} without an SDK
   * @throws IllegalArgumentException if two endpoints collide: a bug
   */
  public static HttpServer start(
      HttpConfig terms,
      List<Endpoint> endpoints,
      DocumentParts parts,
      Authenticator authenticator,
      BrowserSessions browserSessions,
      IdempotencyKeys idempotency,
      RequestPolicies policies,
      HealthChecks healthChecks,
      PrometheusMeterRegistry registry,
      OpenTelemetry telemetry) {
    ShutdownState shutdownState = new ShutdownState();
    SocketTimeouts watch = new SocketTimeouts(terms.stalls());
    List<Endpoint> served = new ArrayList<>(endpoints);
    CredentialFailureLimiter failures = new CredentialFailureLimiter(registry, System::nanoTime);
    served.addAll(new SessionEndpoints(authenticator, browserSessions, failures).endpoints());
    List<Endpoint> all =
        new OperationsEndpoints(healthChecks, registry, shutdownState::announced)
            .with(served, parts);
    RequestRouter<CompiledOperation> requestRouter = new RequestRouter<>();
    Map<String, CompiledOperation> byId = new HashMap<>();
    for (Endpoint endpoint : all) {
      OperationTimer timer = new OperationTimer(registry, endpoint.id());
      CompiledOperation compiled = new CompiledOperation(endpoint, timer);
      requestRouter.add(endpoint.method(), endpoint.path(), compiled);
      byId.put(endpoint.id(), compiled);
    }
    Gauge.builder("convoke.http.streams", shutdownState, ShutdownState::streams)
        .description("Event streams that are open.")
        .register(registry);
    closed(registry, watch, "deadline", SocketTimeouts::late);
    closed(registry, watch, "address", SocketTimeouts::tooMany);
    HeaderReadTimeout headerReadTimeout = new HeaderReadTimeout(watch, terms.bodyTimeout());
    DispatcherDependencies dependencies =
        new DispatcherDependencies(
            terms,
            policies,
            new CallerResolver(authenticator, browserSessions, failures, terms.proxies()),
            new CallerRateLimiter(terms.rate(), System::nanoTime),
            new IdempotentExecutor(idempotency),
            new BodyReader(watch, terms.bodyTimeout()),
            new ResponseWriter(shutdownState, terms.streamCheck()),
            shutdownState,
            StaticFiles.ofClassPath(HttpServer.class, "/console"),
            parts.site().map(StaticFiles::ofFolder),
            new RequestTracing(telemetry),
            headerReadTimeout);
    WebServer server =
        listen(
            terms,
            new RequestDispatcher(
                requestRouter, new OperationRunner(byId, dependencies), dependencies),
            headerReadTimeout,
            watch);
    HttpServer started = new HttpServer(server, shutdownState, watch, terms, all);
    log.info("listening on {}", started.url());
    return started;
  }

  /**
   * Binds the listener. Helidon only logs a failure, and an unreachable server must not count as
   * started.
   */
  private static WebServer listen(
      HttpConfig terms,
      RequestDispatcher requestDispatcher,
      HeaderReadTimeout headerReadTimeout,
      SocketTimeouts watch) {
    try {
      InetAddress[] _ = InetAddress.getAllByName(terms.host());
    } catch (UnknownHostException e) {
      throw new ListenFailure(terms, e);
    }
    WebServer server = build(terms, requestDispatcher, headerReadTimeout, watch).start();
    if (!server.isRunning()) {
      throw new ListenFailure(terms);
    }
    return server;
  }

  private static WebServer build(
      HttpConfig terms,
      RequestDispatcher requestDispatcher,
      HeaderReadTimeout headerReadTimeout,
      SocketTimeouts watch) {
    Http1ConnectionSelector connections =
        Http1ConnectionSelector.builder().config(http(headerReadTimeout)).build();
    return WebServer.builder()
        .shutdownHook(false)
        .host(terms.host())
        .port(terms.port())
        .useNio(false)
        .protocolsDiscoverServices(false)
        .addConnectionSelector(new BoundedConnections(connections, watch, terms))
        .maxTcpConnections(MAX_CONNECTIONS)
        .idleConnectionTimeout(IDLE_CONNECTION)
        .idleConnectionPeriod(IDLE_LOOK)
        .connectionOptions(
            socket -> socket.tcpNoDelay(true).socketSendBufferSize(SEND_BUFFER_BYTES))
        .shutdownGracePeriod(terms.drain())
        .directHandlers(TransportErrorHandler.handlers())
        // The handlers read what the server says, and answer something else.
        .errorHandling(errors -> errors.includeEntity(true))
        .routing(routing -> routing.any(requestDispatcher))
        .build();
  }

  private static void closed(
      PrometheusMeterRegistry registry,
      SocketTimeouts watch,
      String reason,
      ToDoubleFunction<SocketTimeouts> count) {
    FunctionCounter.builder("convoke.http.stalled.closed", watch, count)
        .description("Connections closed because their client did not read.")
        .tag("reason", reason)
        .register(registry);
  }

  private static Http1Config http(HeaderReadTimeout headerReadTimeout) {
    return Http1Config.builder()
        .maxHeadersSize(MAX_HEADERS_BYTES)
        .maxPrologueLength(MAX_PROLOGUE_BYTES)
        .addReceiveListener(headerReadTimeout)
        // Response.ResponseHeader checks values that are not literals.
        .validateResponseHeaders(false)
        .log(log -> log.receiveLog(false).sendLog(false))
        .build();
  }

  /** The port that is listened on. */
  public int port() {
    return server.port();
  }

  /** The address for people on this machine. */
  public String url() {
    String host = terms.host().equals("0.0.0.0") ? "127.0.0.1" : terms.host();
    boolean bare = host.contains(":") && !host.startsWith("[");
    return "http://" + (bare ? "[" + host + "]" : host) + ":" + port();
  }

  /** Everything that is served, the operator's endpoints included. */
  public List<Endpoint> endpoints() {
    return endpoints;
  }

  /**
   * Authenticates the readers of event streams again, on a thread of its own, and ends the streams
   * of those that may no longer read.
   *
   * @param userId whose streams; empty: all
   */
  public void recheckStreams(Optional<Long> userId) {
    if (shutdownState.streams() > 0) {
      var _ =
          Thread.ofVirtual()
              .name("stream-recheck")
              .start(
                  () ->
                      shutdownState.recheck(
                          caller -> userId.isEmpty() || caller.credentialOwner().equals(userId)));
    }
  }

  /**
   * Sends clients elsewhere and serves them until then: {@code /readyz} turns 503, connections
   * close after their response.
   */
  public void announceStop() {
    shutdownState.announce();
  }

  /**
   * Ends streams, closes the listener, and waits for requests in flight, at most {@link
   * HttpConfig#drain()}.
   */
  @Override
  public void close() {
    shutdownState.begin();
    server.stop();
    watch.close();
    log.info("stopped listening");
  }
}
