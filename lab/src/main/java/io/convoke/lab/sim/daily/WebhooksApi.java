package io.convoke.lab.sim.daily;

import io.convoke.lab.sim.http.Answer;
import io.convoke.lab.sim.http.Around;
import io.convoke.lab.sim.http.Call;
import io.convoke.lab.sim.http.Fields;
import io.convoke.lab.sim.http.Json;
import io.convoke.lab.sim.http.Web;
import io.convoke.lab.sim.webhook.Endpoint;
import io.convoke.lab.sim.webhook.EndpointRequest;
import io.convoke.lab.sim.webhook.Registration;
import io.convoke.lab.sim.webhook.Registry;
import io.convoke.lab.sim.webhook.RetryType;
import io.convoke.lab.sim.webhook.Signature;
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

  private final Registry registry;

  WebhooksApi(Registry registry) {
    this.registry = registry;
  }

  void register(Web web, Around guard) {
    web.route(
        "GET /v1/webhooks",
        guard,
        call -> Answer.ok(registry.current().map(WebhooksApi::wire).stream().toList()));
    web.route("POST /v1/webhooks", guard, call -> parsed(call, registry::register));
    web.route("GET /v1/webhooks/{uuid}", guard, this::get);
    web.route(
        "POST /v1/webhooks/{uuid}",
        guard,
        call -> parsed(call, wanted -> registry.update(call.path("uuid"), wanted)));
    web.route("DELETE /v1/webhooks/{uuid}", guard, this::delete);
  }

  private Answer get(Call call) {
    return registry
        .find(call.path("uuid"))
        .map(endpoint -> Answer.ok(wire(endpoint)))
        .orElseGet(WebhooksApi::none);
  }

  private Answer delete(Call call) {
    return registry.delete(call.path("uuid")) ? Answer.ok(Map.of()) : none();
  }

  private static Answer parsed(Call call, Function<EndpointRequest, Registration> action) {
    Optional<JsonNode> body = call.json();
    if (body.isEmpty()) {
      return DailyError.JSON_PARSING.answer("the body is not a JSON object");
    }
    Optional<String> fault = fault(body.get());
    if (fault.isPresent()) {
      return DailyError.INVALID_REQUEST.answer(fault.get());
    }
    return switch (action.apply(request(body.get()))) {
      case Registration.Accepted(Endpoint endpoint) -> Answer.ok(wire(endpoint));
      case Registration.Taken() ->
          DailyError.INVALID_REQUEST.answer("the domain has a webhook already");
      case Registration.Unknown() -> none();
      case Registration.Refused(String info) -> DailyError.INVALID_REQUEST.answer(info);
    };
  }

  private static EndpointRequest request(JsonNode body) {
    return new EndpointRequest(
        Json.string(body, "url").map(URI::create),
        Json.string(body, "hmac"),
        Json.string(body, "basicAuth"),
        Json.string(body, "retryType").flatMap(RetryType::named),
        Optional.of(body.path("eventTypes")).filter(JsonNode::isArray).map(WebhooksApi::types));
  }

  private static Set<String> types(JsonNode array) {
    Set<String> types = new LinkedHashSet<>();
    array.forEach(type -> types.add(type.stringValue()));
    return types;
  }

  private static Optional<String> fault(JsonNode body) {
    if (body.has("url")
        && Json.string(body, "url")
            .filter(url -> url.matches("https?://[^\\s/]+(/\\S*)?"))
            .isEmpty()) {
      return Optional.of("url must be an http or https address");
    }
    if (body.hasNonNull("hmac") && Json.string(body, "hmac").filter(Signature::usable).isEmpty()) {
      return Optional.of("hmac must be base64");
    }
    if (body.has("retryType")
        && Json.string(body, "retryType").flatMap(RetryType::named).isEmpty()) {
      return Optional.of("retryType must be circuit-breaker or exponential");
    }
    JsonNode types = body.path("eventTypes");
    if (body.has("eventTypes")
        && !(types.isArray() && types.valueStream().allMatch(JsonNode::isString))) {
      return Optional.of("eventTypes must be an array of strings");
    }
    return Optional.empty();
  }

  private static Answer none() {
    return DailyError.NOT_FOUND.answer("no such webhook");
  }

  /** A webhook as the API shows it. */
  static Map<String, Object> wire(Endpoint endpoint) {
    return Fields.of("uuid", endpoint.uuid())
        .put("url", endpoint.url().toString())
        .put("hmac", endpoint.hmac())
        .put("basicAuth", endpoint.basicAuth())
        .put("retryType", endpoint.retryType().wireName())
        .put("eventTypes", endpoint.eventTypes())
        .put("state", endpoint.state().name())
        .put("failedCount", endpoint.failedCount())
        .put("lastMomentPushed", endpoint.lastMomentPushed().map(Json::time))
        .put("domainId", DOMAIN_ID)
        .put("createdAt", Json.time(endpoint.createdAt()))
        .put("updatedAt", Json.time(endpoint.updatedAt()))
        .map();
  }
}
