package io.convoke.fakes.crm;

import io.convoke.fakes.orchestrator.FakeApiError;
import io.convoke.fakes.orchestrator.FakeReply;
import io.convoke.fakes.orchestrator.FakeRequest;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * HubSpot's OAuth of one app: {@code /oauth/authorize}, where everybody consents at once, and
 * {@code POST /oauth/v3/token}. Each refresh replaces both tokens, and a refresh token that was
 * used before ends the grant, as OAuth 2.1 asks of servers that rotate.
 */
public final class HubSpotOAuth {
  private static final Duration ACCESS_LIFE = Duration.ofMinutes(30);
  private static final Set<String> AUTHORIZE =
      Set.of(
          "client_id",
          "redirect_uri",
          "scope",
          "optional_scope",
          "state",
          "code_challenge",
          "code_challenge_method");

  private final String clientId;
  private final String clientSecret;
  private final Map<String, Grant> codes = new HashMap<>();
  private final Map<String, Grant> refreshTokens = new HashMap<>();
  private final Map<String, Access> accessTokens = new HashMap<>();
  private final Set<String> used = new HashSet<>();
  private final Set<String> uninstalled = new HashSet<>();
  private Duration accessLife = ACCESS_LIFE;
  private String account = "1001";
  private int made;
  private int refreshes;

  private record Grant(
      String account, String redirectUri, String scope, Optional<String> challenge) {}

  private record Access(String account, Instant end) {}

  HubSpotOAuth(String clientId, String clientSecret) {
    this.clientId = clientId;
    this.clientSecret = clientSecret;
  }

  /** Whose account the next person who consents has. */
  public synchronized void signedInAs(String accountId) {
    account = accountId;
  }

  /** How long access tokens live from now on. */
  public synchronized void accessLife(Duration life) {
    accessLife = life;
  }

  /** The account removes the app: all its tokens end. */
  public synchronized void uninstall(String accountId) {
    boolean _ = uninstalled.add(accountId);
  }

  /** How many pairs of tokens were given for refresh tokens. */
  public synchronized int refreshes() {
    return refreshes;
  }

  /** The account that an access token opens. */
  synchronized Optional<String> accountOf(String token) {
    return Optional.ofNullable(accessTokens.get(token))
        .filter(it -> it.end().isAfter(Instant.now()) && !uninstalled.contains(it.account()))
        .map(Access::account);
  }

  FakeReply serve(FakeRequest request) {
    return switch (request.method() + " /" + String.join("/", request.path())) {
      case "GET /oauth/authorize" -> authorize(request);
      case "POST /oauth/v3/token" -> token(request);
      default -> throw new FakeApiError(404, "no route");
    };
  }

  private synchronized FakeReply authorize(FakeRequest request) {
    FakeRequest known = request.allowing(AUTHORIZE.toArray(String[]::new));
    if (!known.parameter("client_id").equals(Optional.of(clientId))) {
      throw new FakeApiError(400, "the app does not exist");
    }
    String redirectUri =
        known.parameter("redirect_uri").orElseThrow(() -> new FakeApiError(400, "redirect_uri"));
    String scope = known.parameter("scope").orElseThrow(() -> new FakeApiError(400, "scope"));
    Optional<String> challenge = known.parameter("code_challenge");
    if (challenge.isPresent()
        && !known.parameter("code_challenge_method").equals(Optional.of("S256"))) {
      throw new FakeApiError(400, "code_challenge_method");
    }
    boolean _ = uninstalled.remove(account);
    String code = "code-" + ++made;
    codes.put(code, new Grant(account, redirectUri, scope, challenge));
    String state =
        known
            .parameter("state")
            .map(text -> "&state=" + URLEncoder.encode(text, StandardCharsets.UTF_8))
            .orElse("");
    return new FakeReply.JsonReply(
        302, Map.of("Location", redirectUri + "?code=" + code + state), Map.of());
  }

  private synchronized FakeReply token(FakeRequest request) {
    if (!request.query().isEmpty()) {
      throw new FakeApiError(400, "parameters belong into the body");
    }
    if (!request
        .header()
        .getOrDefault("content-type", "")
        .startsWith("application/x-www-form-urlencoded")) {
      throw new FakeApiError(415, "the body must be a form");
    }
    Map<String, String> form = form(request.text());
    if (!clientId.equals(form.get("client_id"))
        || !clientSecret.equals(form.get("client_secret"))) {
      throw new FakeApiError(400, "BAD_CLIENT_SECRET", "missing or invalid client secret");
    }
    return switch (form.getOrDefault("grant_type", "")) {
      case "authorization_code" -> tokens(redeem(form));
      case "refresh_token" -> {
        Grant grant = refresh(form.getOrDefault("refresh_token", ""));
        refreshes++;
        yield tokens(grant);
      }
      default -> throw new FakeApiError(400, "missing or unknown grant_type");
    };
  }

  /** A code is for one use, and for the address that it was sent to. */
  private Grant redeem(Map<String, String> form) {
    Grant grant = codes.remove(form.getOrDefault("code", ""));
    if (grant == null || !grant.redirectUri().equals(form.get("redirect_uri"))) {
      throw FakeApiError.blameless(400, "BAD_AUTH_CODE", "missing or unknown auth code");
    }
    if (grant.challenge().isPresent()
        && !grant.challenge().get().equals(challenge(form.getOrDefault("code_verifier", "")))) {
      throw new FakeApiError(400, "BAD_CODE_VERIFIER", "the code verifier does not fit");
    }
    return grant;
  }

  private Grant refresh(String token) {
    Grant grant = refreshTokens.remove(token);
    if (used.contains(token)) {
      refreshTokens.clear();
      throw new FakeApiError(400, "BAD_REFRESH_TOKEN", "the refresh token was used before");
    }
    if (grant == null || uninstalled.contains(grant.account())) {
      throw FakeApiError.blameless(400, "BAD_REFRESH_TOKEN", "missing or invalid refresh token");
    }
    boolean _ = used.add(token);
    return grant;
  }

  private FakeReply tokens(Grant grant) {
    String access = "access-" + ++made;
    String refresh = "refresh-" + ++made;
    accessTokens.put(access, new Access(grant.account(), Instant.now().plus(accessLife)));
    refreshTokens.put(refresh, grant);
    return FakeReply.JsonReply.of(
        Map.of(
            "token_use",
            "access_token",
            "token_type",
            "bearer",
            "access_token",
            access,
            "refresh_token",
            refresh,
            "expires_in",
            accessLife.toSeconds(),
            "hub_id",
            Long.parseLong(grant.account()),
            "user_id",
            7,
            "scopes",
            List.of(grant.scope().split(" ", -1))));
  }

  private static Map<String, String> form(String text) {
    Map<String, String> form = new HashMap<>();
    Arrays.stream(text.split("&", -1))
        .map(pair -> pair.split("=", 2))
        .filter(pair -> pair.length == 2)
        .forEach(pair -> form.put(pair[0], URLDecoder.decode(pair[1], StandardCharsets.UTF_8)));
    return form;
  }

  private static String challenge(String verifier) {
    try {
      return Base64.getUrlEncoder()
          .withoutPadding()
          .encodeToString(
              MessageDigest.getInstance("SHA-256")
                  .digest(verifier.getBytes(StandardCharsets.US_ASCII)));
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("every JDK has SHA-256", impossible);
    }
  }
}
