package io.convoke.server.users;

import io.convoke.server.http.ActionDetails;
import io.convoke.server.http.ApiScope;
import io.convoke.server.http.CallerRole;
import io.convoke.server.http.Cursor;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.OperatorRole;
import io.convoke.server.http.Page;
import io.convoke.server.http.PageRequest;
import io.convoke.server.http.Problem;
import io.convoke.server.http.Request;
import io.convoke.server.http.Response;
import io.convoke.server.http.Schema;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** The operator's endpoints for users and their tokens. */
final class UsersEndpoints {
  /** The kind of what is changed, in the audit journal. */
  private static final String TARGET = "user";

  private static final int DEFAULT_BOTS = 1;
  private static final Schema USER = Schema.of(User.class);
  private static final Schema EMAIL = Schema.pattern("^[^@\\s]{1,64}@[^@\\s]{1,255}$");
  private static final Schema BOTS =
      Schema.integer(0, 1_000_000).describe("Absent: 1; null: unlimited; 0: none.");

  private static final Schema SCOPES =
      Schema.array(Schema.oneOf(ApiScope.class), ApiScope.values().length);

  private final UserStore users;
  private final ApiTokenService tokens;
  private final Consumer<Optional<Long>> accessChanged;
  private final Optional<String> issuer;
  private final InstantSource clock;

  /**
   * @param accessChanged told of a user who was disabled or enabled here
   * @param issuer the identity provider that names people
   */
  UsersEndpoints(
      UserStore users,
      ApiTokenService tokens,
      Consumer<Optional<Long>> accessChanged,
      Optional<String> issuer,
      InstantSource clock) {
    this.users = users;
    this.tokens = tokens;
    this.accessChanged = accessChanged;
    this.issuer = issuer;
    this.clock = clock;
  }

  /** A new token in the audit journal. */
  private record AuditedToken(
      long userId, Optional<String> name, List<ApiScope> scopes, Optional<Instant> expiresAt) {
    static AuditedToken of(long userId, ApiTokenStore.NewApiToken token) {
      return new AuditedToken(
          userId,
          token.name(),
          token.scopes().orElse(ApiScope.UNLESS_NAMED).stream().sorted().toList(),
          token.expiresAt());
    }
  }

  List<Endpoint> endpoints() {
    return List.of(create(), list(), get(), change(), issueToken(), listTokens(), revokeToken());
  }

  private Endpoint create() {
    return Endpoint.post("/admin/users")
        .id("createUser")
        .tag("users")
        .summary("Create a user, or find the one that has this email.")
        .roles(CallerRole.ADMIN)
        .operators(OperatorRole.ADMIN)
        .body(profile(Schema.object().required("email", EMAIL)))
        .creates()
        .answers(201, USER)
        .answers(200, USER)
        .handle(this::create);
  }

  private Response create(Request request) {
    UserStore.EnsuredUser ensuredUser =
        users.ensure(draft(request.json()), ensured -> describe(request.action(), ensured));
    return Response.status(ensuredUser.created() ? 201 : 200, ensuredUser.user());
  }

  private static void describe(ActionDetails action, UserStore.EnsuredUser ensured) {
    User user = ensured.user();
    ActionDetails named = action.target(TARGET, user.id()).after(user);
    if (!ensured.created()) {
      var _ = named.before(user);
    }
  }

  private Endpoint list() {
    return Endpoint.get("/admin/users")
        .id("listUsers")
        .tag("users")
        .summary("List users, oldest first.")
        .roles(CallerRole.ADMIN)
        .paged()
        .answers(200, Schema.slice(USER))
        .handle(this::list);
  }

  private Response list(Request request) {
    PageRequest pageRequest = request.page();
    long after = pageRequest.cursor().map(cursor -> Cursor.parseLongs(cursor, 1)[0]).orElse(0L);
    List<User> found = users.list(after, pageRequest.limit() + 1);
    return Response.ok(Page.of(found, pageRequest, user -> Cursor.of(user.id())));
  }

  private Endpoint get() {
    return Endpoint.get("/admin/users/{id}")
        .id("getUser")
        .tag("users")
        .summary("Show a user.")
        .roles(CallerRole.ADMIN)
        .answers(200, USER)
        .handle(
            request ->
                Response.ok(
                    users.find(request.pathId("id")).orElseThrow(() -> Problem.notFound("user"))));
  }

  private Endpoint change() {
    return Endpoint.patch("/admin/users/{id}")
        .id("changeUser")
        .tag("users")
        .summary("Change a user; absent fields are unchanged.")
        .roles(CallerRole.ADMIN)
        .operators(OperatorRole.ADMIN)
        .description(
            "While disabled, the user's keys, JWTs and sessions are 401 on every node, within 5 s.")
        .body(
            profile(Schema.object().optional("email", EMAIL))
                .optional("disabled", Schema.bool())
                .optional(
                    "oidc_subject",
                    Schema.text(1, 255)
                        .nullable()
                        .describe("Who the user is at the identity provider; null unlinks.")))
        .answers(200, USER)
        .problems(409)
        .handle(this::change);
  }

  private Response change(Request request) {
    JsonNode changes = request.json();
    try {
      User user = users.change(request.pathId("id"), before -> changed(request, before, changes));
      if (changes.hasNonNull("disabled") || changes.has("oidc_subject")) {
        accessChanged.accept(Optional.of(user.id()));
      }
      return Response.ok(user);
    } catch (io.convoke.engine.sql.SqlFailure e) {
      if (e.is(io.convoke.engine.sql.SqlFailure.UNIQUE_VIOLATION)) {
        if (String.valueOf(e.getMessage()).contains("users_oidc")) {
          throw Problem.of(409, "subject_taken", "Another user is this person.");
        }
        throw Problem.of(409, "email_taken", "Another user has this email.");
      }
      throw e;
    }
  }

  private User changed(Request request, User before, JsonNode changes) {
    User after = changed(before, changes);
    var _ = request.action().target(TARGET, before.id()).before(before).after(after);
    return after;
  }

  private Endpoint issueToken() {
    return Endpoint.post("/admin/users/{id}/tokens")
        .id("issueToken")
        .tag("users")
        .summary("Create an API token for a user; it is shown once.")
        .roles(CallerRole.ADMIN)
        .operators(OperatorRole.ADMIN)
        .description(
            "Without scopes it may be used for all that is a user's. With viewer, operator or admin"
                + " it is an operator's of that role, and has no other scope beside viewer and"
                + " operator.")
        .optionalBody(
            Schema.object()
                .optional("name", Schema.text(1, 200))
                .optional("scopes", SCOPES)
                .optional("expires_at", Schema.instant()))
        .creates()
        .answers(201, Schema.of(ApiTokenService.IssuedApiToken.class))
        .handle(this::issueToken);
  }

  private Response issueToken(Request request) {
    JsonNode body = request.json();
    Optional<Instant> expiresAt = text(body, "expires_at").map(Instant::parse);
    if (expiresAt.filter(end -> !end.isAfter(clock.instant())).isPresent()) {
      throw Problem.badRequest("expires_at", "is in the past");
    }
    long user = request.pathId("id");
    ApiTokenStore.NewApiToken newToken =
        new ApiTokenStore.NewApiToken(text(body, "name"), scopes(body), expiresAt);
    return Response.created(
        tokens.issue(
            user,
            newToken,
            id -> request.action().target("token", id).after(AuditedToken.of(user, newToken))));
  }

  private Endpoint listTokens() {
    return Endpoint.get("/admin/users/{id}/tokens")
        .id("listTokens")
        .tag("users")
        .summary("A user's API tokens without their secrets, newest first, revoked ones too.")
        .roles(CallerRole.ADMIN)
        .paged()
        .answers(200, Schema.slice(Schema.of(ApiTokenStore.ApiToken.class)))
        .handle(this::listTokens);
  }

  private Response listTokens(Request request) {
    long user = request.pathId("id");
    if (users.find(user).isEmpty()) {
      throw Problem.notFound("user");
    }
    PageRequest pageRequest = request.page();
    long below =
        pageRequest.cursor().map(cursor -> Cursor.parseLongs(cursor, 1)[0]).orElse(Long.MAX_VALUE);
    List<ApiTokenStore.ApiToken> found = tokens.list(user, below, pageRequest.limit() + 1);
    return Response.ok(Page.of(found, pageRequest, token -> Cursor.of(token.id())));
  }

  private Endpoint revokeToken() {
    return Endpoint.delete("/admin/tokens/{id}")
        .id("revokeToken")
        .tag("users")
        .summary("Revoke an API token. Idempotent.")
        .roles(CallerRole.ADMIN)
        .operators(OperatorRole.ADMIN)
        .answers(204)
        .handle(
            request -> {
              var _ = request.action().target("token", request.pathId("id"));
              tokens.revoke(request.pathId("id"));
              return Response.noContent();
            });
  }

  private static Optional<Set<ApiScope>> scopes(JsonNode body) {
    if (!body.hasNonNull("scopes")) {
      return Optional.empty();
    }
    Set<ApiScope> scopes = EnumSet.noneOf(ApiScope.class);
    body.get("scopes").forEach(name -> ApiScope.of(name.asString()).ifPresent(scopes::add));
    if (scopes.isEmpty()) {
      throw Problem.badRequest("scopes", "must name at least one");
    }
    // The role would take away what the other scopes permit.
    if (scopes.size() > 1
        && (scopes.contains(ApiScope.VIEWER) || scopes.contains(ApiScope.OPERATOR))) {
      throw Problem.badRequest("scopes", "must name viewer or operator alone");
    }
    return Optional.of(scopes);
  }

  private static Schema profile(Schema start) {
    return start
        .optional("name", Schema.text(1, 200))
        .optional("image_url", Schema.url())
        .optional("max_concurrent_bots", BOTS)
        .optional("data", Schema.anyObject());
  }

  private static User.NewUser draft(JsonNode body) {
    return new User.NewUser(
        body.get("email").asString(),
        text(body, "name"),
        text(body, "image_url"),
        body.has("max_concurrent_bots")
            ? number(body.get("max_concurrent_bots"))
            : Optional.of(DEFAULT_BOTS),
        data(body).orElseGet(JsonNodeFactory.instance::objectNode));
  }

  private User changed(User user, JsonNode changes) {
    boolean relinked = changes.has("oidc_subject");
    Optional<String> subject = relinked ? text(changes, "oidc_subject") : user.oidcSubject();
    if (relinked && subject.isPresent() && issuer.isEmpty()) {
      throw Problem.badRequest("oidc_subject", "needs CONVOKE_OIDC_ISSUER");
    }
    return new User(
        user.id(),
        text(changes, "email").or(user::email),
        changes.has("name") ? text(changes, "name") : user.name(),
        changes.has("image_url") ? text(changes, "image_url") : user.imageUrl(),
        changes.has("max_concurrent_bots")
            ? number(changes.get("max_concurrent_bots"))
            : user.maxConcurrentBots(),
        data(changes).orElse(user.data()),
        user.createdAt(),
        relinked ? issuer.filter(_ -> subject.isPresent()) : user.oidcIssuer(),
        subject,
        changes.hasNonNull("disabled") ? changes.get("disabled").asBoolean() : user.disabled());
  }

  private static Optional<String> text(JsonNode body, String member) {
    return body.hasNonNull(member) ? Optional.of(body.get(member).asString()) : Optional.empty();
  }

  private static Optional<Integer> number(JsonNode value) {
    return value.isNull() ? Optional.empty() : Optional.of(value.asInt());
  }

  private static Optional<ObjectNode> data(JsonNode body) {
    return body.hasNonNull("data") ? Optional.of((ObjectNode) body.get("data")) : Optional.empty();
  }
}
