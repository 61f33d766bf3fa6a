package io.convoke.server.platform.daily;

import io.convoke.server.platform.PlatformError;
import io.convoke.server.platform.PlatformError.PlatformErrorKind;
import io.convoke.server.platform.RateLimiter;
import io.convoke.server.platform.WebhookRegistration;
import java.net.URI;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/**
 * The webhook at Daily, one per account ({@code GET}, {@code POST /webhooks}, {@code POST
 * /webhooks/:uuid}). On creation and change Daily sends a test request to the address, which must
 * return 200 at once, so the endpoint must already be served.
 *
 * <p>A new webhook uses exponential retries: Daily's default, the circuit breaker, stops all events
 * after three failed deliveries in a row. An existing one keeps its retry type and its other event
 * types.
 */
public final class DailyWebhookRegistration implements WebhookRegistration {

  /** The event types to subscribe to. */
  static final List<String> TYPES =
      List.of(
          "participant.joined",
          "participant.left",
          "waiting-participant.joined",
          "waiting-participant.left",
          "meeting.started",
          "meeting.ended",
          "recording.started",
          "recording.ready-to-download",
          "recording.error");

  private static final String FAILED = "FAILED";

  private final DailyHttpClient http;
  private final URI address;
  private final String key;

  /** {@code address} is the URL that Daily calls, {@code key} the base64 signing key. */
  public DailyWebhookRegistration(
      DailyConfig terms, RateLimiter rateLimiter, URI address, String key) {
    this.http = new DailyHttpClient(terms, rateLimiter);
    this.address = address;
    this.key = key;
  }

  @Override
  public WebhookRegistrationState check() {
    return switch (http.get("/webhooks")) {
      case DailyHttpClient.DailyReply.DailyCallFailed(PlatformError platformError) ->
          new WebhookRegistrationState.RegistrationUnknown(platformError);
      case DailyHttpClient.DailyReply.DailyJsonReply(JsonNode body) -> {
        JsonNode list = body.isArray() ? body : body.path("data");
        yield list.isArray() ? ours(list) : unreadable();
      }
    };
  }

  @Override
  public WebhookRegistrationState repair(WebhookRegistrationState seen) {
    return switch (seen) {
      case WebhookRegistrationState.RegistrationMissing _ ->
          registrationState(
              http.post(
                  "/webhooks",
                  Map.of(
                      "url",
                      address.toString(),
                      "hmac",
                      key,
                      "retryType",
                      "exponential",
                      "eventTypes",
                      TYPES)));
      case WebhookRegistrationState.RegistrationDisabled(String id) -> update(id);
      case WebhookRegistrationState.RegistrationDiffers(String id) -> update(id);
      case WebhookRegistrationState.RegistrationActive _,
          WebhookRegistrationState.RegisteredElsewhere _,
          WebhookRegistrationState.RegistrationUnknown _ ->
          seen;
    };
  }

  private WebhookRegistrationState update(String id) {
    return switch (http.get("/webhooks/" + id)) {
      case DailyHttpClient.DailyReply.DailyCallFailed(PlatformError platformError) ->
          new WebhookRegistrationState.RegistrationUnknown(platformError);
      case DailyHttpClient.DailyReply.DailyJsonReply(JsonNode now) ->
          registrationState(
              http.post(
                  "/webhooks/" + id,
                  Map.of("url", address.toString(), "hmac", key, "eventTypes", wanted(now))));
    };
  }

  /** Its event types plus the wanted ones; an empty list, which means all, stays empty. */
  private static List<String> wanted(JsonNode webhook) {
    Set<String> types = types(webhook);
    if (!types.isEmpty()) {
      types.addAll(TYPES);
    }
    return List.copyOf(types);
  }

  private WebhookRegistrationState registrationState(DailyHttpClient.DailyReply dailyReply) {
    return switch (dailyReply) {
      case DailyHttpClient.DailyReply.DailyCallFailed(PlatformError platformError) ->
          new WebhookRegistrationState.RegistrationUnknown(platformError);
      case DailyHttpClient.DailyReply.DailyJsonReply(JsonNode webhook) -> ours(List.of(webhook));
    };
  }

  /** The webhook with this server's address. */
  private WebhookRegistrationState ours(Iterable<JsonNode> webhooks) {
    boolean any = false;
    for (JsonNode webhook : webhooks) {
      any = true;
      if (sameAddress(webhook)) {
        return stateOf(webhook);
      }
    }
    return any
        ? new WebhookRegistrationState.RegisteredElsewhere()
        : new WebhookRegistrationState.RegistrationMissing();
  }

  private WebhookRegistrationState stateOf(JsonNode webhook) {
    String id = DailyValueParser.text(webhook, "uuid").orElse("");
    if (id.isEmpty()) {
      return unreadable();
    }
    if (webhook.path("state").asString("").equals(FAILED)) {
      return new WebhookRegistrationState.RegistrationDisabled(id);
    }
    Set<String> types = types(webhook);
    boolean complete = types.isEmpty() || types.containsAll(TYPES);
    boolean ours = DailyValueParser.text(webhook, "hmac").map(key::equals).orElse(true);
    return complete && ours
        ? new WebhookRegistrationState.RegistrationActive()
        : new WebhookRegistrationState.RegistrationDiffers(id);
  }

  private boolean sameAddress(JsonNode webhook) {
    return DailyValueParser.text(webhook, "url")
        .filter(url -> bare(url).equals(bare(address.toString())))
        .isPresent();
  }

  private static String bare(String url) {
    return url.endsWith("/") ? url.substring(0, url.length() - 1) : url;
  }

  private static Set<String> types(JsonNode webhook) {
    Set<String> types = new LinkedHashSet<>();
    webhook.path("eventTypes").forEach(type -> types.add(type.asString("")));
    return types;
  }

  private static WebhookRegistrationState unreadable() {
    return new WebhookRegistrationState.RegistrationUnknown(
        PlatformError.of(PlatformErrorKind.MALFORMED));
  }
}
