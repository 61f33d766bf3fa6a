package io.convoke.lab.sim.http;

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
public final class Web implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Web.class);

  /** Requests larger than this are refused. */
  private static final long MAX_BODY = 4L << 20;

  private final HttpRouting.Builder routing = HttpRouting.builder();
  private Optional<WebServer> server = Optional.empty();

  /** Adds a route such as {@code GET /v1/rooms/{name}}. */
  public void route(String route, Around around, Handler handler) {
    int space = route.indexOf(' ');
    routing.route(
        Method.create(route.substring(0, space)),
        route.substring(space + 1),
        (request, response) -> {
          Call call = new Call(request, route);
          send(response, guarded(call, around, handler));
        });
  }

  /** Adds an answer for every path below this one that no route serves. */
  public void otherwise(String prefix, Around around, Handler handler) {
    routing.any(
        prefix + "/*",
        (request, response) ->
            send(response, guarded(new Call(request, "* " + prefix), around, handler)));
  }

  /** Adds an event stream. */
  public void stream(String route, StreamHandler handler) {
    routing.get(
        route,
        (request, response) -> {
          Call call = new Call(request, "GET " + route);
          Optional<Answer> refusal = handler.refuse(call);
          if (refusal.isPresent()) {
            send(response, refusal.get());
          } else {
            serve(request, response, call, handler);
          }
        });
  }

  private static void serve(
      ServerRequest request, ServerResponse response, Call call, StreamHandler handler) {
    response.header(HeaderNames.CONTENT_TYPE, "text/event-stream");
    response.header(HeaderNames.CACHE_CONTROL, "no-store");
    try (OutputStream out = response.outputStream()) {
      handler.serve(call, new EventStream(out));
    } catch (IOException | UncheckedIOException gone) {
      LOG.debug("the reader of {} is gone", request.path().path());
    } catch (InterruptedException stopping) {
      Thread.currentThread().interrupt();
    }
  }

  private static Answer guarded(Call call, Around around, Handler handler) {
    try {
      return around.answer(call, handler);
    } catch (RuntimeException bug) {
      LOG.error("{} failed", call.route(), bug);
      return Answer.json(
          500, Map.of("error", "server-error", "info", "the simulator itself failed, see its log"));
    }
  }

  private static void send(ServerResponse response, Answer answer) {
    response.status(answer.status());
    response.header(HeaderNames.CONTENT_TYPE, answer.contentType());
    answer.headers().forEach((name, value) -> response.header(HeaderNames.create(name), value));
    if (answer.sent() == answer.body().length) {
      response.send(answer.body());
    } else {
      cut(response, answer);
    }
  }

  /** Promises all of the body, sends the beginning, and breaks the connection. */
  private static void cut(ServerResponse response, Answer answer) {
    response.contentLength(answer.body().length);
    try {
      OutputStream out = response.outputStream();
      out.write(answer.body(), 0, answer.sent());
      out.flush();
    } catch (IOException gone) {
      LOG.debug("the reader is gone already");
    }
    throw new CloseConnectionException("cut by a fault");
  }

  /**
   * Listens; port 0 takes any free one.
   *
   * @throws IllegalStateException if the address cannot be had, of which Helidon only logs why
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
