package io.convoke.server.http;

import io.convoke.server.http.Parameter.ParameterLocation;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The description of one operation, from which routing, input checks, roles, idempotency, metrics
 * and the OpenAPI document come. Immutable; a feature returns a list of them:
 *
 * {@snippet :
 * Endpoint.post("/bots/start")
 *     .id("startBot").tag("bots").summary("Send a bot into a meeting.")
 *     .roles(CallerRole.USER)
 *     .scope(ApiScope.BOTS)
 *     .body(Schema.object()
 *         .required("native_meeting_id", Schema.printable(1, 255)))
 *     .creates()
 *     .answers(201, Schema.of(Meeting.class))
 *     .problems(409, 429)
 *     .handle(request -> Response.created(bots.start(request.actingUser(), request.body(Start.class))));
 * }
 *
 * <p>Path parameters that are not declared are {@link Schema#id()}. An endpoint for users that is
 * paged or creates something also takes {@code ?user_id=}, which only admins may send (see {@link
 * Request#ownerFilter()} and {@link Request#actingUser()}). The problems that follow from the
 * description (400, 401, 403, 404 with path parameters, 413, 415, 429 of the rate limit, 503) are
 * documented without being named.
 */
public final class Endpoint {

  /** The methods we serve; HEAD comes with GET. */
  public enum HttpMethod {
    GET,
    POST,
    PUT,
    PATCH,
    DELETE
  }

  /** A documented answer. */
  public record DocumentedResponse(int status, Map<String, Optional<Schema>> contents) {}

  private static final Pattern TEMPLATE = Pattern.compile("\\{([a-z][a-z0-9_]*)}");

  private final Builder from;
  private final EndpointHandler endpointHandler;
  private final Map<String, Parameter> parameters;

  private Endpoint(Builder from, EndpointHandler endpointHandler) {
    this.from = from;
    this.endpointHandler = endpointHandler;
    Map<String, Parameter> byName = new LinkedHashMap<>();
    from.parameters.forEach(
        parameter -> byName.put(key(parameter.place(), parameter.name()), parameter));
    this.parameters = Collections.unmodifiableMap(byName);
  }

  /** Starts the description of a GET (and HEAD) operation. */
  public static Builder get(String path) {
    return new Builder(HttpMethod.GET, path);
  }

  /** Starts the description of a POST operation. */
  public static Builder post(String path) {
    return new Builder(HttpMethod.POST, path);
  }

  /** Starts the description of a PUT operation. */
  public static Builder put(String path) {
    return new Builder(HttpMethod.PUT, path);
  }

  /** Starts the description of a PATCH operation. */
  public static Builder patch(String path) {
    return new Builder(HttpMethod.PATCH, path);
  }

  /** Starts the description of a DELETE operation. */
  public static Builder delete(String path) {
    return new Builder(HttpMethod.DELETE, path);
  }

  /** The method. */
  public HttpMethod method() {
    return from.httpMethod;
  }

  /** The path with its parameters in braces. */
  public String path() {
    return from.path;
  }

  /** The operation's name: unique, camelCase; also the label of its metrics. */
  public String id() {
    return from.id;
  }

  /** The roles that may call it. */
  public Set<CallerRole> roles() {
    return from.roles;
  }

  /**
   * The scopes of which a user's credential needs one. Empty if any will do, and for endpoints that
   * are neither for users nor for operators.
   */
  public Set<ApiScope> scopes() {
    if (from.roles.contains(CallerRole.USER)) {
      return from.scope
          .map(family -> from.httpMethod == HttpMethod.GET ? reading(family) : EnumSet.of(family))
          .map(Collections::unmodifiableSet)
          .orElse(Set.of());
    }
    return operatorRole().map(Endpoint::operating).orElse(Set.of());
  }

  private static Set<ApiScope> operating(OperatorRole least) {
    return ApiScope.OF_OPERATORS.stream()
        .filter(scope -> scope.operatorRole().filter(role -> role.includes(least)).isPresent())
        .collect(Collectors.toUnmodifiableSet());
  }

  /**
   * The least role of an operator that may call it: {@link OperatorRole#VIEWER} reads, {@link
   * OperatorRole#OPERATOR} changes what users may change, unless the description says more. Empty
   * for endpoints that are not for operators.
   */
  public Optional<OperatorRole> operatorRole() {
    if (!from.roles.contains(CallerRole.ADMIN)) {
      return Optional.empty();
    }
    return Optional.of(
        from.operatorRole.orElse(
            from.httpMethod == HttpMethod.GET ? OperatorRole.VIEWER : OperatorRole.OPERATOR));
  }

  private static EnumSet<ApiScope> reading(ApiScope family) {
    return EnumSet.of(ApiScope.READ, family);
  }

  /** Its handler; unit tests may call it directly. */
  public EndpointHandler handler() {
    return endpointHandler;
  }

  public String tag() {
    return from.tag;
  }

  public String summary() {
    return from.summary;
  }

  public Optional<String> description() {
    return Optional.ofNullable(from.description);
  }

  public boolean creates() {
    return from.creates;
  }

  /** Whether its handler may run this request again after a commit. */
  public boolean repeats(Request request) {
    return from.repeatable.filter(which -> which.test(request)).isPresent();
  }

  /** Whether it only calls other operations, each of which is recorded as its own. */
  public boolean callsOthers() {
    return from.callsOthers;
  }

  public TokenPlace tokenPlace() {
    return from.tokenPlace;
  }

  public boolean paged() {
    return from.paged;
  }

  public boolean isPublic() {
    return from.roles.contains(CallerRole.PUBLIC);
  }

  public RequestBodyKind body() {
    return from.body;
  }

  public List<DocumentedResponse> answers() {
    return from.answers.entrySet().stream()
        .map(entry -> new DocumentedResponse(entry.getKey(), entry.getValue()))
        .toList();
  }

  public List<Parameter> parameters() {
    return List.copyOf(parameters.values());
  }

  /** The names of the parameters of the path, in their order. */
  public List<String> pathParameters() {
    return TEMPLATE.matcher(from.path).results().map(match -> match.group(1)).toList();
  }

  public Optional<Parameter> parameter(ParameterLocation parameterLocation, String name) {
    return Optional.ofNullable(parameters.get(key(parameterLocation, name)));
  }

  /** Every status this operation may answer with a problem, derived and declared. */
  public SortedSet<Integer> problems() {
    SortedSet<Integer> all = new TreeSet<>(from.problems);
    all.addAll(List.of(400, 500, 503));
    if (!isPublic()) {
      all.addAll(List.of(401, 403));
    }
    if (from.roles.contains(CallerRole.USER) || from.roles.contains(CallerRole.ADMIN)) {
      all.add(429);
    }
    if (TEMPLATE.matcher(from.path).find()) {
      all.add(404);
    }
    if (!(from.body instanceof RequestBodyKind.NoRequestBody)) {
      all.addAll(List.of(408, 413));
    }
    if (from.body instanceof RequestBodyKind.JsonRequestBody) {
      all.add(415);
    }
    if (from.creates) {
      all.addAll(List.of(409, 422));
    }
    return all;
  }

  @Override
  public String toString() {
    return from.httpMethod + " " + from.path + " (" + from.id + ")";
  }

  private static String key(ParameterLocation parameterLocation, String name) {
    return parameterLocation
        + " "
        + (parameterLocation == ParameterLocation.HEADER
            ? name.toLowerCase(java.util.Locale.ROOT)
            : name);
  }

  /** Describes an operation step by step; {@link #handle} ends it and checks it. */
  public static final class Builder {
    private final HttpMethod httpMethod;
    private final String path;
    private final List<Parameter> parameters = new ArrayList<>();
    private final Map<Integer, Map<String, Optional<Schema>>> answers = new LinkedHashMap<>();
    private final SortedSet<Integer> problems = new TreeSet<>();
    private Set<CallerRole> roles = Set.of();
    private Optional<ApiScope> scope = Optional.empty();
    private Optional<OperatorRole> operatorRole = Optional.empty();
    private boolean anyScope;
    private String id = "";
    private String tag = "";
    private String summary = "";
    private @org.jspecify.annotations.Nullable String description;
    private RequestBodyKind body = new RequestBodyKind.NoRequestBody();
    private boolean creates;
    private Optional<Predicate<Request>> repeatable = Optional.empty();
    private boolean callsOthers;
    private boolean paged;
    private TokenPlace tokenPlace = TokenPlace.HEADER_ALONE;

    private Builder(HttpMethod httpMethod, String path) {
      this.httpMethod = httpMethod;
      this.path = path;
    }

    /** The operation's unique name in camelCase. */
    public Builder id(String operationId) {
      this.id = operationId;
      return this;
    }

    /** The group that the document shows it in. */
    public Builder tag(String name) {
      this.tag = name;
      return this;
    }

    /** A summary in one sentence. */
    public Builder summary(String sentence) {
      this.summary = sentence;
      return this;
    }

    /** Further documentation for callers. */
    public Builder description(String text) {
      this.description = text;
      return this;
    }

    /** The roles that may call it; admins are added wherever users may. */
    public Builder roles(CallerRole first, CallerRole... more) {
      EnumSet<CallerRole> set = EnumSet.of(first, more);
      if (set.contains(CallerRole.USER)) {
        set.add(CallerRole.ADMIN);
      }
      this.roles = Collections.unmodifiableSet(set);
      return this;
    }

    /**
     * The scope of the objects that it is about, needed wherever users may call: their credential
     * must have it, or {@link ApiScope#READ} where it reads. What is an operator's alone takes
     * none: it needs one of {@link ApiScope#OF_OPERATORS}.
     */
    public Builder scope(ApiScope family) {
      this.scope = Optional.of(family);
      return this;
    }

    /**
     * The least role of an operator that may call it. Needed for changes that are an operator's
     * alone; elsewhere {@link Endpoint#operatorRole} tells what holds without it.
     */
    public Builder operators(OperatorRole least) {
      this.operatorRole = Optional.of(least);
      return this;
    }

    /** Any credential of a user will do, whatever its scopes. */
    public Builder anyScope() {
      this.anyScope = true;
      return this;
    }

    /** The bearer token may also come in another place. */
    public Builder tokenIn(TokenPlace other) {
      this.tokenPlace = other;
      return this;
    }

    /** A path parameter; one that is not declared is {@link Schema#id()}. */
    public Builder path(String name, Schema schema) {
      parameters.add(new Parameter(ParameterLocation.PATH, name, schema, true, false));
      return this;
    }

    /** A query parameter that may be absent. */
    public Builder query(String name, Schema schema) {
      parameters.add(new Parameter(ParameterLocation.QUERY, name, schema, false, false));
      return this;
    }

    /** A query parameter that must be there. */
    public Builder requiredQuery(String name, Schema schema) {
      parameters.add(new Parameter(ParameterLocation.QUERY, name, schema, true, false));
      return this;
    }

    /** A query parameter that may be repeated, up to 100 times. */
    public Builder repeatedQuery(String name, Schema schema) {
      parameters.add(new Parameter(ParameterLocation.QUERY, name, schema, false, true));
      return this;
    }

    /** A request header that may be absent. */
    public Builder header(String name, Schema schema) {
      parameters.add(new Parameter(ParameterLocation.HEADER, name, schema, false, false));
      return this;
    }

    /** A JSON body that must be there. */
    public Builder body(Schema schema) {
      this.body = new RequestBodyKind.JsonRequestBody(schema, true, OptionalInt.empty());
      return this;
    }

    /** A JSON body that must be there and may be of so many bytes, whatever the listener takes. */
    public Builder body(Schema schema, int maxBytes) {
      this.body = new RequestBodyKind.JsonRequestBody(schema, true, OptionalInt.of(maxBytes));
      return this;
    }

    /** A JSON body that may be left out; {@link Request#body} then reads an empty object. */
    public Builder optionalBody(Schema schema) {
      this.body = new RequestBodyKind.JsonRequestBody(schema, false, OptionalInt.empty());
      return this;
    }

    /** A body that is handed over as bytes: no parsing, no schema, no span. For signed webhooks. */
    public Builder rawBody(int maxBytes) {
      this.body = new RequestBodyKind.RawRequestBody(maxBytes);
      return this;
    }

    /** A file of this content type, which the handler reads while it arrives. */
    public Builder streamedBody(String contentType, long maxBytes) {
      this.body = new RequestBodyKind.StreamedRequestBody(contentType, maxBytes);
      return this;
    }

    /** It creates something: {@code Idempotency-Key} is honoured. */
    public Builder creates() {
      this.creates = true;
      return this;
    }

    /**
     * It creates the same things once however often it runs. So a request whose answer was lost
     * runs again under its {@code Idempotency-Key}, and continues what a failure interrupted.
     */
    public Builder repeatable() {
      return repeatable(_ -> true);
    }

    /** The same of some requests alone. */
    public Builder repeatable(Predicate<Request> which) {
      this.repeatable = Optional.of(which);
      return this;
    }

    /**
     * It changes nothing itself but calls {@linkplain Request#operations() other operations}: they
     * are in the audit journal, it is not.
     */
    public Builder callsOthers() {
      this.callsOthers = true;
      return this;
    }

    /** It lists something: takes {@code limit} and {@code cursor}. */
    public Builder paged() {
      this.paged = true;
      return this;
    }

    /** A JSON answer. */
    public Builder answers(int status, Schema schema) {
      return answers(status, "application/json", Optional.of(schema));
    }

    /** An answer without a body. */
    public Builder answers(int status) {
      answers.computeIfAbsent(status, _ -> new LinkedHashMap<>());
      return this;
    }

    /** An answer of another content type, or one more content type of the same status. */
    public Builder answers(int status, String contentType) {
      return answers(status, contentType, Optional.empty());
    }

    /** Problems that do not follow from the rest of the description. */
    public Builder problems(int... statuses) {
      for (int status : statuses) {
        problems.add(status);
      }
      return this;
    }

    /**
     * Ends the description.
     *
     * @throws IllegalArgumentException if the description contradicts itself: a bug, found at the
     *     start
     */
    public Endpoint handle(EndpointHandler endpointHandler) {
      require(
          !id.isEmpty() && !tag.isEmpty() && !summary.isEmpty(),
          "needs an id, a tag and a summary");
      require(!roles.isEmpty(), "needs roles");
      requireScope();
      requireOperatorRole();
      require(!answers.isEmpty(), "needs an answer");
      require(path.startsWith("/"), "needs a path that starts with a slash");
      require(!creates || httpMethod == HttpMethod.POST, "only POST creates");
      require(repeatable.isEmpty() || creates, "is repeatable only if it creates");
      require(!paged || httpMethod == HttpMethod.GET, "only GET is paged");
      addImpliedParameters();
      return new Endpoint(this, endpointHandler);
    }

    private void requireScope() {
      boolean forUsers = roles.contains(CallerRole.USER);
      require(!forUsers || scope.isPresent() != anyScope, "needs a scope for its users");
      require(forUsers || (scope.isEmpty() && !anyScope), "takes a scope only for users");
      require(
          scope.flatMap(ApiScope::operatorRole).isEmpty(), "is an operator's by its roles alone");
      require(
          httpMethod == HttpMethod.GET || scope.filter(ApiScope.READ::equals).isEmpty(),
          "changes something, which the scope read never permits");
    }

    private void requireOperatorRole() {
      boolean forOperators = roles.contains(CallerRole.ADMIN);
      require(
          !forOperators
              || roles.contains(CallerRole.USER)
              || httpMethod == HttpMethod.GET
              || operatorRole.isPresent(),
          "needs the least role of operators that may change this");
      require(forOperators || operatorRole.isEmpty(), "is not for operators, and names their role");
    }

    private void addImpliedParameters() {
      Matcher template = TEMPLATE.matcher(path);
      while (template.find()) {
        String name = template.group(1);
        if (!declares(ParameterLocation.PATH, name)) {
          path(name, Schema.id().describe(impliedDescription(name, template.start())));
        }
      }
      if (paged) {
        query(
            "limit",
            Schema.integer(1, PageRequest.MAX_LIMIT)
                .byDefault(PageRequest.DEFAULT_LIMIT)
                .describe("Entries of a page at most."));
        query("cursor", Schema.text(1, 1024).describe("next_cursor of the page before."));
      }
      if (creates) {
        header(
            "Idempotency-Key",
            Schema.printable(1, 255)
                .describe("The same request with the same key is carried out once."));
      }
      if (roles.contains(CallerRole.USER)
          && (paged || creates)
          && !declares(ParameterLocation.QUERY, "user_id")) {
        query("user_id", Schema.id().describe("For admins: the user to act for or to filter by."));
      }
    }

    /**
     * What a number in the path is of: {@code meeting_id}, or what {@code /meetings/} is before.
     */
    private String impliedDescription(String name, int at) {
      if (!name.equals("id")) {
        return "The id of the " + name.replaceFirst("_id$", "").replace('_', ' ') + ".";
      }
      String before = path.substring(path.lastIndexOf('/', at - 2) + 1, at - 1);
      return "The id of the " + before.replaceFirst("s$", "").replace('-', ' ') + ".";
    }

    private boolean declares(ParameterLocation parameterLocation, String name) {
      return parameters.stream()
          .anyMatch(p -> p.place() == parameterLocation && p.name().equals(name));
    }

    private Builder answers(int status, String contentType, Optional<Schema> schema) {
      answers.computeIfAbsent(status, _ -> new LinkedHashMap<>()).put(contentType, schema);
      return this;
    }

    private void require(boolean condition, String what) {
      if (!condition) {
        throw new IllegalArgumentException(httpMethod + " " + path + " " + what);
      }
    }
  }
}
