package io.convoke.server.crmaccounts;

import io.convoke.agent.http.HttpClientFactory;
import io.convoke.agent.http.WholeAnswer;
import io.convoke.engine.json.Json;
import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

/** Asks HubSpot for tokens: {@code POST /oauth/v3/token}, everything in the body. */
final class HubSpotTokenClient {
  /** Longer than a slow answer takes, shorter than a node may hold the right to refresh. */
  static final Duration ANSWER_MAX = Duration.ofSeconds(15);

  private static final int ANSWER_BYTES_MAX = 64 * 1024;

  /** A grant that is over; HubSpot's own word, and OAuth's. */
  private static final Set<String> OVER =
      Set.of("BAD_REFRESH_TOKEN", "BAD_AUTH_CODE", "invalid_grant");

  private final HubSpotAppConfig app;
  private final HttpClient client = HttpClientFactory.create(ANSWER_MAX);

  HubSpotTokenClient(HubSpotAppConfig app) {
    this.app = app;
  }

  HubSpotAppConfig app() {
    return app;
  }

  /** HubSpot's answer. */
  sealed interface TokenReply {
    /** A pair of tokens; {@code scopes} are separated by spaces. */
    record TokensGranted(
        CrmTokens tokens, Duration life, String account, String accountUser, String scopes)
        implements TokenReply {}

    /** The code or the refresh token is not valid, or not any more. */
    record TokensRefused() implements TokenReply {}
  }

  /**
   * Exchanges a code.
   *
   * @throws IOException if HubSpot does not say whether the code is valid
   */
  TokenReply exchange(String code, CrmConnectFlow flow) throws IOException, InterruptedException {
    Map<String, String> form = form("authorization_code");
    form.put("code", code);
    form.put("redirect_uri", flow.redirectUri());
    form.put("code_verifier", flow.codeVerifier());
    return post(form);
  }

  /** Exchanges a refresh token, which is then used up; throws as {@link #exchange}. */
  TokenReply refresh(String refreshToken) throws IOException, InterruptedException {
    Map<String, String> form = form("refresh_token");
    form.put("refresh_token", refreshToken);
    return post(form);
  }

  private Map<String, String> form(String grant) {
    Map<String, String> form = new LinkedHashMap<>();
    form.put("grant_type", grant);
    form.put("client_id", app.clientId());
    form.put("client_secret", app.clientSecret());
    return form;
  }

  private TokenReply post(Map<String, String> form) throws IOException, InterruptedException {
    HttpResponse<String> response =
        WholeAnswer.of(
            client,
            HttpRequest.newBuilder(app.tokenUrl())
                .timeout(ANSWER_MAX)
                .header("Accept", "application/json")
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofString(encoded(form)))
                .build(),
            HttpResponse.BodyHandlers.limiting(
                HttpResponse.BodyHandlers.ofString(), ANSWER_BYTES_MAX),
            ANSWER_MAX);
    JsonNode body = json(response.body());
    if (response.statusCode() == 200) {
      return granted(body);
    }
    String word = body.path("status").asString(body.path("error").asString(""));
    if (response.statusCode() == 400 && OVER.contains(word)) {
      return new TokenReply.TokensRefused();
    }
    throw new IOException("HubSpot's token endpoint answers " + response.statusCode() + " " + word);
  }

  private static TokenReply granted(JsonNode body) throws IOException {
    String access = body.path("access_token").asString("");
    String refresh = body.path("refresh_token").asString("");
    if (access.isEmpty() || refresh.isEmpty()) {
      throw new IOException("HubSpot's token endpoint answers without tokens");
    }
    return new TokenReply.TokensGranted(
        new CrmTokens(access, refresh),
        Duration.ofSeconds(Math.max(0, body.path("expires_in").asLong(0))),
        body.path("hub_id").asString(""),
        body.path("user_id").asString(""),
        body.path("scopes")
            .valueStream()
            .map(scope -> scope.asString(""))
            .collect(Collectors.joining(" ")));
  }

  private static JsonNode json(String text) {
    try {
      return Json.read(text);
    } catch (JacksonException notJson) {
      return MissingNode.getInstance();
    }
  }

  /** As in a query or a form. */
  static String encoded(Map<String, String> values) {
    return values.entrySet().stream()
        .map(entry -> encoded(entry.getKey()) + "=" + encoded(entry.getValue()))
        .collect(Collectors.joining("&"));
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }
}
