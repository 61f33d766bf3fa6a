package io.convoke.server.http.auth;

import io.convoke.engine.json.Json;
import io.convoke.server.http.Caller;
import io.convoke.server.http.CallerRole;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.OperatorRole;
import io.convoke.server.http.Problem;
import io.convoke.server.http.Request;
import io.convoke.server.http.Response;
import io.convoke.server.http.Schema;
import io.convoke.server.http.auth.BrowserSessions.BrowserSession;
import io.convoke.server.http.auth.Credential.CredentialKind;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** The browser's endpoints for signing in and out. */
public final class SessionEndpoints {
  /** Longer ones would make a cookie that browsers refuse: they take 4096 bytes. */
  private static final int MAX_SECRET = 2900;

  private static final Schema SECRET = Schema.printable(1, MAX_SECRET);
  private static final Schema MARK =
      Schema.oneOf("1").describe("Marks a request of the console; other sites cannot set it.");
  private static final Schema WHO =
      Schema.object()
          .required("role", Schema.oneOf("user", "admin"))
          .required("operator_role", Schema.oneOf(OperatorRole.class).nullable())
          .required("user_id", Schema.id().nullable())
          .required(
              "expires_at",
              Schema.instant().nullable().describe("Null for callers that came by a header."))
          .named("SignedIn");

  /** A signed-in session. */
  record SignedInView(
      CallerRole role,
      Optional<OperatorRole> operatorRole,
      Optional<Long> userId,
      Optional<Instant> expiresAt) {}

  private final Authenticator authenticator;
  private final BrowserSessions browserSessions;
  private final CredentialFailureLimiter failures;

  public SessionEndpoints(
      Authenticator authenticator,
      BrowserSessions browserSessions,
      CredentialFailureLimiter failures) {
    this.authenticator = authenticator;
    this.browserSessions = browserSessions;
    this.failures = failures;
  }

  public List<Endpoint> endpoints() {
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
        .roles(CallerRole.PUBLIC)
        .header(CsrfCheck.MARK, MARK)
        .body(
            Schema.object()
                .optional(CredentialKind.API_KEY.member(), SECRET)
                .optional(CredentialKind.ADMIN_KEY.member(), SECRET)
                .optional(CredentialKind.JWT.member(), SECRET)
                .example(Json.read("{\"api_key\": \"cvk_3f6c9a1e7b2d4850\"}")))
        .answers(200, WHO)
        .problems(401, 403, 429)
        .handle(this::begin);
  }

  private Response begin(Request request) {
    CsrfCheck from = new CsrfCheck(request::header);
    from.admitWriting();
    Credential credential = credential(request.json());
    Caller caller =
        failures.check(
            request.peer(),
            CredentialFailureLimiter.LimitedCredentialKind.ofSignIn(credential.kind()),
            credential.secret(),
            () -> authenticator.authenticateCredential(credential));
    BrowserSession browserSession = browserSessions.begin(credential);
    String given =
        from.cookie()
            .header(browserSessions.seal(browserSession), browserSessions.left(browserSession));
    return Response.ok(who(caller, Optional.of(browserSession.end()))).header("Set-Cookie", given);
  }

  private Endpoint show() {
    return Endpoint.get("/session")
        .id("whoAmI")
        .tag("session")
        .summary("The authenticated caller.")
        .roles(CallerRole.USER)
        .anyScope()
        .answers(200, WHO)
        .handle(request -> Response.ok(who(request.caller(), request.sessionEnd())));
  }

  private static Endpoint end() {
    return Endpoint.delete("/session")
        .id("signOut")
        .tag("session")
        .summary("Sign out: clear the cookie.")
        .roles(CallerRole.PUBLIC)
        .header(CsrfCheck.MARK, MARK)
        .answers(204)
        .problems(403)
        .handle(SessionEndpoints::end);
  }

  private static Response end(Request request) {
    CsrfCheck from = new CsrfCheck(request::header);
    from.admitWriting();
    return Response.noContent().header("Set-Cookie", from.cookie().cleared());
  }

  private static Credential credential(JsonNode body) {
    List<CredentialKind> named =
        Arrays.stream(CredentialKind.values())
            .filter(credentialKind -> body.hasNonNull(credentialKind.member()))
            .toList();
    if (named.size() != 1) {
      throw Problem.badRequest("body", "must name exactly one of api_key, admin_key and jwt");
    }
    CredentialKind credentialKind = named.getFirst();
    return new Credential(credentialKind, body.path(credentialKind.member()).asString());
  }

  private static SignedInView who(Caller caller, Optional<Instant> end) {
    return new SignedInView(caller.role(), caller.operatorRole(), caller.credentialOwner(), end);
  }
}
