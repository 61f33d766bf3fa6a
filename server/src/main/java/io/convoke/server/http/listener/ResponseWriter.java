package io.convoke.server.http.listener;

import io.convoke.engine.json.Json;
import io.convoke.server.http.EventStream;
import io.convoke.server.http.EventStreamWriter;
import io.convoke.server.http.Problem;
import io.convoke.server.http.Response;
import io.convoke.server.http.connection.ShutdownState;
import io.convoke.server.http.connection.SocketEventStream;
import io.convoke.server.http.connection.StreamCaller;
import io.helidon.http.Header;
import io.helidon.http.HeaderNames;
import io.helidon.http.HeaderValues;
import io.helidon.http.Status;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.ServerConnectionException;
import io.helidon.webserver.http.ServerResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes answers to the wire, with the headers that keep browsers from doing harm with them. */
final class ResponseWriter {
  private static final Logger log = LoggerFactory.getLogger(ResponseWriter.class);
  private static final Duration RETRY = Duration.ofSeconds(1);
  private static final Duration STREAM_RETRY = Duration.ofSeconds(1);

  /** Bytes that are read and written at once. */
  private static final int PIECE = 64 * 1024;

  private static final Header JSON = HeaderValues.createCached("Content-Type", Response.JSON);
  private static final Header PROBLEM =
      HeaderValues.createCached("Content-Type", "application/problem+json");
  private static final Header EVENTS =
      HeaderValues.createCached("Content-Type", "text/event-stream");
  private static final Header NO_STORE = HeaderValues.createCached("Cache-Control", "no-store");
  private static final Header REVALIDATE = HeaderValues.createCached("Cache-Control", "no-cache");
  private static final Header NO_SNIFF =
      HeaderValues.createCached("X-Content-Type-Options", "nosniff");
  private static final Header NO_REFERRER =
      HeaderValues.createCached("Referrer-Policy", "no-referrer");
  private static final Header NO_BUFFERING = HeaderValues.createCached("X-Accel-Buffering", "no");
  private static final Header API_CSP =
      HeaderValues.createCached(
          "Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
  private static final Header PAGE_CSP =
      HeaderValues.createCached(
          "Content-Security-Policy",
          "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none';"
              + " form-action 'self'; frame-ancestors 'none'");
  private static final Header VARY_ENCODING = HeaderValues.createCached("Vary", "Accept-Encoding");
  private static final Header GZIP = HeaderValues.createCached("Content-Encoding", "gzip");

  private final ShutdownState shutdownState;
  private final Duration streamCheck;

  ResponseWriter(ShutdownState shutdownState, Duration streamCheck) {
    this.streamCheck = streamCheck;
    this.shutdownState = shutdownState;
  }

  /**
   * Writes a handler's response; {@code head} omits the body. A stream continues while its reader
   * has access.
   */
  void write(ServerResponse response, Response answer, boolean head, StreamCaller reader) {
    for (Response.ResponseHeader responseHeader : answer.fields()) {
      // Added, not set: there may be several cookies.
      response
          .headers()
          .add(
              HeaderValues.create(
                  HeaderFieldNames.of(responseHeader.name()), responseHeader.value()));
    }
    switch (answer.body()) {
      case Response.ResponseBody.EmptyBody() -> {
        begin(response, answer.status());
        response.send();
        closeAsAnnounced(response);
      }
      case Response.ResponseBody.JsonBody(Object value) -> {
        response.header(JSON);
        secured(response);
        begin(response, answer.status());
        body(response, Json.bytes(value), head);
      }
      case Response.ResponseBody.BytesBody(String type, byte[] bytes) -> {
        response.header(
            type.equals(Response.JSON)
                ? JSON
                : HeaderValues.create(HeaderNames.CONTENT_TYPE, type));
        secured(response);
        begin(response, answer.status());
        body(response, bytes, head);
      }
      case Response.ResponseBody.StreamBody(String type, long length, InputStream content) -> {
        response.header(HeaderValues.create(HeaderNames.CONTENT_TYPE, type));
        response.headers().contentLength(length);
        secured(response);
        begin(response, answer.status());
        copy(response, content, head ? 0 : length);
      }
      case Response.ResponseBody.EventStreamBody(EventStreamWriter writer) -> {
        response.header(EVENTS);
        response.header(NO_BUFFERING);
        secured(response);
        begin(response, answer.status());
        if (head) {
          response.send();
        } else {
          stream(response, writer, reader);
        }
      }
    }
  }

  /** Writes a problem. */
  void write(ServerResponse response, Problem problem, String traceId, boolean head) {
    response.header(PROBLEM);
    secured(response);
    problem
        .retryAfter()
        .or(() -> problem.status() == 503 ? Optional.of(RETRY) : Optional.empty())
        .ifPresent(wait -> response.header("Retry-After", seconds(wait)));
    if (problem.status() == 401) {
      response.header("WWW-Authenticate", "Bearer realm=\"convoke\"");
    }
    if (problem.closesConnection()) {
      response.header(HeaderValues.CONNECTION_CLOSE);
    }
    begin(response, problem.status());
    body(response, Json.bytes(problem.body(traceId)), head);
  }

  /** Writes a file, or 304 if the browser has it. */
  void write(
      ServerResponse response,
      StaticFiles.StaticAsset staticAsset,
      String ifNoneMatch,
      String acceptEncoding,
      boolean head) {
    response.header("ETag", staticAsset.etag());
    response.header(REVALIDATE);
    response.header(NO_SNIFF);
    response.header(NO_REFERRER);
    response.header(PAGE_CSP);
    if (ifNoneMatch.contains(staticAsset.etag())) {
      begin(response, 304);
      response.send();
      closeAsAnnounced(response);
      return;
    }
    response.header(HeaderValues.create(HeaderNames.CONTENT_TYPE, staticAsset.contentType()));
    begin(response, 200);
    byte[] bytes = staticAsset.bytes();
    if (staticAsset.gzip().isPresent()) {
      response.header(VARY_ENCODING);
      if (acceptEncoding.contains("gzip")) {
        response.header(GZIP);
        bytes = staticAsset.gzip().get();
      }
    }
    body(response, bytes, head);
  }

  /** Sends the client on, for good. */
  void redirect(ServerResponse response, String location) {
    response.header(HeaderNames.LOCATION, location);
    response.header(NO_REFERRER);
    begin(response, 308);
    response.send();
    closeAsAnnounced(response);
  }

  /** A duration as whole seconds, never less than it is. */
  static String seconds(Duration wait) {
    return String.valueOf(Math.max(1, wait.plusNanos(999_999_999).toSeconds()));
  }

  private void begin(ServerResponse response, int status) {
    if (status != 200) {
      response.status(Status.create(status));
    }
    if (shutdownState.announced()) {
      response.header(HeaderValues.CONNECTION_CLOSE);
    }
  }

  private static void secured(ServerResponse response) {
    if (!response.headers().contains(HeaderNames.CACHE_CONTROL)) {
      response.header(NO_STORE);
    }
    response.header(NO_SNIFF);
    response.header(NO_REFERRER);
    response.header(API_CSP);
  }

  private static void body(ServerResponse response, byte[] bytes, boolean head) {
    if (head) {
      response.headers().contentLength(bytes.length);
      response.send();
    } else {
      response.send(bytes);
    }
    closeAsAnnounced(response);
  }

  /** Reads and writes piece by piece, so that no content is ever held whole. */
  private void copy(ServerResponse response, InputStream content, long length) {
    try (content) {
      if (length == 0) {
        response.send();
        closeAsAnnounced(response);
        return;
      }
      OutputStream out = response.outputStream();
      byte[] piece = new byte[PIECE];
      for (long left = length; left > 0; ) {
        int read = content.read(piece, 0, (int) Math.min(piece.length, left));
        if (read < 0) {
          throw new CloseConnectionException("the content is shorter than its declared length");
        }
        out.write(piece, 0, read);
        left -= read;
      }
      out.close();
      closeAsAnnounced(response);
    } catch (IOException | UncheckedIOException | ServerConnectionException broken) {
      throw new CloseConnectionException("the content or its reader broke off", broken);
    }
  }

  /**
   * The web server announces a close and then waits for the client to close; this closes the
   * connection itself.
   */
  private static void closeAsAnnounced(ServerResponse response) {
    if (response.headers().contains(HeaderValues.CONNECTION_CLOSE)) {
      throw new CloseConnectionException("announced with the answer");
    }
  }

  private void stream(ServerResponse response, EventStreamWriter writer, StreamCaller reader) {
    SocketEventStream stream = new SocketEventStream(response.outputStream(), streamCheck, reader);
    shutdownState.add(stream);
    try {
      stream.begin(STREAM_RETRY);
      writer.write(stream);
    } catch (InterruptedException e) {
      if (!stream.ended()) {
        throw new EventStream.StreamClosedException("interrupted");
      }
    } catch (EventStream.StreamClosedException e) {
      throw e;
    } catch (RuntimeException e) {
      log.warn("Event stream failed; its client will reconnect", e);
      throw new EventStream.StreamClosedException("broken");
    } finally {
      shutdownState.remove(stream);
    }
    stream.finish();
  }
}
