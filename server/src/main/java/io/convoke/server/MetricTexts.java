package io.convoke.server;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.config.MeterFilter;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Properties;

/**
 * Gives each meter the text that {@code /metrics} has as its HELP: those of {@code
 * metrics.properties}, by the name that Prometheus sees.
 */
final class MetricTexts implements MeterFilter {
  /** What Prometheus' names have beyond the meter's: nothing, or a unit, or that it counts. */
  private static final List<String> ENDINGS = List.of("", "_seconds", "_total");

  private final Properties texts = new Properties();

  MetricTexts() {
    try (InputStream in = MetricTexts.class.getResourceAsStream("metrics.properties")) {
      texts.load(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public Meter.Id map(Meter.Id id) {
    String name = generalized(id.getName().replace('.', '_'));
    return ENDINGS.stream()
        .map(ending -> texts.getProperty(name + ending, ""))
        .filter(text -> !text.isEmpty())
        .findFirst()
        .map(
            text ->
                new Meter.Id(
                    id.getName(),
                    Tags.of(id.getTagsAsIterable()),
                    id.getBaseUnit(),
                    text,
                    id.getType()))
        .orElse(id);
  }

  /** Gauges of a further platform mean what those of the first one do. */
  private static String generalized(String name) {
    return name.replaceFirst("^convoke_presence_janus_", "convoke_presence_");
  }
}
