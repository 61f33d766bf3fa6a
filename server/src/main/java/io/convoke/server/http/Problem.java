package io.convoke.server.http;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * An expected failure, answered as {@code application/problem+json} (RFC 9457). It carries no stack
 * trace: it is an answer, not a bug. One condition has one status, as the HTTP contract lists them.
 * Nothing in it may hold a secret.
 */
public final class Problem extends RuntimeException {

  /** A finding about one field: its dotted path, {@code segments.0.start}, and the message. */
  public record FieldError(String field, String message) {}

  /** Members that every problem has, by RFC 9457 and by docs/spec/contract.md. */
  private static final Set<String> OWN =
      Set.of("type", "title", "status", "detail", "code", "trace_id", "errors");

  private final int status;
  private final String code;
  private final String title;
  private final String detail;
  private final transient List<FieldError> errors;
  private final transient Map<String, Object> extras;
  private final transient Optional<Duration> retryAfter;
  private final boolean closing;

  private Problem(
      int status,
      String code,
      String detail,
      List<FieldError> errors,
      Map<String, Object> extras,
      Optional<Duration> retryAfter,
      boolean closing) {
    super(status + " " + code + ": " + detail, null, false, false);
    this.status = status;
    this.code = code;
    this.title = titleOf(status);
    this.detail = detail;
    this.errors = List.copyOf(errors);
    if (!Collections.disjoint(OWN, extras.keySet())) {
      throw new IllegalArgumentException("one of " + extras.keySet() + " has a meaning of its own");
    }
    this.extras = Collections.unmodifiableMap(new LinkedHashMap<>(extras));
    this.retryAfter = retryAfter;
    this.closing = closing;
  }

  /** Any status; {@code code} is a stable snake_case code for programs. */
  public static Problem of(int status, String code, String detail) {
    return new Problem(status, code, detail, List.of(), Map.of(), Optional.empty(), false);
  }

  /** 400 for one field. */
  public static Problem badRequest(String field, String message) {
    return badRequest(List.of(new FieldError(field, message)));
  }

  /** 400 for one field, by a reason of its own that programs may rely on. */
  public static Problem badRequest(String code, String field, String message) {
    return new Problem(
        400,
        code,
        field + " " + message,
        List.of(new FieldError(field, message)),
        Map.of(),
        Optional.empty(),
        false);
  }

  /** 400 for several fields. */
  public static Problem badRequest(List<FieldError> errors) {
    String detail =
        errors.isEmpty()
            ? "The request is malformed."
            : errors.getFirst().field() + " " + errors.getFirst().message();
    return new Problem(400, "bad_request", detail, errors, Map.of(), Optional.empty(), false);
  }

  /** 401: no credentials, or wrong ones. The response never distinguishes them. */
  public static Problem unauthorized() {
    return of(401, "unauthorized", "Valid credentials are needed for this request.");
  }

  /** 403: good credentials of the wrong role. */
  public static Problem forbidden() {
    return forbidden("These credentials do not allow this request.");
  }

  /** 403 with a reason. */
  public static Problem forbidden(String detail) {
    return of(403, "forbidden", detail);
  }

  /** 403: the key or JWT has none of the scopes of which one is needed. */
  public static Problem scopeMissing(Set<ApiScope> needed) {
    List<String> names = needed.stream().sorted().map(ApiScope::wireName).toList();
    return of(
            403,
            "scope_missing",
            "This needs a key with the scope " + String.join(" or ", names) + ".")
        .with("scopes", names);
  }

  /** 403: an operator whose role does not permit this. */
  public static Problem roleMissing(OperatorRole needed) {
    return of(403, "role_missing", "This needs the role " + needed.wireName() + ".")
        .with("role", needed.wireName());
  }

  /** 403: authenticated by a cookie, but sent by another site. */
  public static Problem csrf() {
    return of(
        403,
        "csrf",
        "This needs the header X-Convoke-CSRF: 1, and a page of this server to send it.");
  }

  /**
   * 404: it does not exist, or the caller may not see it. {@code what} is {@code "meeting"}, ...
   */
  public static Problem notFound(String what) {
    return of(404, "not_found", "There is no such " + what + ".");
  }

  /** 409: the state forbids it; {@code extras} show the current one, as {@code meeting_status}. */
  public static Problem conflict(String code, String detail, Map<String, Object> extras) {
    return new Problem(409, code, detail, List.of(), extras, Optional.empty(), false);
  }

  /** 410: it is over for good. */
  public static Problem gone(String code, String detail) {
    return of(410, code, detail);
  }

  /** 422: well-formed, but cannot be. */
  public static Problem unprocessable(String code, String detail) {
    return of(422, code, detail);
  }

  /** 429 with {@code Retry-After}, rounded up to whole seconds. */
  public static Problem tooMany(String code, String detail, Duration retryAfter) {
    return new Problem(429, code, detail, List.of(), Map.of(), Optional.of(retryAfter), false);
  }

  /** 503 with {@code Retry-After}: {@code what} (a store) is unreachable. */
  public static Problem unavailable(String what) {
    return new Problem(
        503,
        "unavailable",
        what + " is unreachable; retry.",
        List.of(),
        Map.of(),
        Optional.of(Duration.ofSeconds(1)),
        false);
  }

  /** The same problem with one more member in its JSON, for example {@code meeting_status}. */
  public Problem with(String member, Object value) {
    Map<String, Object> more = new LinkedHashMap<>(extras);
    more.put(member, value);
    return new Problem(status, code, detail, errors, more, retryAfter, closing);
  }

  /** The same problem, after which the connection cannot be used any more. */
  public Problem closingConnection() {
    return new Problem(status, code, detail, errors, extras, retryAfter, true);
  }

  public boolean closesConnection() {
    return closing;
  }

  /** The HTTP status. */
  public int status() {
    return status;
  }

  /** The stable code of this condition. */
  public String code() {
    return code;
  }

  /** The status in words. */
  public String title() {
    return title;
  }

  /** What happened, for a person. */
  public String detail() {
    return detail;
  }

  /** Which fields are wrong; empty unless 400. */
  public List<FieldError> errors() {
    return errors;
  }

  /** When trying again makes sense. */
  public Optional<Duration> retryAfter() {
    return retryAfter;
  }

  /** The body, in the order of RFC 9457. */
  public Map<String, Object> body(String traceId) {
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("type", "urn:convoke:problem:" + code);
    body.put("title", title);
    body.put("status", status);
    body.put("detail", detail);
    body.put("code", code);
    body.put("trace_id", traceId);
    if (!errors.isEmpty()) {
      body.put("errors", new ArrayList<>(errors));
    }
    body.putAll(extras);
    return body;
  }

  public static String titleOf(int status) {
    return switch (status) {
      case 400 -> "Bad Request";
      case 401 -> "Unauthorized";
      case 403 -> "Forbidden";
      case 404 -> "Not Found";
      case 405 -> "Method Not Allowed";
      case 406 -> "Not Acceptable";
      case 408 -> "Request Timeout";
      case 409 -> "Conflict";
      case 410 -> "Gone";
      case 412 -> "Precondition Failed";
      case 413 -> "Content Too Large";
      case 414 -> "URI Too Long";
      case 415 -> "Unsupported Media Type";
      case 416 -> "Range Not Satisfiable";
      case 422 -> "Unprocessable Content";
      case 429 -> "Too Many Requests";
      case 431 -> "Request Header Fields Too Large";
      case 500 -> "Internal Server Error";
      case 502 -> "Bad Gateway";
      case 503 -> "Service Unavailable";
      case 505 -> "HTTP Version Not Supported";
      default -> "Problem";
    };
  }
}
