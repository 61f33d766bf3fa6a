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
 * The span exporter: OTLP over HTTP to a collector, or none, which costs next to nothing.
 * OpenTelemetry's own variables configure sampling, batches and headers; metrics and logs are not
 * exported here.
 */
public final class SpanExporterFactory implements AutoCloseable {
  private final Optional<OpenTelemetrySdk> sdk;

  private SpanExporterFactory(Optional<OpenTelemetrySdk> sdk) {
    this.sdk = sdk;
  }

  /**
   * Sends spans to a collector, if there is one.
   *
   * @param node identifies this process within the service
   */
  public static SpanExporterFactory to(Optional<URI> collector, String node) {
    return new SpanExporterFactory(collector.map(url -> sdk(url, node)));
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

  /** Flushes remaining spans, for ten seconds at most. */
  @Override
  public void close() {
    sdk.ifPresent(OpenTelemetrySdk::close);
  }
}
