package io.convoke.server.trace;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import io.opentelemetry.sdk.resources.Resource;
import java.net.URI;
import java.util.Map;
import java.util.Optional;

/**
 * Where spans go: to a collector by OTLP over HTTP, or nowhere, which costs next to nothing. What
 * OpenTelemetry's own variables say of sampling, batches and headers holds; metrics and logs have
 * their own ways out and are not sent.
 */
public final class Spans implements AutoCloseable {
  private final Optional<OpenTelemetrySdk> sdk;

  private Spans(Optional<OpenTelemetrySdk> sdk) {
    this.sdk = sdk;
  }

  /**
   * Sends spans to a collector, if there is one.
   *
   * @param node tells the processes of one service apart
   */
  public static Spans to(Optional<URI> collector, String node) {
    return new Spans(collector.map(url -> sdk(url, node)));
  }

  private static OpenTelemetrySdk sdk(URI collector, String node) {
    return AutoConfiguredOpenTelemetrySdk.builder()
        .addPropertiesSupplier(
            () ->
                Map.of(
                    "otel.service.name", "convoke",
                    "otel.metrics.exporter", "none",
                    "otel.logs.exporter", "none",
                    "otel.exporter.otlp.protocol", "http/protobuf",
                    "otel.exporter.otlp.endpoint", collector.toString()))
        .addResourceCustomizer(
            (resource, config) ->
                resource.merge(
                    Resource.create(
                        Attributes.of(AttributeKey.stringKey("service.instance.id"), node))))
        .disableShutdownHook()
        .build()
        .getOpenTelemetrySdk();
  }

  public OpenTelemetry telemetry() {
    return sdk.<OpenTelemetry>map(it -> it).orElseGet(OpenTelemetry::noop);
  }

  /** Sends what is left, for ten seconds at most. */
  @Override
  public void close() {
    sdk.ifPresent(OpenTelemetrySdk::close);
  }
}
