package io.convoke.server.oidc;

import io.convoke.engine.crypto.SecretBox;
import io.convoke.server.http.CallerRole;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.Problem;
import io.convoke.server.http.ProblemPage;
import io.convoke.server.http.Request;
import io.convoke.server.http.Response;
import io.convoke.server.http.Schema;
import io.convoke.server.http.auth.BrowserSessions;
import io.convoke.server.http.auth.SignedInPerson;
import io.convoke.server.users.FederatedIdentity;
import java.net.URI;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code /session/oidc}: sign-in to the console by the issuer. The authorization code flow with
 * PKCE, state and nonce; it ends with the session cookie that every sign-in gives.
 */
final class OidcSignInEndpoints {
  private static final Logger log = LoggerFactory.getLogger(OidcSignInEndpoints.class);
  private static final String CALLBACK = "/session/oidc/callback";
  private static final String CONSOLE = "/";
  private static final String NOT_SIGNED_IN = "You are not signed in";
  private static final int CODE_MAX = 4096;
  private static final Pattern HOST = Pattern.compile("[A-Za-z0-9._:\\[\\]-]{1,255}");

  private final OidcConfig config;
  private final OidcDiscovery discovery;
  private final OidcCodeExchange exchange;
  private final Function<FederatedIdentity, Optional<Long>> users;
  private final BrowserSessions sessions;
  private final SecretBox box;
  private final InstantSource clock;

  OidcSignInEndpoints(
      OidcConfig config,
      OidcDiscovery discovery,
      OidcCodeExchange exchange,
      Function<FederatedIdentity, Optional<Long>> users,
      BrowserSessions sessions,
      SecretBox box,
      InstantSource clock) {
    this.config = config;
    this.discovery = discovery;
    this.exchange = exchange;
    this.users = users;
    this.sessions = sessions;
    this.box = box;
    this.clock = clock;
  }

  /** Tells the sign-in page whether there is an issuer, and its name. */
  static Endpoint methods(Optional<OidcConfig> configured) {
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("oidc", configured.map(OidcConfig::name));
    return Endpoint.get("/session/methods")
        .id("signInMethods")
        .tag("session")
        .summary("How people may sign in besides keys.")
        .roles(CallerRole.PUBLIC)
        .answers(
            200,
            Schema.object()
                .required(
                    "oidc",
                    Schema.text()
                        .nullable()
                        .describe("What people call the issuer of /session/oidc.")))
        .handle(_ -> Response.ok(body));
  }

  List<Endpoint> endpoints() {
    return List.of(
        Endpoint.get("/session/oidc")
            .id("signInByOidc")
            .tag("session")
            .summary("Go to the identity provider to sign in.")
            .description("For browsers. The provider sends them back to " + CALLBACK + ".")
            .roles(CallerRole.PUBLIC)
            .answers(303)
            .handle(ProblemPage.around(NOT_SIGNED_IN, this::begin)),
        Endpoint.get(CALLBACK)
            .id("signedInByOidc")
            .tag("session")
            .summary("Come back from the identity provider: a code for a session cookie.")
            .roles(CallerRole.PUBLIC)
            .query(
                "code", Schema.printable(1, CODE_MAX).describe("The provider's code for tokens."))
            .query(
                "state",
                Schema.printable(1, 255).describe("What the server sent with the browser."))
            .query("iss", Schema.printable(1, 1024).describe("The issuer that answers (RFC 9207)."))
            .query("error", Schema.printable(1, 255).describe("Why there is no code."))
            .answers(303)
            .problems(401, 403, 429)
            .handle(ProblemPage.around(NOT_SIGNED_IN, this::finish)));
  }

  private Response begin(Request request) {
    OidcFlow flow = OidcFlow.begin(redirectUri(request), clock.instant());
    return noStore(Response.seeOther(authorizationUrl(flow)))
        .cookie(OidcFlowCookie.of(request).header(flow.seal(box)));
  }

  private String authorizationUrl(OidcFlow flow) {
    Map<String, String> query = new LinkedHashMap<>();
    query.put("response_type", "code");
    query.put("client_id", config.clientId());
    query.put("redirect_uri", flow.redirectUri());
    query.put("scope", "openid profile email");
    query.put("state", flow.state());
    query.put("nonce", flow.nonce());
    query.put("code_challenge", flow.codeChallenge());
    query.put("code_challenge_method", "S256");
    try {
      URI endpoint = discovery.metadata().authorizationEndpoint();
      return endpoint
          + (endpoint.getRawQuery() == null ? "?" : "&")
          + OidcHttpClient.encoded(query);
    } catch (OidcUnavailable _) {
      throw Problem.unavailable("The identity provider");
    }
  }

  /** As the browser sees this server; the issuer refuses an address that was not registered. */
  private static String redirectUri(Request request) {
    String host =
        request
            .header("Host")
            .filter(it -> HOST.matcher(it).matches())
            .orElseThrow(() -> Problem.badRequest("Host", "is not an address"));
    return (BrowserSessions.https(request) ? "https://" : "http://") + host + CALLBACK;
  }

  private Response finish(Request request) {
    OidcFlow flow = flow(request);
    if (request.query("iss").filter(iss -> !iss.equals(config.issuer().toString())).isPresent()) {
      throw refused("The answer came from another identity provider.");
    }
    request
        .query("error")
        .ifPresent(
            error -> {
              throw refused("The identity provider did not sign you in: " + error + ".");
            });
    String code =
        request.query("code").orElseThrow(() -> Problem.badRequest("code", "is required"));
    OidcPerson person =
        person(code, flow)
            .orElseThrow(() -> refused("The identity provider did not confirm who you are."));
    long user =
        users
            .apply(person.identity())
            .orElseThrow(
                () ->
                    Problem.of(
                        403,
                        "no_user",
                        "You have no user here, or it is disabled. Ask an administrator for one"
                            + " with your verified e-mail address, or for a role."));
    log.info(
        "User {} signed in by the identity provider from {} with the role {}",
        user,
        request.peer(),
        person.role().map(Enum::name).orElse("of users"));
    FederatedIdentity identity = person.identity();
    SignedInPerson signedIn =
        new SignedInPerson(identity.issuer(), identity.subject(), person.role());
    return noStore(Response.seeOther(CONSOLE))
        .cookie(sessions.beginPerson(request, signedIn, config.session()))
        .cookie(OidcFlowCookie.of(request).cleared());
  }

  private OidcFlow flow(Request request) {
    String state = request.query("state").orElse("");
    return OidcFlowCookie.of(request)
        .valuesIn(request)
        .flatMap(value -> OidcFlow.open(box, value, clock.instant()).stream())
        .filter(flow -> flow.isAnsweredBy(state))
        .findFirst()
        .orElseThrow(() -> refused("This sign-in is over, or began elsewhere. Begin again."));
  }

  private Optional<OidcPerson> person(String code, OidcFlow flow) {
    try {
      return exchange.personOf(code, flow);
    } catch (OidcUnavailable e) {
      log.warn("A code could not be exchanged: {}", e.getMessage());
      throw Problem.unavailable("The identity provider");
    }
  }

  private static Problem refused(String detail) {
    return Problem.of(401, "sign_in_refused", detail);
  }

  private static Response noStore(Response response) {
    return response.header("Cache-Control", "no-store");
  }
}
