package io.convoke.server.webhooks;

import io.convoke.engine.journal.Journal;
import io.convoke.server.http.Answer;
import io.convoke.server.http.Caller;
import io.convoke.server.http.Cursor;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.Page;
import io.convoke.server.http.Problem;
import io.convoke.server.http.Request;
import io.convoke.server.http.Role;
import io.convoke.server.http.Schema;
import io.convoke.server.http.Slice;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** {@code /webhook-endpoints} (CONTRACT.md, Events and webhooks out). */
final class WebhookEndpoints {
  private static final String PATH = "/webhook-endpoints";
  private static final int TYPES_MAX = 50;

  /** Of one user; more would make one event many messages. */
  private static final int ENDPOINTS_MAX = 50;

  private static final long NOBODY = 0;
  private static final Schema TYPE = Schema.pattern("^[a-z_]{1,60}(\\.[a-z_]{1,60}){1,3}$");

  private final EndpointStore endpoints;
  private final DeliveryStore deliveries;
  private final Journal journal;
  private final Secrets secrets;
  private final Addresses addresses;

  WebhookEndpoints(
      EndpointStore endpoints,
      DeliveryStore deliveries,
      Journal journal,
      Secrets secrets,
      Addresses addresses) {
    this.endpoints = endpoints;
    this.deliveries = deliveries;
    this.journal = journal;
    this.secrets = secrets;
    this.addresses = addresses;
  }

  /** What is asked for. */
  record Wanted(String url, Optional<List<String>> types) {}

  /** An endpoint as it is shown. */
  record WebhookEndpointView(
      long id,
      Optional<Long> userId,
      String url,
      List<String> types,
      String state,
      Optional<String> reason,
      Instant createdAt) {
    static WebhookEndpointView of(WebhookEndpoint endpoint) {
      return new WebhookEndpointView(
          endpoint.id(),
          endpoint.userId(),
          endpoint.url(),
          endpoint.types(),
          endpoint.state(),
          endpoint.reason(),
          endpoint.createdAt());
    }
  }

  /** A new endpoint with its secret: shown once. */
  record NewWebhookEndpoint(
      long id,
      Optional<Long> userId,
      String url,
      List<String> types,
      String state,
      Optional<String> reason,
      Instant createdAt,
      String secret) {
    @Override
    public String toString() {
      return "NewWebhookEndpoint[id=" + id + "]";
    }
  }

  List<Endpoint> endpoints() {
    return List.of(
        Endpoint.post(PATH)
            .id("createWebhookEndpoint")
            .tag("webhooks")
            .summary("Have events delivered to an address, by Standard Webhooks.")
            .description(
                "The secret is shown this once. Without types all events of yours are delivered;"
                    + " an admin who names no user gets everybody's.")
            .roles(Role.USER)
            .body(
                Schema.object()
                    .required("url", Schema.url())
                    .optional("types", Schema.array(TYPE, TYPES_MAX)))
            .creates()
            .answers(201, Schema.of(NewWebhookEndpoint.class))
            .handle(this::create),
        Endpoint.get(PATH)
            .id("listWebhookEndpoints")
            .tag("webhooks")
            .summary("Webhook endpoints, oldest first.")
            .roles(Role.USER)
            .paged()
            .answers(200, Schema.slice(Schema.of(WebhookEndpointView.class)))
            .handle(this::list),
        Endpoint.get(PATH + "/{id}")
            .id("getWebhookEndpoint")
            .tag("webhooks")
            .summary("One webhook endpoint.")
            .roles(Role.USER)
            .answers(200, Schema.of(WebhookEndpointView.class))
            .handle(request -> Answer.ok(WebhookEndpointView.of(visible(request)))),
        Endpoint.delete(PATH + "/{id}")
            .id("deleteWebhookEndpoint")
            .tag("webhooks")
            .summary("Remove a webhook endpoint with all that waits for it.")
            .roles(Role.USER)
            .answers(204)
            .handle(this::remove),
        Endpoint.post(PATH + "/{id}/resume")
            .id("resumeWebhookEndpoint")
            .tag("webhooks")
            .summary("Set a paused endpoint going; what waited is sent first, and then the rest.")
            .roles(Role.USER)
            .answers(202, Schema.of(WebhookEndpointView.class))
            .problems(409)
            .handle(this::resume),
        Endpoint.post(PATH + "/{id}/test")
            .id("testWebhookEndpoint")
            .tag("webhooks")
            .summary("Send a message of type webhook_endpoint.test; the log shows what came of it.")
            .roles(Role.USER)
            .answers(202, Schema.of(WebhookEndpointView.class))
            .problems(409)
            .handle(this::test),
        Endpoint.get(PATH + "/{id}/deliveries")
            .id("listWebhookDeliveries")
            .tag("webhooks")
            .summary("What went to an endpoint and what waits, newest first.")
            .description("What was delivered is kept for seven days.")
            .roles(Role.USER)
            .query("state", Schema.oneOf("pending", "delivered"))
            .paged()
            .answers(200, Schema.slice(Schema.of(Delivery.class)))
            .handle(this::log),
        Endpoint.post(PATH + "/{id}/deliveries/{delivery_id}/resend")
            .id("resendWebhookDelivery")
            .tag("webhooks")
            .summary("Send a message again that was delivered, under the same webhook-id.")
            .roles(Role.USER)
            .answers(202, Schema.of(WebhookEndpointView.class))
            .handle(this::resend));
  }

  private Answer create(Request request) {
    Wanted wanted = request.body(Wanted.class);
    Optional<Long> user =
        switch (request.caller()) {
          case Caller.Admin _ -> request.queryLong("user_id");
          case Caller.User _, Caller.Internal _, Caller.Bot _, Caller.Anonymous _ ->
              Optional.of(request.actingUser());
        };
    check(wanted.url());
    if (endpoints.count(user) >= ENDPOINTS_MAX) {
      throw Problem.unprocessable(
          "too_many_endpoints", "There are " + ENDPOINTS_MAX + " endpoints already.");
    }
    String secret = Signature.newSecret();
    WebhookEndpoint made =
        endpoints.add(
            user,
            wanted.url(),
            wanted.types().orElse(List.of()),
            secrets.seal(secret),
            journal.settled());
    return Answer.created(
        new NewWebhookEndpoint(
            made.id(),
            made.userId(),
            made.url(),
            made.types(),
            made.state(),
            made.reason(),
            made.createdAt(),
            secret));
  }

  /** What a name means may change, so each delivery looks again. */
  private void check(String url) {
    Urls.fault(url)
        .ifPresent(
            fault -> {
              throw Problem.badRequest("url", fault);
            });
    try {
      var _ = addresses.of(Urls.bareHost(URI.create(url)));
    } catch (Addresses.Refused e) {
      throw Problem.badRequest("url", "leads to a private address");
    } catch (UnknownHostException e) {
      throw Problem.badRequest("url", "names a host that is unknown");
    }
  }

  private Answer list(Request request) {
    Page page = request.page();
    long after = page.cursor().map(cursor -> Cursor.parseLongs(cursor, 1)[0]).orElse(0L);
    List<WebhookEndpoint> found = endpoints.list(request.ownerFilter(), after, page.limit() + 1);
    return Answer.ok(
        Slice.of(found, page, endpoint -> Cursor.of(endpoint.id())).map(WebhookEndpointView::of));
  }

  private Answer remove(Request request) {
    endpoints.remove(visible(request));
    return Answer.noContent();
  }

  private Answer resume(Request request) {
    WebhookEndpoint endpoint = visible(request);
    if (!deliveries.resume(endpoint.id())) {
      throw Problem.conflict(
          "webhook_endpoint_active", "It is not paused.", Map.of("state", endpoint.state()));
    }
    return Answer.accepted(WebhookEndpointView.of(visible(request)));
  }

  private Answer test(Request request) {
    WebhookEndpoint endpoint = visible(request);
    if (!deliveries.test(endpoint.id())) {
      throw Problem.conflict(
          "webhook_endpoint_paused",
          "It is paused; resume it first.",
          Map.of("state", endpoint.state()));
    }
    return Answer.accepted(WebhookEndpointView.of(endpoint));
  }

  private Answer log(Request request) {
    Page page = request.page();
    long before =
        page.cursor().map(cursor -> Cursor.parseLongs(cursor, 1)[0]).orElse(Long.MAX_VALUE);
    List<Delivery> found =
        endpoints.deliveries(
            visible(request).id(), request.query("state"), before, page.limit() + 1);
    return Answer.ok(Slice.of(found, page, delivery -> Cursor.of(delivery.id())));
  }

  private Answer resend(Request request) {
    WebhookEndpoint endpoint = visible(request);
    if (!deliveries.resend(endpoint.id(), request.pathId("delivery_id"))) {
      throw Problem.notFound("message that was delivered");
    }
    return Answer.accepted(WebhookEndpointView.of(endpoint));
  }

  private WebhookEndpoint visible(Request request) {
    return endpoints
        .find(request.pathId("id"))
        .filter(endpoint -> request.caller().sees(endpoint.userId().orElse(NOBODY)))
        .orElseThrow(() -> Problem.notFound("webhook endpoint"));
  }
}
