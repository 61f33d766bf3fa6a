package io.convoke.server.http;

import io.convoke.server.http.Credential.Kind;
import io.convoke.server.http.Sessions.Session;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** The browser's endpoints for signing in and out. */
final class SessionEndpoints {
  /** Longer ones would make a cookie that browsers refuse: they take 4096 bytes. */
  private static final int MAX_SECRET = 2900;

  private static final Schema SECRET = Schema.printable(1, MAX_SECRET);
  private static final Schema MARK =
      Schema.oneOf("1").describe("Marks a request of the console; other sites cannot set it.");
  private static final Schema WHO =
      Schema.object()
          .required("role", Schema.oneOf("user", "admin"))
          .required("user_id", Schema.id().nullable())
          .required(
              "expires_at",
              Schema.instant().nullable().describe("Null for callers that came by a header."))
          .named("SignedIn");

  /** A signed-in session. */
  record SignedIn(Role role, Optional<Long> userId, Optional<Instant> expiresAt) {}

  private final Authenticator authenticator;
  private final Sessions sessions;
  private final CredentialFailures failures;

  SessionEndpoints(Authenticator authenticator, Sessions sessions, CredentialFailures failures) {
    this.authenticator = authenticator;
    this.sessions = sessions;
    this.failures = failures;
  }

  List<Endpoint> endpoints() {
    return List.of(begin(), show(), end());
  }

  private Endpoint begin() {
    return Endpoint.post("/session")
        .id("signIn")
        .tag("session")
        .summary("Sign in: exchange one credential for a cookie.")
        .description(
            "The body names exactly one. The cookie is __Host-convoke over https, convoke over"
                + " plain http; it lasts twelve hours, or as long as the JWT.")
        .roles(Role.PUBLIC)
        .header(Provenance.MARK, MARK)
        .body(
            Schema.object()
                .optional(Kind.API_KEY.member(), SECRET)
                .optional(Kind.ADMIN_KEY.member(), SECRET)
                .optional(Kind.JWT.member(), SECRET))
        .answers(200, WHO)
        .problems(401, 403, 429)
        .handle(this::begin);
  }

  private Answer begin(Request request) {
    Provenance from = new Provenance(request::header);
    from.admitWriting();
    Credential credential = credential(request.json());
    Caller caller =
        failures.check(
            request.peer(),
            CredentialFailures.Kind.ofSignIn(credential.kind()),
            credential.secret(),
            () -> authenticator.authenticate(credential));
    Session session = sessions.begin(credential);
    String given = from.cookie().holding(sessions.seal(session), sessions.left(session));
    return Answer.ok(who(caller, Optional.of(session.end()))).header("Set-Cookie", given);
  }

  private Endpoint show() {
    return Endpoint.get("/session")
        .id("whoAmI")
        .tag("session")
        .summary("Who asks.")
        .roles(Role.USER)
        .answers(200, WHO)
        .handle(request -> Answer.ok(who(request.caller(), request.sessionEnd())));
  }

  private static Endpoint end() {
    return Endpoint.delete("/session")
        .id("signOut")
        .tag("session")
        .summary("Sign out: take the cookie back, whatever it holds.")
        .roles(Role.PUBLIC)
        .header(Provenance.MARK, MARK)
        .answers(204)
        .problems(403)
        .handle(SessionEndpoints::end);
  }

  private static Answer end(Request request) {
    Provenance from = new Provenance(request::header);
    from.admitWriting();
    return Answer.noContent().header("Set-Cookie", from.cookie().cleared());
  }

  private static Credential credential(JsonNode body) {
    List<Kind> named =
        Arrays.stream(Kind.values()).filter(kind -> body.hasNonNull(kind.member())).toList();
    if (named.size() != 1) {
      throw Problem.badRequest("body", "must name exactly one of api_key, admin_key and jwt");
    }
    Kind kind = named.getFirst();
    return new Credential(kind, body.path(kind.member()).asString());
  }

  private static SignedIn who(Caller caller, Optional<Instant> end) {
    Optional<Long> userId =
        caller instanceof Caller.User user ? Optional.of(user.userId()) : Optional.empty();
    return new SignedIn(caller.role(), userId, end);
  }
}
