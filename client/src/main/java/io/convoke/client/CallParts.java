package io.convoke.client;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.NullNode;
import tools.jackson.databind.node.ObjectNode;

/** A request that is not sent yet. Immutable: each method returns another one. */
public final class CallParts {
  private static final String KEY = "Idempotency-Key";

  /** What a header carries unchanged. */
  private static final Pattern KEY_FORM = Pattern.compile("[!-~]([ -~]*[!-~])?");

  /** How often it may be sent. */
  private enum Repetition {
    REPEATABLE,
    WITH_KEY,
    ONCE
  }

  /** Its content, of a type. */
  static final class RequestBody {
    private final String type;
    private final byte[] content;

    private RequestBody(String type, byte[] content) {
      this.type = type;
      this.content = content;
    }

    String type() {
      return type;
    }

    byte[] content() {
      return content;
    }
  }

  private final String method;
  private final String path;
  private final Repetition repetition;
  private final Map<String, List<String>> query;
  private final Map<String, String> headers;
  private final Optional<ObjectNode> members;
  private final Optional<RequestBody> whole;

  private CallParts(
      String method,
      String path,
      Repetition repetition,
      Map<String, List<String>> query,
      Map<String, String> headers,
      Optional<ObjectNode> members,
      Optional<RequestBody> whole) {
    this.method = method;
    this.path = path;
    this.repetition = repetition;
    this.query = query;
    this.headers = headers;
    this.members = members;
    this.whole = whole;
  }

  private static CallParts of(String method, String path, Repetition repetition) {
    return new CallParts(
        method, path, repetition, Map.of(), Map.of(), Optional.empty(), Optional.empty());
  }

  /** A call that does no more when it is sent twice. */
  public static CallParts repeatable(String method, String path) {
    return of(method, path, Repetition.REPEATABLE);
  }

  /** A call that takes an {@code Idempotency-Key}, which makes it repeatable. */
  public static CallParts withKey(String method, String path) {
    return of(method, path, Repetition.WITH_KEY);
  }

  /** A call that is sent once. */
  public static CallParts once(String method, String path) {
    return of(method, path, Repetition.ONCE);
  }

  /**
   * With a parameter of the path.
   *
   * @throws IllegalArgumentException for one that names nothing
   */
  public CallParts path(String name, Object value) {
    String text = value.toString();
    if (text.isEmpty() || text.equals(".") || text.equals("..")) {
      throw new IllegalArgumentException("\"" + text + "\" names nothing");
    }
    String filled = path.replace("{" + name + "}", ApiTransport.encoded(text));
    return new CallParts(method, filled, repetition, query, headers, members, whole);
  }

  /** With a parameter of the query: a list is one parameter for each entry. */
  public CallParts query(String name, Object value) {
    Map<String, List<String>> more = new LinkedHashMap<>(query);
    more.put(
        name,
        value instanceof List<?> several
            ? several.stream().map(Object::toString).toList()
            : List.of(value.toString()));
    return new CallParts(method, path, repetition, more, headers, members, whole);
  }

  /** With these parameters of the query. */
  CallParts queries(Map<String, String> some) {
    CallParts all = this;
    for (Map.Entry<String, String> one : some.entrySet()) {
      all = all.query(one.getKey(), one.getValue());
    }
    return all;
  }

  /** With a header. */
  public CallParts header(String name, Object value) {
    Map<String, String> more = new LinkedHashMap<>(headers);
    more.put(name, value.toString());
    return new CallParts(method, path, repetition, query, more, members, whole);
  }

  /** With an {@code Idempotency-Key}, unless it takes none or has one. */
  CallParts keyed() {
    return repetition == Repetition.WITH_KEY && !headers.containsKey(KEY)
        ? key(UUID.randomUUID().toString())
        : this;
  }

  /**
   * With this {@code Idempotency-Key}.
   *
   * @throws IllegalArgumentException if it takes none: the server would not heed the key; or for a
   *     key that a header does not carry as it is: two keys could arrive as one, and the second
   *     call would get the answer of the first
   */
  CallParts key(String key) {
    if (repetition != Repetition.WITH_KEY) {
      throw new IllegalArgumentException(method + " " + path + " takes no idempotency key");
    }
    if (!KEY_FORM.matcher(key).matches()) {
      throw new IllegalArgumentException(
          "an idempotency key is printable ASCII, and has no spaces around it");
    }
    return header(KEY, key);
  }

  /** With a member of the body. */
  public CallParts member(String name, Object value) {
    ObjectNode more = object();
    more.set(name, ApiJson.MAPPER.<JsonNode>valueToTree(value));
    return with(more);
  }

  /** With a member of the body that is null. */
  public CallParts noMember(String name) {
    ObjectNode more = object();
    more.set(name, NullNode.getInstance());
    return with(more);
  }

  /** With a body, however empty. */
  public CallParts body() {
    return with(object());
  }

  private ObjectNode object() {
    return members.map(ObjectNode::deepCopy).orElseGet(ApiJson.MAPPER::createObjectNode);
  }

  private CallParts with(ObjectNode body) {
    return new CallParts(method, path, repetition, query, headers, Optional.of(body), whole);
  }

  /** With this body. */
  public CallParts body(JsonNode body) {
    return bytes(ApiJson.TYPE, ApiJson.MAPPER.writeValueAsBytes(body));
  }

  /** With these bytes as the body. */
  public CallParts bytes(String contentType, byte[] body) {
    Optional<RequestBody> content = Optional.of(new RequestBody(contentType, body.clone()));
    return new CallParts(method, path, repetition, query, headers, members, content);
  }

  String method() {
    return method;
  }

  String path() {
    return path;
  }

  Map<String, List<String>> query() {
    return query;
  }

  Map<String, String> headers() {
    return headers;
  }

  Optional<RequestBody> content() {
    return whole.or(
        () ->
            members.map(it -> new RequestBody(ApiJson.TYPE, ApiJson.MAPPER.writeValueAsBytes(it))));
  }

  /** Whether sending it twice does no more than sending it once. */
  boolean repeatable() {
    return switch (repetition) {
      case REPEATABLE -> true;
      case WITH_KEY -> headers.containsKey(KEY);
      case ONCE -> false;
    };
  }
}
