package io.convoke.server.users;

import io.convoke.server.http.CallerRole;
import io.convoke.server.http.Cursor;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.Page;
import io.convoke.server.http.PageRequest;
import io.convoke.server.http.Problem;
import io.convoke.server.http.Request;
import io.convoke.server.http.Response;
import io.convoke.server.http.Schema;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** The operator's endpoints for users and their tokens. */
final class UsersEndpoints {
  private static final int DEFAULT_BOTS = 1;
  private static final Schema USER = Schema.of(User.class);
  private static final Schema EMAIL = Schema.pattern("^[^@\\s]{1,64}@[^@\\s]{1,255}$");
  private static final Schema BOTS =
      Schema.integer(0, 1_000_000).describe("Absent: 1; null: unlimited; 0: none.");

  private final UserStore users;
  private final ApiTokenService tokens;

  UsersEndpoints(UserStore users, ApiTokenService tokens) {
    this.users = users;
    this.tokens = tokens;
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
        .body(profile(Schema.object().required("email", EMAIL)))
        .creates()
        .answers(201, USER)
        .answers(200, USER)
        .handle(this::create);
  }

  private Response create(Request request) {
    UserStore.EnsuredUser ensuredUser = users.ensure(draft(request.json()));
    return Response.status(ensuredUser.created() ? 201 : 200, ensuredUser.user());
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
        .body(profile(Schema.object().optional("email", EMAIL)))
        .answers(200, USER)
        .problems(409)
        .handle(this::change);
  }

  private Response change(Request request) {
    JsonNode changes = request.json();
    try {
      return users
          .change(request.pathId("id"), user -> changed(user, changes))
          .map(Response::ok)
          .orElseThrow(() -> Problem.notFound("user"));
    } catch (io.convoke.engine.sql.SqlFailure e) {
      if (e.is(io.convoke.engine.sql.SqlFailure.UNIQUE_VIOLATION)) {
        throw Problem.of(409, "email_taken", "Another user has this email.");
      }
      throw e;
    }
  }

  private Endpoint issueToken() {
    return Endpoint.post("/admin/users/{id}/tokens")
        .id("issueToken")
        .tag("users")
        .summary("Create an API token for a user; it is shown once.")
        .roles(CallerRole.ADMIN)
        .optionalBody(Schema.object().optional("name", Schema.text(1, 200)))
        .creates()
        .answers(201, Schema.of(ApiTokenService.IssuedApiToken.class))
        .handle(this::issueToken);
  }

  private Response issueToken(Request request) {
    return tokens
        .issue(request.pathId("id"), text(request.json(), "name"))
        .map(Response::created)
        .orElseThrow(() -> Problem.notFound("user"));
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
        .answers(204)
        .handle(
            request -> {
              if (!tokens.revoke(request.pathId("id"))) {
                throw Problem.notFound("token");
              }
              return Response.noContent();
            });
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

  private static User changed(User user, JsonNode changes) {
    return new User(
        user.id(),
        text(changes, "email").or(user::email),
        changes.has("name") ? text(changes, "name") : user.name(),
        changes.has("image_url") ? text(changes, "image_url") : user.imageUrl(),
        changes.has("max_concurrent_bots")
            ? number(changes.get("max_concurrent_bots"))
            : user.maxConcurrentBots(),
        data(changes).orElse(user.data()),
        user.createdAt());
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
