package io.convoke.server.crmaccounts;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.convoke.engine.crypto.SecretBox;
import io.convoke.server.crmaccounts.CrmConnectionStore.CrmConnection;
import io.convoke.server.crmaccounts.HubSpotTokenClient.TokenReply;
import io.convoke.server.http.ApiScope;
import io.convoke.server.http.CallerRole;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.Problem;
import io.convoke.server.http.ProblemPage;
import io.convoke.server.http.Request;
import io.convoke.server.http.Response;
import io.convoke.server.http.Schema;
import io.convoke.server.http.auth.BrowserSessions;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code /crm/connection}: a user connects the own HubSpot account. The authorization code flow
 * with PKCE and a state; it begins and ends in one browser.
 */
final class CrmConnectionEndpoints {
  private static final Logger log = LoggerFactory.getLogger(CrmConnectionEndpoints.class);
  private static final String CALLBACK = "/crm/connection/callback";
  private static final String CONSOLE = "/";
  private static final Schema USER = Schema.id().describe("For admins: whose it is.");
  private static final int CODE_MAX = 4096;
  private static final int AT_ONCE = 16;
  private static final Pattern HOST = Pattern.compile("[A-Za-z0-9._:\\[\\]-]{1,255}");

  private final Optional<HubSpotTokenClient> client;
  private final CrmConnectionStore store;
  private final SecretBox box;
  private final InstantSource clock;
  private final Semaphore permits = new Semaphore(AT_ONCE);

  CrmConnectionEndpoints(
      Optional<HubSpotTokenClient> client,
      CrmConnectionStore store,
      SecretBox box,
      InstantSource clock) {
    this.client = client;
    this.store = store;
    this.box = box;
    this.clock = clock;
  }

  /**
   * The connection as the API shows it; {@code failure} says why a connected account gets no notes.
   */
  record CrmConnectionState(
      boolean available,
      boolean connected,
      @JsonInclude(JsonInclude.Include.NON_ABSENT) Optional<String> accountId,
      @JsonInclude(JsonInclude.Include.NON_ABSENT) Optional<String> scopes,
      @JsonInclude(JsonInclude.Include.NON_ABSENT) Optional<Instant> connectedAt,
      @JsonInclude(JsonInclude.Include.NON_ABSENT) Optional<String> failure) {}

  List<Endpoint> endpoints() {
    return List.of(
        Endpoint.get("/crm/connection")
            .id("crmConnection")
            .tag("sync")
            .summary("The HubSpot account that the user connected.")
            .roles(CallerRole.USER)
            .scope(ApiScope.MEETINGS)
            .query("user_id", USER)
            .answers(
                200,
                Schema.object()
                    .required(
                        "available",
                        Schema.bool().describe("false: this server has no app at HubSpot."))
                    .required("connected", Schema.bool())
                    .optional("account_id", Schema.text())
                    .optional("scopes", Schema.text())
                    .optional("connected_at", Schema.instant())
                    .optional(
                        "failure",
                        Schema.text().describe("Why notes do not reach it: connect it again."))
                    .named("CrmConnection"))
            .handle(this::state),
        Endpoint.post("/crm/connection")
            .id("connectCrm")
            .tag("sync")
            .summary("Begin to connect a HubSpot account.")
            .description(
                "For browsers: the answer sets a cookie, which must come back with HubSpot's"
                    + " redirect. Go to authorize_url.")
            .roles(CallerRole.USER)
            .scope(ApiScope.MEETINGS)
            .query("user_id", USER)
            .answers(200, Schema.object().required("authorize_url", Schema.text()))
            .problems(409)
            .handle(this::begin),
        Endpoint.get(CALLBACK)
            .id("crmConnected")
            .tag("sync")
            .summary("Come back from HubSpot: a code for tokens.")
            .roles(CallerRole.PUBLIC)
            .query("code", Schema.printable(1, CODE_MAX).describe("HubSpot's code for tokens."))
            .query(
                "state",
                Schema.printable(1, 255).describe("What the server sent with the browser."))
            .query("error", Schema.printable(1, 255).describe("Why there is no code."))
            .query("error_description", Schema.printable(0, 1024).describe("The error in words."))
            .answers(303)
            .problems(401, 409, 429)
            .handle(ProblemPage.around("HubSpot is not connected", this::finish)),
        Endpoint.delete("/crm/connection")
            .id("disconnectCrm")
            .tag("sync")
            .summary("Forget the tokens of the connected account.")
            .description(
                "The app stays in HubSpot's list of the account until it is removed there.")
            .roles(CallerRole.USER)
            .scope(ApiScope.MEETINGS)
            .query("user_id", USER)
            .answers(204)
            .problems(404)
            .handle(this::disconnect));
  }

  private Response state(Request request) {
    Optional<CrmConnection> found = store.find(request.actingUser());
    return noStore(
        Response.ok(
            new CrmConnectionState(
                client.isPresent(),
                found.isPresent(),
                found.map(CrmConnection::account),
                found.map(CrmConnection::scopes),
                found.map(CrmConnection::connectedAt),
                found.flatMap(CrmConnection::failure))));
  }

  private Response begin(Request request) {
    CrmConnectFlow flow =
        CrmConnectFlow.begin(request.actingUser(), redirectUri(request), clock.instant());
    return noStore(Response.ok(Map.of("authorize_url", authorizeUrl(client().app(), flow))))
        .cookie(flow.cookie(request, box));
  }

  private static String authorizeUrl(HubSpotAppConfig app, CrmConnectFlow flow) {
    Map<String, String> query = new LinkedHashMap<>();
    query.put("client_id", app.clientId());
    query.put("redirect_uri", flow.redirectUri());
    query.put("scope", app.scopes());
    query.put("state", flow.state());
    query.put("code_challenge", flow.codeChallenge());
    query.put("code_challenge_method", "S256");
    URI base = app.authorizeUrl();
    return base + (base.getRawQuery() == null ? "?" : "&") + HubSpotTokenClient.encoded(query);
  }

  private Response finish(Request request) throws InterruptedException {
    CrmConnectFlow flow =
        CrmConnectFlow.answered(request, box, request.query("state").orElse(""), clock.instant())
            .orElseThrow(
                () -> refused("This connection is over, or began elsewhere. Begin again."));
    if (request.query("error").isPresent()) {
      throw refused("HubSpot gave no access: " + request.query("error").get() + ".");
    }
    String code =
        request.query("code").orElseThrow(() -> Problem.badRequest("code", "is required"));
    switch (exchange(code, flow)) {
      case TokenReply.TokensRefused _ ->
          throw refused("HubSpot does not accept its own code. Begin again.");
      case TokenReply.TokensGranted granted -> {
        store.connect(flow.userId(), granted, granted.tokens().seal(box));
        log.info("User {} connected HubSpot's account {}", flow.userId(), granted.account());
      }
    }
    return noStore(Response.seeOther(CONSOLE)).cookie(CrmConnectFlow.cleared(request));
  }

  private TokenReply exchange(String code, CrmConnectFlow flow) throws InterruptedException {
    if (!permits.tryAcquire()) {
      throw Problem.tooMany(
          "too_many_connections", "Too many people connect at once.", Duration.ofSeconds(1));
    }
    try {
      return client().exchange(code, flow);
    } catch (IOException e) {
      log.warn("HubSpot's code could not be exchanged: {}", e.getMessage());
      throw Problem.unavailable("HubSpot");
    } finally {
      permits.release();
    }
  }

  private Response disconnect(Request request) {
    long user = request.actingUser();
    var _ = request.action().target("crm_connection", user);
    store.disconnect(user);
    return Response.noContent();
  }

  private HubSpotTokenClient client() {
    return client.orElseThrow(
        () ->
            Problem.conflict(
                "no_crm_app",
                "This server has no app at HubSpot (CONVOKE_HUBSPOT_CLIENT_ID).",
                Map.of()));
  }

  /** As the browser sees this server; HubSpot refuses an address that was not registered. */
  private static String redirectUri(Request request) {
    String host =
        request
            .header("Host")
            .filter(it -> HOST.matcher(it).matches())
            .orElseThrow(() -> Problem.badRequest("Host", "is not an address"));
    return (BrowserSessions.https(request) ? "https://" : "http://") + host + CALLBACK;
  }

  private static Problem refused(String detail) {
    return Problem.of(401, "connection_refused", detail);
  }

  private static Response noStore(Response response) {
    return response.header("Cache-Control", "no-store");
  }
}
