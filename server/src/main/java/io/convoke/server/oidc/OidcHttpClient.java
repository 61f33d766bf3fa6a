package io.convoke.server.oidc;

import io.convoke.agent.http.HttpClientFactory;
import io.convoke.agent.http.WholeAnswer;
import io.convoke.engine.json.Json;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import tools.jackson.core.JacksonException;

/** Requests to the issuer, bounded in time and size. */
final class OidcHttpClient {
  private static final Duration TIMEOUT = Duration.ofSeconds(3);
  private static final long BODY_BYTES_MAX = 256 * 1024;
  private static final Pattern ERROR = Pattern.compile("[\\w.-]{1,64}");

  private final HttpClient client = HttpClientFactory.create(TIMEOUT);

  /**
   * The text at an address.
   *
   * @throws OidcUnavailable if there is none
   */
  String get(URI address) {
    HttpResponse<String> response =
        send(HttpRequest.newBuilder(address).header("Accept", "application/json"));
    if (response.statusCode() != 200) {
      throw new OidcUnavailable(address + " answers " + response.statusCode());
    }
    return response.body();
  }

  /**
   * The answer of the token endpoint; empty if it refuses the grant, such as a code that was used,
   * so that the person may begin again. Other refusals are of us, for the operator to mend: an
   * unknown client, a wrong secret, too many requests.
   *
   * @throws OidcUnavailable if there is no answer, or it refuses us
   */
  Optional<String> post(
      URI address, Map<String, String> form, String clientId, Optional<String> clientSecret) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(address)
            .header("Accept", "application/json")
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(BodyPublishers.ofString(encoded(form)));
    clientSecret.ifPresent(secret -> request.header("Authorization", basic(clientId, secret)));
    HttpResponse<String> response = send(request);
    if (response.statusCode() == 200) {
      return Optional.of(response.body());
    }
    String error = error(response.body());
    if (error.equals("invalid_grant")) {
      return Optional.empty();
    }
    throw new OidcUnavailable(address + " answers " + response.statusCode() + " " + error);
  }

  /** The code of an error (RFC 6749, 5.2), if it looks like one: it is logged. */
  private static String error(String body) {
    try {
      String error = Json.read(body).path("error").asString("");
      return ERROR.matcher(error).matches() ? error : "without a known error";
    } catch (JacksonException _) {
      return "without a known error";
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

  private static String basic(String clientId, String secret) {
    String pair = encoded(clientId) + ":" + encoded(secret);
    return "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
  }

  private HttpResponse<String> send(HttpRequest.Builder request) {
    HttpRequest ready = request.timeout(TIMEOUT).build();
    try {
      return WholeAnswer.of(
          client, ready, BodyHandlers.limiting(BodyHandlers.ofString(), BODY_BYTES_MAX), TIMEOUT);
    } catch (IOException e) {
      throw new OidcUnavailable(ready.uri() + " does not answer: " + e, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new OidcUnavailable("interrupted", e);
    }
  }
}
