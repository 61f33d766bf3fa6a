package io.convoke.server.webhooks;

import io.convoke.engine.journal.Journal;
import io.convoke.server.http.ApiScope;
import io.convoke.server.http.Caller;
import io.convoke.server.http.CallerRole;
import io.convoke.server.http.Cursor;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.OperatorRole;
import io.convoke.server.http.Page;
import io.convoke.server.http.PageRequest;
import io.convoke.server.http.Problem;
import io.convoke.server.http.QuotaName;
import io.convoke.server.http.Request;
import io.convoke.server.http.Response;
import io.convoke.server.http.Schema;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** {@code /webhook-endpoints} (docs/spec/contract.md). */
final class WebhookEndpoints {
  private static final String TARGET = "webhook_endpoint";
  private static final String PATH = "/webhook-endpoints";
  private static final int TYPES_MAX = 50;

  /** Maximum endpoints of no user; with the quota of each it bounds the messages per event. */
  private static final int ENDPOINTS_MAX = 50;

  private static final long NO_USER = 0;
  private static final Duration LOOKUP_RETRY = Duration.ofSeconds(10);
  private static final Schema TYPE = Schema.pattern("^[a-z_]{1,60}(\\.[a-z_]{1,60}){1,3}$");

  private final WebhookEndpointStore endpoints;
  private final DeliveryStore deliveries;
  private final Journal journal;
  private final EndpointSecretSealer endpointSecretSealer;
  private final SsrfGuard ssrfGuard;
  private final Runnable removed;

  /** {@code removed} is called after an endpoint was removed; its deliveries are still there. */
  WebhookEndpoints(
      WebhookEndpointStore endpoints,
      DeliveryStore deliveries,
      Journal journal,
      EndpointSecretSealer endpointSecretSealer,
      SsrfGuard ssrfGuard,
      Runnable removed) {
    this.endpoints = endpoints;
    this.deliveries = deliveries;
    this.journal = journal;
    this.endpointSecretSealer = endpointSecretSealer;
    this.ssrfGuard = ssrfGuard;
    this.removed = removed;
  }

  /** The request to create an endpoint. */
  record WebhookEndpointRequest(String url, Optional<List<String>> types) {}

  /** An endpoint in responses. */
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

  /** A new endpoint with its secret, which is shown only once. */
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
            .summary("Register an endpoint for events, delivered by Standard Webhooks.")
            .description(
                "The secret is shown only once. Without types all your events are delivered; if"
                    + " an admin gives no user, the events of all users are.")
            .roles(CallerRole.USER)
            .operators(OperatorRole.ADMIN)
            .scope(ApiScope.WEBHOOKS)
            .body(
                Schema.object()
                    .required("url", Schema.url())
                    .optional("types", Schema.array(TYPE, TYPES_MAX)))
            .creates()
            .answers(201, Schema.of(NewWebhookEndpoint.class))
            .problems(404)
            .handle(this::create),
        Endpoint.get(PATH)
            .id("listWebhookEndpoints")
            .tag("webhooks")
            .summary("Webhook endpoints, oldest first.")
            .roles(CallerRole.USER)
            .scope(ApiScope.WEBHOOKS)
            .paged()
            .answers(200, Schema.slice(Schema.of(WebhookEndpointView.class)))
            .handle(this::list),
        Endpoint.get(PATH + "/{id}")
            .id("getWebhookEndpoint")
            .tag("webhooks")
            .summary("One webhook endpoint.")
            .roles(CallerRole.USER)
            .scope(ApiScope.WEBHOOKS)
            .answers(200, Schema.of(WebhookEndpointView.class))
            .handle(request -> Response.ok(WebhookEndpointView.of(visible(request)))),
        Endpoint.delete(PATH + "/{id}")
            .id("deleteWebhookEndpoint")
            .tag("webhooks")
            .summary("Delete a webhook endpoint with its pending deliveries.")
            .roles(CallerRole.USER)
            .operators(OperatorRole.ADMIN)
            .scope(ApiScope.WEBHOOKS)
            .answers(204)
            .handle(this::remove),
        Endpoint.post(PATH + "/{id}/resume")
            .id("resumeWebhookEndpoint")
            .tag("webhooks")
            .summary("Resume a paused endpoint; pending deliveries are sent first.")
            .roles(CallerRole.USER)
            .scope(ApiScope.WEBHOOKS)
            .answers(202, Schema.of(WebhookEndpointView.class))
            .problems(409)
            .handle(this::resume),
        Endpoint.post(PATH + "/{id}/test")
            .id("testWebhookEndpoint")
            .tag("webhooks")
            .summary("Send a message of type webhook_endpoint.test; the log shows the outcome.")
            .roles(CallerRole.USER)
            .scope(ApiScope.WEBHOOKS)
            .answers(202, Schema.of(WebhookEndpointView.class))
            .problems(409)
            .handle(this::test),
        Endpoint.get(PATH + "/{id}/deliveries")
            .id("listWebhookDeliveries")
            .tag("webhooks")
            .summary("Deliveries to an endpoint, sent and pending, newest first.")
            .description("Sent deliveries are kept for seven days.")
            .roles(CallerRole.USER)
            .scope(ApiScope.WEBHOOKS)
            .query(
                "state",
                Schema.oneOf("pending", "delivered").describe("Only deliveries in this state."))
            .paged()
            .answers(200, Schema.slice(Schema.of(WebhookDelivery.class)))
            .handle(this::log),
        Endpoint.post(PATH + "/{id}/deliveries/{delivery_id}/resend")
            .id("resendWebhookDelivery")
            .tag("webhooks")
            .summary("Send a delivered message again, with the same webhook-id.")
            .roles(CallerRole.USER)
            .scope(ApiScope.WEBHOOKS)
            .answers(202, Schema.of(WebhookEndpointView.class))
            .handle(this::resend));
  }

  private Response create(Request request) {
    WebhookEndpointRequest webhookEndpointRequest = request.body(WebhookEndpointRequest.class);
    Optional<Long> user =
        switch (request.caller()) {
          case Caller.AdminCaller _ -> request.queryLong("user_id");
          case Caller.UserCaller _,
              Caller.InternalCaller _,
              Caller.BotCaller _,
              Caller.AnonymousCaller _ ->
              Optional.of(request.actingUser());
        };
    check(user, webhookEndpointRequest.url());
    request.permitOneMore(QuotaName.WEBHOOKS);
    if (user.isEmpty() && endpoints.count(user) >= ENDPOINTS_MAX) {
      throw Problem.unprocessable(
          "too_many_endpoints", "There are " + ENDPOINTS_MAX + " endpoints already.");
    }
    String secret = WebhookSignature.newSecret();
    WebhookEndpoint made =
        endpoints.add(
            user,
            webhookEndpointRequest.url(),
            webhookEndpointRequest.types().orElse(List.of()),
            endpointSecretSealer.seal(secret),
            journal.settled(),
            added ->
                request.action().target(TARGET, added.id()).after(WebhookEndpointView.of(added)));
    return Response.created(
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

  /** Checks the URL now; each delivery checks again, because DNS records may change. */
  private void check(Optional<Long> user, String url) {
    WebhookUrls.fault(url)
        .ifPresent(
            fault -> {
              throw Problem.badRequest("url", fault);
            });
    try {
      var _ = ssrfGuard.of(user, WebhookUrls.bareHost(URI.create(url)));
    } catch (SsrfGuard.AddressRefused e) {
      throw Problem.badRequest("url", "resolves to a private address");
    } catch (UnknownHostException e) {
      throw Problem.badRequest("url", "has an unknown host");
    } catch (SsrfGuard.LookupRefused e) {
      throw Problem.tooMany(
          "too_many_lookups",
          "Too many hosts of webhook endpoints are being looked up; retry.",
          LOOKUP_RETRY);
    }
  }

  private Response list(Request request) {
    PageRequest pageRequest = request.page();
    long after = pageRequest.cursor().map(cursor -> Cursor.parseLongs(cursor, 1)[0]).orElse(0L);
    List<WebhookEndpoint> found =
        endpoints.list(request.ownerFilter(), after, pageRequest.limit() + 1);
    return Response.ok(
        Page.of(found, pageRequest, endpoint -> Cursor.of(endpoint.id()))
            .map(WebhookEndpointView::of));
  }

  private Response remove(Request request) {
    endpoints.remove(changing(request));
    removed.run();
    return Response.noContent();
  }

  private Response resume(Request request) {
    WebhookEndpoint endpoint = changing(request);
    deliveries.resume(endpoint.id());
    return Response.accepted(WebhookEndpointView.of(visible(request)));
  }

  private Response test(Request request) {
    WebhookEndpoint endpoint = visible(request);
    deliveries.test(endpoint.id());
    return Response.accepted(WebhookEndpointView.of(endpoint));
  }

  private Response log(Request request) {
    PageRequest pageRequest = request.page();
    long before =
        pageRequest.cursor().map(cursor -> Cursor.parseLongs(cursor, 1)[0]).orElse(Long.MAX_VALUE);
    List<WebhookDelivery> found =
        endpoints.deliveries(
            visible(request).id(), request.query("state"), before, pageRequest.limit() + 1);
    return Response.ok(
        Page.of(found, pageRequest, webhookDelivery -> Cursor.of(webhookDelivery.id())));
  }

  private Response resend(Request request) {
    WebhookEndpoint endpoint = visible(request);
    deliveries.resend(endpoint.id(), request.pathId("delivery_id"));
    return Response.accepted(WebhookEndpointView.of(endpoint));
  }

  /** The endpoint that the request changes, for the audit journal too. */
  private WebhookEndpoint changing(Request request) {
    WebhookEndpoint endpoint = visible(request);
    var _ = request.action().target(TARGET, endpoint.id()).before(WebhookEndpointView.of(endpoint));
    return endpoint;
  }

  private WebhookEndpoint visible(Request request) {
    return endpoints
        .find(request.pathId("id"))
        .filter(endpoint -> request.caller().owns(endpoint.userId().orElse(NO_USER)))
        .orElseThrow(() -> Problem.notFound("webhook endpoint"));
  }
}
