package io.convoke.server.http;

import io.helidon.webserver.WebServer;
import io.helidon.webserver.http1.Http1Config;
import io.helidon.webserver.http1.Http1ConnectionSelector;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The listener: serves the endpoints it is given, sign-in ({@code /session}), the operator's own
 * ({@code /livez}, {@code /readyz}, {@code /metrics}, {@code /openapi.yaml}) and the console's
 * files. {@link #close} lets requests in flight end, within a bound, and ends streams so that their
 * clients reconnect elsewhere.
 */
public final class HttpServer implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(HttpServer.class);
  private static final int MAX_CONNECTIONS = 20_000;
  private static final int MAX_HEADERS_BYTES = 16 * 1024;
  private static final int MAX_PROLOGUE_BYTES = 8 * 1024;
  private static final long TRANSPORT_MAX_PAYLOAD = 64L << 20;

  /**
   * The socket's send buffer, doubled by Linux. The kernel reports space when a third is free: with
   * its default of megabytes, a slow reader would look like one that takes no byte for minutes.
   */
  private static final int SEND_BUFFER_BYTES = 64 * 1024;

  private static final Duration IDLE_CONNECTION = Duration.ofSeconds(75);
  private static final Duration IDLE_LOOK = Duration.ofSeconds(15);

  private final WebServer server;
  private final Drain drain;
  private final SocketWatch watch;
  private final HttpTerms terms;
  private final List<Endpoint> endpoints;

  private HttpServer(
      WebServer server, Drain drain, SocketWatch watch, HttpTerms terms, List<Endpoint> endpoints) {
    this.server = server;
    this.drain = drain;
    this.watch = watch;
    this.terms = terms;
    this.endpoints = endpoints;
  }

  /**
   * Starts to listen.
   *
   * @param endpoints of all features @param sessions the browsers' session cookies @param health
   *     the checks of {@code /readyz} @param registry for request timers and {@code
   *     /metrics} @param telemetry for spans; {@link OpenTelemetry#noop()} without an SDK
   * @throws IllegalArgumentException if two endpoints collide: a bug
   */
  public static HttpServer start(
      HttpTerms terms,
      List<Endpoint> endpoints,
      Authenticator authenticator,
      Sessions sessions,
      IdempotencyKeys idempotency,
      Health health,
      PrometheusMeterRegistry registry,
      OpenTelemetry telemetry) {
    Drain drain = new Drain();
    SocketWatch watch = new SocketWatch(terms.stalls());
    List<Endpoint> served = new ArrayList<>(endpoints);
    CredentialFailures failures = new CredentialFailures(registry, System::nanoTime);
    served.addAll(new SessionEndpoints(authenticator, sessions, failures).endpoints());
    List<Endpoint> all = new OperationsEndpoints(health, registry, drain::stopping).with(served);
    Router<Operation> router = new Router<>();
    for (Endpoint endpoint : all) {
      OperationTimer timer = new OperationTimer(registry, endpoint.id());
      router.add(endpoint.method(), endpoint.path(), new Operation(endpoint, timer));
    }
    Gauge.builder("convoke.http.streams", drain, Drain::streams)
        .description("Event streams that are open.")
        .register(registry);
    closed(registry, watch, "deadline", SocketWatch::late);
    closed(registry, watch, "address", SocketWatch::tooMany);
    HeaderWatch headerWatch = new HeaderWatch(watch, terms.bodyTimeout());
    HttpParts parts =
        new HttpParts(
            terms,
            new Callers(authenticator, sessions, failures, terms.proxies()),
            new RateLimits(terms.rate(), System::nanoTime),
            new Idempotency(idempotency),
            new BodyReader(watch, terms.bodyTimeout()),
            new AnswerWriter(drain, terms.streamCheck()),
            new StaticFiles(HttpServer.class, "/console"),
            new Tracing(telemetry),
            headerWatch);
    WebServer server = listen(terms, new Dispatcher(router, parts), headerWatch, watch);
    HttpServer started = new HttpServer(server, drain, watch, terms, all);
    log.info("listening on {}", started.url());
    return started;
  }

  /**
   * Binds the listener. Helidon only logs a failure, and an unreachable server must not count as
   * started.
   */
  private static WebServer listen(
      HttpTerms terms, Dispatcher dispatcher, HeaderWatch headerWatch, SocketWatch watch) {
    WebServer server = build(terms, dispatcher, headerWatch, watch).start();
    if (!server.isRunning()) {
      throw new CannotListen(terms);
    }
    return server;
  }

  private static WebServer build(
      HttpTerms terms, Dispatcher dispatcher, HeaderWatch headerWatch, SocketWatch watch) {
    Http1ConnectionSelector connections =
        Http1ConnectionSelector.builder().config(http(headerWatch)).build();
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
        .maxPayloadSize(TRANSPORT_MAX_PAYLOAD)
        .connectionOptions(
            socket -> socket.tcpNoDelay(true).socketSendBufferSize(SEND_BUFFER_BYTES))
        .shutdownGracePeriod(terms.drain())
        .directHandlers(TransportProblems.handlers())
        .routing(routing -> routing.any(dispatcher))
        .build();
  }

  private static void closed(
      PrometheusMeterRegistry registry,
      SocketWatch watch,
      String reason,
      ToDoubleFunction<SocketWatch> count) {
    FunctionCounter.builder("convoke.http.stalled.closed", watch, count)
        .description("Connections closed because their client did not read.")
        .tag("reason", reason)
        .register(registry);
  }

  private static Http1Config http(HeaderWatch headerWatch) {
    return Http1Config.builder()
        .maxHeadersSize(MAX_HEADERS_BYTES)
        .maxPrologueLength(MAX_PROLOGUE_BYTES)
        .addReceiveListener(headerWatch)
        // Answer.Field checks values that are not literals.
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
    return "http://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port();
  }

  /** Everything that is served, the operator's endpoints included. */
  public List<Endpoint> endpoints() {
    return endpoints;
  }

  /**
   * Begins the shutdown: {@code /readyz} turns 503, streams end, connections close after their
   * response.
   */
  public void drain() {
    drain.begin();
  }

  /**
   * Drains, then closes the listener; waits for requests in flight, at most {@link
   * HttpTerms#drain()}.
   */
  @Override
  public void close() {
    drain.begin();
    server.stop();
    watch.close();
    log.info("stopped listening");
  }
}
