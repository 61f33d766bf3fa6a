package io.convoke.server.http;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** What an endpoint answers: a status, headers and a body. Immutable. */
public final class Answer {

  /** The body of an answer. */
  sealed interface Body {
    /** Rendered as JSON when it is written. */
    record Json(Object value) implements Body {}

    /** Written as it is; never compared. */
    @SuppressWarnings("ArrayRecordComponent")
    record Bytes(String contentType, byte[] bytes) implements Body {}

    /** A server-sent event stream. */
    record Events(EventStreamWriter writer) implements Body {}

    /** No body at all. */
    record None() implements Body {}
  }

  private static final Answer OK = new Answer(200, Map.of(), new Body.None());
  private static final Answer NO_CONTENT = new Answer(204, Map.of(), new Body.None());
  private static final Answer NOT_MODIFIED = new Answer(304, Map.of(), new Body.None());

  private final int status;
  private final Map<String, String> headers;
  private final Body body;

  Answer(int status, Map<String, String> headers, Body body) {
    this.status = status;
    this.headers = headers;
    this.body = body;
  }

  /** 200 with a JSON body: a record, a {@link Slice}, a map or a Jackson tree. */
  public static Answer ok(Object body) {
    return status(200, body);
  }

  /** 200 with JSON that is written already; not to be changed afterwards. */
  public static Answer json(byte[] json) {
    return bytes("application/json", json);
  }

  /** 200 without a body, shared: the cheapest answer there is (webhooks). */
  public static Answer ok() {
    return OK;
  }

  /** 201 with the created object. */
  public static Answer created(Object body) {
    return status(201, body);
  }

  /** 202: accepted, the work follows. */
  public static Answer accepted(Object body) {
    return status(202, body);
  }

  /** 204 without a body. */
  public static Answer noContent() {
    return NO_CONTENT;
  }

  /** 304 without a body: the caller has it; give it the {@code ETag} again. */
  public static Answer notModified() {
    return NOT_MODIFIED;
  }

  /** Any status with a JSON body. */
  public static Answer status(int status, Object body) {
    return new Answer(status, Map.of(), new Body.Json(body));
  }

  /** 200 with text of the given content type. */
  public static Answer text(String contentType, String text) {
    return bytes(contentType, text.getBytes(StandardCharsets.UTF_8));
  }

  /** 200 with bytes of the given content type. */
  public static Answer bytes(String contentType, byte[] bytes) {
    return new Answer(200, Map.of(), new Body.Bytes(contentType, bytes));
  }

  /** A {@code text/event-stream} that the writer fills. */
  public static Answer events(EventStreamWriter writer) {
    return new Answer(200, Map.of(), new Body.Events(writer));
  }

  /** The same answer with one more header. */
  public Answer header(String name, String value) {
    Map<String, String> more = new LinkedHashMap<>(headers);
    more.put(name, value);
    return new Answer(status, more, body);
  }

  /** The HTTP status. */
  public int status() {
    return status;
  }

  /** The headers that the handler set. */
  public Map<String, String> headers() {
    return Map.copyOf(headers);
  }

  /**
   * The value to be rendered as JSON; what a unit test of a handler looks at. Empty for other
   * bodies.
   */
  public Optional<Object> json() {
    return body instanceof Body.Json(Object value) ? Optional.of(value) : Optional.empty();
  }

  Body body() {
    return body;
  }
}
