package io.convoke.simulator.daily;

import io.convoke.simulator.http.JsonObjectBuilder;
import io.convoke.simulator.http.RequestFilter;
import io.convoke.simulator.http.SimHttpServer;
import io.convoke.simulator.http.SimJson;
import io.convoke.simulator.http.SimRequest;
import io.convoke.simulator.http.SimResponse;
import io.convoke.simulator.webhook.WebhookEndpoint;
import io.convoke.simulator.webhook.WebhookEndpointRequest;
import io.convoke.simulator.webhook.WebhookRegistrationResult;
import io.convoke.simulator.webhook.WebhookRegistry;
import io.convoke.simulator.webhook.WebhookRetryType;
import io.convoke.simulator.webhook.WebhookSignature;
import java.net.URI;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;

/** Registering webhooks over REST: one per domain, tested when made or changed. */
public final class WebhooksApi {

  private static final String DOMAIN_ID = "c0ffee00-5eed-4000-8000-000000000001";

  private final WebhookRegistry webhookRegistry;

  WebhooksApi(WebhookRegistry webhookRegistry) {
    this.webhookRegistry = webhookRegistry;
  }

  void register(SimHttpServer simHttpServer, RequestFilter guard) {
    simHttpServer.route(
        "GET /v1/webhooks",
        guard,
        simRequest ->
            SimResponse.ok(webhookRegistry.current().map(WebhooksApi::wire).stream().toList()));
    simHttpServer.route(
        "POST /v1/webhooks", guard, simRequest -> parsed(simRequest, webhookRegistry::register));
    simHttpServer.route("GET /v1/webhooks/{uuid}", guard, this::get);
    simHttpServer.route(
        "POST /v1/webhooks/{uuid}",
        guard,
        simRequest ->
            parsed(simRequest, wanted -> webhookRegistry.update(simRequest.path("uuid"), wanted)));
    simHttpServer.route("DELETE /v1/webhooks/{uuid}", guard, this::delete);
  }

  private SimResponse get(SimRequest simRequest) {
    return webhookRegistry
        .find(simRequest.path("uuid"))
        .map(webhookEndpoint -> SimResponse.ok(wire(webhookEndpoint)))
        .orElseGet(WebhooksApi::none);
  }

  private SimResponse delete(SimRequest simRequest) {
    return webhookRegistry.delete(simRequest.path("uuid")) ? SimResponse.ok(Map.of()) : none();
  }

  private static SimResponse parsed(
      SimRequest simRequest, Function<WebhookEndpointRequest, WebhookRegistrationResult> action) {
    Optional<JsonNode> body = simRequest.json();
    if (body.isEmpty()) {
      return DailyError.JSON_PARSING.answer("the body is not a JSON object");
    }
    Optional<String> fault = fault(body.get());
    if (fault.isPresent()) {
      return DailyError.INVALID_REQUEST.answer(fault.get());
    }
    return switch (action.apply(request(body.get()))) {
      case WebhookRegistrationResult.RegistrationAccepted(WebhookEndpoint webhookEndpoint) ->
          SimResponse.ok(wire(webhookEndpoint));
      case WebhookRegistrationResult.RegistrationConflict() ->
          DailyError.INVALID_REQUEST.answer("the domain has a webhook already");
      case WebhookRegistrationResult.RegistrationNotFound() -> none();
      case WebhookRegistrationResult.RegistrationRefused(String info) ->
          DailyError.INVALID_REQUEST.answer(info);
    };
  }

  private static WebhookEndpointRequest request(JsonNode body) {
    return new WebhookEndpointRequest(
        SimJson.string(body, "url").map(URI::create),
        SimJson.string(body, "hmac"),
        SimJson.string(body, "basicAuth"),
        SimJson.string(body, "retryType").flatMap(WebhookRetryType::named),
        Optional.of(body.path("eventTypes")).filter(JsonNode::isArray).map(WebhooksApi::types));
  }

  private static Set<String> types(JsonNode array) {
    Set<String> types = new LinkedHashSet<>();
    array.forEach(type -> types.add(type.stringValue()));
    return types;
  }

  private static Optional<String> fault(JsonNode body) {
    if (body.has("url")
        && SimJson.string(body, "url")
            .filter(url -> url.matches("https?://[^\\s/]+(/\\S*)?"))
            .isEmpty()) {
      return Optional.of("url must be an http or https address");
    }
    if (body.hasNonNull("hmac")
        && SimJson.string(body, "hmac").filter(WebhookSignature::usable).isEmpty()) {
      return Optional.of("hmac must be base64");
    }
    if (body.has("retryType")
        && SimJson.string(body, "retryType").flatMap(WebhookRetryType::named).isEmpty()) {
      return Optional.of("retryType must be circuit-breaker or exponential");
    }
    JsonNode types = body.path("eventTypes");
    if (body.has("eventTypes")
        && !(types.isArray() && types.valueStream().allMatch(JsonNode::isString))) {
      return Optional.of("eventTypes must be an array of strings");
    }
    return Optional.empty();
  }

  private static SimResponse none() {
    return DailyError.NOT_FOUND.answer("no such webhook");
  }

  /** A webhook as the API shows it. */
  static Map<String, Object> wire(WebhookEndpoint webhookEndpoint) {
    return JsonObjectBuilder.of("uuid", webhookEndpoint.uuid())
        .put("url", webhookEndpoint.url().toString())
        .put("hmac", webhookEndpoint.hmac())
        .put("basicAuth", webhookEndpoint.basicAuth())
        .put("retryType", webhookEndpoint.retryType().wireName())
        .put("eventTypes", webhookEndpoint.eventTypes())
        .put("state", webhookEndpoint.state().name())
        .put("failedCount", webhookEndpoint.failedCount())
        .put("lastMomentPushed", webhookEndpoint.lastMomentPushed().map(SimJson::time))
        .put("domainId", DOMAIN_ID)
        .put("createdAt", SimJson.time(webhookEndpoint.createdAt()))
        .put("updatedAt", SimJson.time(webhookEndpoint.updatedAt()))
        .map();
  }
}
