package io.convoke.server.http;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The response of an endpoint: a status, headers and a body. Immutable. */
public final class Answer {

  /** The body of an answer. */
  sealed interface Body {
    /** Rendered as JSON when it is written. */
    record Json(Object value) implements Body {}

    /** Written as it is; never compared. */
    @SuppressWarnings("ArrayRecordComponent")
    record Bytes(String contentType, byte[] bytes) implements Body {}

    /** Bytes that are read as they are written, and closed then; never compared. */
    record Stream(String contentType, long length, InputStream content) implements Body {}

    /** A server-sent event stream. */
    record Events(EventStreamWriter writer) implements Body {}

    /** No body at all. */
    record None() implements Body {}
  }

  /** A header field that a handler set. */
  record Field(String name, String value) {
    /** A line end in a value would begin another field and allow response splitting. */
    Field {
      for (int i = 0; i < value.length(); i++) {
        char c = value.charAt(i);
        if (c < ' ' || c == DELETE) {
          throw new IllegalArgumentException("no header field can hold the value of " + name);
        }
      }
    }
  }

  static final String JSON = "application/json";
  private static final char DELETE = 0x7f;

  private static final Answer OK = new Answer(200, List.of(), new Body.None());
  private static final Answer NO_CONTENT = new Answer(204, List.of(), new Body.None());
  private static final Answer NOT_MODIFIED = new Answer(304, List.of(), new Body.None());

  private final int status;
  private final List<Field> fields;
  private final Body body;

  private Answer(int status, List<Field> fields, Body body) {
    this.status = status;
    this.fields = fields;
    this.body = body;
  }

  /** 200 with a JSON body: a record, a {@link Slice}, a map or a Jackson tree. */
  public static Answer ok(Object body) {
    return status(200, body);
  }

  /** 200 with JSON that is written already; not to be changed afterwards. */
  public static Answer json(byte[] json) {
    return bytes(JSON, json);
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
    return new Answer(status, List.of(), new Body.Json(body));
  }

  /** 200 with text of the given content type. */
  public static Answer text(String contentType, String text) {
    return bytes(contentType, text.getBytes(StandardCharsets.UTF_8));
  }

  /** 200 with bytes of the given content type. */
  public static Answer bytes(String contentType, byte[] bytes) {
    return new Answer(200, List.of(), new Body.Bytes(contentType, bytes));
  }

  /** So many bytes of a content that is closed when it was written. */
  public static Answer stream(int status, String contentType, long length, InputStream content) {
    return new Answer(status, List.of(), new Body.Stream(contentType, length, content));
  }

  /** A {@code text/event-stream} that the writer fills. */
  public static Answer events(EventStreamWriter writer) {
    return new Answer(200, List.of(), new Body.Events(writer));
  }

  /** The same answer with one more header. */
  public Answer header(String name, String value) {
    List<Field> more = new ArrayList<>(fields.size() + 1);
    for (Field field : fields) {
      if (!field.name().equals(name)) {
        more.add(field);
      }
    }
    more.add(new Field(name, value));
    return new Answer(status, more, body);
  }

  /** An answer that was given before. */
  static Answer again(int status, Map<String, String> headers, Body body) {
    return new Answer(
        status,
        headers.entrySet().stream().map(it -> new Field(it.getKey(), it.getValue())).toList(),
        body);
  }

  /** The HTTP status. */
  public int status() {
    return status;
  }

  /** The headers that the handler set. */
  public Map<String, String> headers() {
    Map<String, String> headers = new LinkedHashMap<>();
    fields.forEach(field -> headers.put(field.name(), field.value()));
    return headers;
  }

  List<Field> fields() {
    return fields;
  }

  /** The value to be rendered as JSON, for unit tests of handlers. Empty for other bodies. */
  public Optional<Object> json() {
    return body instanceof Body.Json(Object value) ? Optional.of(value) : Optional.empty();
  }

  Body body() {
    return body;
  }
}
