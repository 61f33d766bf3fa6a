package io.convoke.server.http.listener;

import io.convoke.server.http.CallerRole;
import io.convoke.server.http.DocumentParts;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.HealthChecks;
import io.convoke.server.http.Problem;
import io.convoke.server.http.Request;
import io.convoke.server.http.Response;
import io.convoke.server.http.Schema;
import io.convoke.server.http.schema.OpenApi;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * The operator's endpoints of every process: liveness, readiness, metrics, and the OpenAPI
 * document.
 */
final class OperationsEndpoints {
  private static final String METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";
  private static final String YAML_TYPE = "application/yaml";

  private final HealthChecks healthChecks;
  private final PrometheusMeterRegistry registry;
  private final BooleanSupplier stopping;

  /** The document, by its type. */
  private final Map<String, String> documents = new ConcurrentHashMap<>();

  OperationsEndpoints(
      HealthChecks healthChecks, PrometheusMeterRegistry registry, BooleanSupplier stopping) {
    this.healthChecks = healthChecks;
    this.registry = registry;
    this.stopping = stopping;
  }

  /** The given endpoints and these, the document of all of them among them. */
  List<Endpoint> with(List<Endpoint> others, DocumentParts parts) {
    List<Endpoint> all = new ArrayList<>(others);
    all.add(livez());
    all.add(readyz());
    all.add(metrics());
    all.add(document(() -> OpenApi.yaml(all, parts)));
    return List.copyOf(all);
  }

  private static Endpoint livez() {
    return Endpoint.get("/livez")
        .id("livez")
        .tag("operations")
        .summary("Liveness of the process; checks no other component.")
        .roles(CallerRole.PUBLIC)
        .answers(200, Schema.object().required("status", Schema.oneOf("ok")))
        .handle(_ -> Response.ok(Map.of("status", "ok")));
  }

  private Endpoint readyz() {
    Schema component =
        Schema.object()
            .required("name", Schema.text())
            .required("status", Schema.oneOf(HealthChecks.HealthStatus.class))
            .required("detail", Schema.text())
            .named("Component");
    return Endpoint.get("/readyz")
        .id("readyz")
        .tag("operations")
        .summary("Whether this process can serve.")
        .description("Degraded is still 200. With ?verbose the components are listed.")
        .roles(CallerRole.PUBLIC)
        .query(
            "verbose",
            Schema.oneOf("", "true", "false", "1", "0").describe("Lists the components."))
        .answers(
            200,
            Schema.object()
                .required("status", Schema.oneOf("ok", "degraded"))
                .optional("components", Schema.array(component)))
        .handle(this::ready);
  }

  private Response ready(Request request) {
    List<HealthChecks.ComponentHealth> components = healthChecks.components();
    boolean verbose =
        request.query("verbose").filter(v -> !v.equals("false") && !v.equals("0")).isPresent();
    HealthChecks.HealthStatus overall = HealthChecks.overall(components);
    if (overall == HealthChecks.HealthStatus.DOWN || stopping.getAsBoolean()) {
      String detail =
          stopping.getAsBoolean()
              ? "This process is stopping."
              : "Not ready: " + String.join(", ", down(components)) + ".";
      Problem problem = Problem.of(503, "not_ready", detail);
      throw verbose ? problem.with("components", components) : problem;
    }
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("status", overall);
    if (verbose) {
      body.put("components", components);
    }
    return Response.ok(body);
  }

  private static List<String> down(List<HealthChecks.ComponentHealth> components) {
    return components.stream()
        .filter(componentHealth -> componentHealth.status() == HealthChecks.HealthStatus.DOWN)
        .map(HealthChecks.ComponentHealth::name)
        .toList();
  }

  private Endpoint metrics() {
    return Endpoint.get("/metrics")
        .id("metrics")
        .tag("operations")
        .summary("Metrics in the Prometheus text format.")
        .roles(CallerRole.PUBLIC)
        .answers(200, "text/plain")
        .handle(_ -> Response.text(METRICS_TYPE, registry.scrape()));
  }

  /** Written when it is first asked for: it would take a tenth of a start. */
  private Endpoint document(Supplier<String> yaml) {
    return Endpoint.get("/openapi.yaml")
        .id("openApi")
        .tag("operations")
        .summary("This document.")
        .roles(CallerRole.PUBLIC)
        .answers(200, YAML_TYPE)
        .handle(
            _ -> Response.text(YAML_TYPE, documents.computeIfAbsent(YAML_TYPE, _ -> yaml.get())));
  }
}
