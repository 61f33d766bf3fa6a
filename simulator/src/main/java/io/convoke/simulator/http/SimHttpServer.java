package io.convoke.simulator.http;

import io.helidon.http.HeaderNames;
import io.helidon.http.Method;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.http.HttpRouting;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The HTTP server: routes are added, then it starts, then it stops. Handlers may block. */
public final class SimHttpServer implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(SimHttpServer.class);

  /** Bytes; the largest bodies are the rows of a server that are to be checked. */
  private static final long MAX_BODY = 32L << 20;

  private final HttpRouting.Builder routing = HttpRouting.builder();
  private Optional<WebServer> server = Optional.empty();

  /** Adds a route such as {@code GET /v1/rooms/{name}}. */
  public void route(String route, RequestFilter requestFilter, RequestHandler requestHandler) {
    int space = route.indexOf(' ');
    routing.route(
        Method.create(route.substring(0, space)),
        route.substring(space + 1),
        (request, response) -> {
          SimRequest simRequest = new SimRequest(request, route);
          send(response, guarded(simRequest, requestFilter, requestHandler));
        });
  }

  /** Adds an answer for every path below this one that no route serves. */
  public void otherwise(String prefix, RequestFilter requestFilter, RequestHandler requestHandler) {
    routing.any(
        prefix + "/*",
        (request, response) ->
            send(
                response,
                guarded(new SimRequest(request, "* " + prefix), requestFilter, requestHandler)));
  }

  /** Adds an event stream. */
  public void stream(String route, EventStreamHandler handler) {
    routing.get(
        route,
        (request, response) -> {
          SimRequest simRequest = new SimRequest(request, "GET " + route);
          Optional<SimResponse> refusal = handler.refuse(simRequest);
          if (refusal.isPresent()) {
            send(response, refusal.get());
          } else {
            serve(request, response, simRequest, handler);
          }
        });
  }

  private static void serve(
      ServerRequest request,
      ServerResponse response,
      SimRequest simRequest,
      EventStreamHandler handler) {
    response.header(HeaderNames.CONTENT_TYPE, "text/event-stream");
    response.header(HeaderNames.CACHE_CONTROL, "no-store");
    try (OutputStream out = response.outputStream()) {
      handler.serve(simRequest, new ServerSentEvents(out));
    } catch (IOException | UncheckedIOException closed) {
      LOG.debug("the reader of {} has disconnected", request.path().path());
    } catch (InterruptedException stopping) {
      Thread.currentThread().interrupt();
    }
  }

  private static SimResponse guarded(
      SimRequest simRequest, RequestFilter requestFilter, RequestHandler requestHandler) {
    try {
      return requestFilter.answer(simRequest, requestHandler);
    } catch (RuntimeException bug) {
      LOG.error("{} failed", simRequest.route(), bug);
      return SimResponse.json(
          500, Map.of("error", "server-error", "info", "the simulator itself failed, see its log"));
    }
  }

  private static void send(ServerResponse response, SimResponse simResponse) {
    response.status(simResponse.status());
    response.header(HeaderNames.CONTENT_TYPE, simResponse.contentType());
    simResponse
        .headers()
        .forEach((name, value) -> response.header(HeaderNames.create(name), value));
    if (simResponse.sent() == simResponse.body().length) {
      response.send(simResponse.body());
    } else {
      cut(response, simResponse);
    }
  }

  /** Promises all of the body, sends the beginning, and breaks the connection. */
  private static void cut(ServerResponse response, SimResponse simResponse) {
    response.contentLength(simResponse.body().length);
    try {
      OutputStream out = response.outputStream();
      out.write(simResponse.body(), 0, simResponse.sent());
      out.flush();
    } catch (IOException closed) {
      LOG.debug("the reader has already disconnected");
    }
    throw new CloseConnectionException("cut by a fault");
  }

  /**
   * Listens; port 0 takes any free one.
   *
   * @throws IllegalStateException if it cannot bind; Helidon only logs the reason
   */
  public int start(String host, int port) {
    WebServer started =
        WebServer.builder()
            .host(host)
            .port(port)
            .maxPayloadSize(MAX_BODY)
            .shutdownHook(false)
            .shutdownGracePeriod(Duration.ofMillis(200))
            .routing(routing)
            .build()
            .start();
    if (!started.isRunning()) {
      throw new IllegalStateException("cannot listen on %s port %d".formatted(host, port));
    }
    server = Optional.of(started);
    return started.port();
  }

  @Override
  public void close() {
    server.ifPresent(WebServer::stop);
  }
}
