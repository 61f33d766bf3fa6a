package io.convoke.server.http;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The response of an endpoint: a status, headers and a body. Immutable. */
public final class Response {

  /** The body of an answer. */
  public sealed interface ResponseBody {
    /** Rendered as JSON when it is written. */
    record JsonBody(Object value) implements ResponseBody {}

    /** Written as it is; never compared. */
    @SuppressWarnings("ArrayRecordComponent")
    record BytesBody(String contentType, byte[] bytes) implements ResponseBody {}

    /** Bytes that are read as they are written, and closed then; never compared. */
    record StreamBody(String contentType, long length, InputStream content)
        implements ResponseBody {}

    /** A server-sent event stream. */
    record EventStreamBody(EventStreamWriter writer) implements ResponseBody {}

    /** No body at all. */
    record EmptyBody() implements ResponseBody {}
  }

  /** A header field that a handler set. */
  public record ResponseHeader(String name, String value) {
    /** A line end in a value would begin another field and allow response splitting. */
    public ResponseHeader {
      for (int i = 0; i < value.length(); i++) {
        char c = value.charAt(i);
        if (c < ' ' || c == DELETE) {
          throw new IllegalArgumentException("no header field can hold the value of " + name);
        }
      }
    }
  }

  public static final String JSON = "application/json";
  private static final char DELETE = 0x7f;

  private static final Response OK = new Response(200, List.of(), new ResponseBody.EmptyBody());
  private static final Response ACCEPTED =
      new Response(202, List.of(), new ResponseBody.EmptyBody());
  private static final Response NO_CONTENT =
      new Response(204, List.of(), new ResponseBody.EmptyBody());
  private static final Response NOT_MODIFIED =
      new Response(304, List.of(), new ResponseBody.EmptyBody());

  private final int status;
  private final List<ResponseHeader> fields;
  private final ResponseBody responseBody;

  private Response(int status, List<ResponseHeader> fields, ResponseBody responseBody) {
    this.status = status;
    this.fields = fields;
    this.responseBody = responseBody;
  }

  /** 200 with a JSON body: a record, a {@link Page}, a map or a Jackson tree. */
  public static Response ok(Object body) {
    return status(200, body);
  }

  /** 200 with JSON that is written already; not to be changed afterwards. */
  public static Response json(byte[] json) {
    return bytes(JSON, json);
  }

  /** 200 without a body, shared: the cheapest answer there is (webhooks). */
  public static Response ok() {
    return OK;
  }

  /** 201 with the created object. */
  public static Response created(Object body) {
    return status(201, body);
  }

  /** 202: accepted, the work follows. */
  public static Response accepted(Object body) {
    return status(202, body);
  }

  /** 202 without a body: heard, and there is nothing to say. */
  public static Response accepted() {
    return ACCEPTED;
  }

  /** 204 without a body. */
  public static Response noContent() {
    return NO_CONTENT;
  }

  /** 304 without a body, for a caller that has this version; set the {@code ETag} again. */
  public static Response notModified() {
    return NOT_MODIFIED;
  }

  /** 303: the browser goes on at another address. */
  public static Response seeOther(String location) {
    return new Response(
        303, List.of(new ResponseHeader("Location", location)), new ResponseBody.EmptyBody());
  }

  /** Any status with a JSON body. */
  public static Response status(int status, Object body) {
    return new Response(status, List.of(), new ResponseBody.JsonBody(body));
  }

  /** 200 with text of the given content type. */
  public static Response text(String contentType, String text) {
    return bytes(contentType, text.getBytes(StandardCharsets.UTF_8));
  }

  /** 200 with bytes of the given content type. */
  public static Response bytes(String contentType, byte[] bytes) {
    return new Response(200, List.of(), new ResponseBody.BytesBody(contentType, bytes));
  }

  /** So many bytes of a content that is closed when it was written. */
  public static Response stream(int status, String contentType, long length, InputStream content) {
    return new Response(
        status, List.of(), new ResponseBody.StreamBody(contentType, length, content));
  }

  /** A {@code text/event-stream} that the writer fills. */
  public static Response events(EventStreamWriter writer) {
    return new Response(200, List.of(), new ResponseBody.EventStreamBody(writer));
  }

  /** The same answer with one more header. */
  public Response header(String name, String value) {
    List<ResponseHeader> more = new ArrayList<>(fields.size() + 1);
    for (ResponseHeader responseHeader : fields) {
      if (!responseHeader.name().equals(name)) {
        more.add(responseHeader);
      }
    }
    more.add(new ResponseHeader(name, value));
    return new Response(status, more, responseBody);
  }

  /** The same answer with one more cookie. */
  public Response cookie(String setCookie) {
    List<ResponseHeader> more = new ArrayList<>(fields);
    more.add(new ResponseHeader("Set-Cookie", setCookie));
    return new Response(status, more, responseBody);
  }

  /** An answer that was given before. */
  public static Response again(int status, Map<String, String> headers, ResponseBody responseBody) {
    return new Response(
        status,
        headers.entrySet().stream()
            .map(it -> new ResponseHeader(it.getKey(), it.getValue()))
            .toList(),
        responseBody);
  }

  /** The HTTP status. */
  public int status() {
    return status;
  }

  /** The headers that the handler set. */
  public Map<String, String> headers() {
    Map<String, String> headers = new LinkedHashMap<>();
    fields.forEach(responseHeader -> headers.put(responseHeader.name(), responseHeader.value()));
    return headers;
  }

  public List<ResponseHeader> fields() {
    return fields;
  }

  /** The value to be rendered as JSON, for unit tests of handlers. Empty for other bodies. */
  public Optional<Object> json() {
    return responseBody instanceof ResponseBody.JsonBody(Object value)
        ? Optional.of(value)
        : Optional.empty();
  }

  public ResponseBody body() {
    return responseBody;
  }
}
