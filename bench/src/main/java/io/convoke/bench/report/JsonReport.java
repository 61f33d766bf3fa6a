package io.convoke.bench.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Reports as JSON with every round, for comparing runs. */
public final class JsonReport {
  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
          .enable(SerializationFeature.INDENT_OUTPUT)
          .build();

  private JsonReport() {}

  public static byte[] write(Machine machine, List<Report> reports) {
    Map<String, Object> whole = new LinkedHashMap<>();
    whole.put("machine", machine.line());
    whole.put("benchmarks", reports.stream().map(JsonReport::report).toList());
    return MAPPER.writeValueAsBytes(whole);
  }

  private static Map<String, Object> report(Report report) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("name", report.benchmark());
    fields.put("what", report.what());
    fields.put("tables", report.tables().stream().map(JsonReport::table).toList());
    fields.put("counts", report.counts().stream().map(JsonReport::counts).toList());
    fields.put("checks", report.checks());
    fields.put("goals", report.goals().stream().map(JsonReport::goal).toList());
    fields.put("wrong", report.wrong());
    return fields;
  }

  private static Map<String, Object> table(Table table) {
    Series reference = table.series().getFirst();
    return ordered(
        "title",
        table.title(),
        "candidates",
        table.series().stream().map(series -> series(series, reference)).toList());
  }

  private static Map<String, Object> series(Series series, Series reference) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("candidate", series.candidate());
    fields.put("median_per_second", series.median(Sample::perSecond));
    fields.put("ratio_to_" + reference.candidate(), series.ratioTo(reference));
    fields.put("rounds", series.samples().stream().map(JsonReport::sample).toList());
    return fields;
  }

  private static Map<String, Object> sample(Sample sample) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("operations", sample.operations());
    fields.put("failures", sample.failures());
    fields.put("span_ms", sample.span().toNanos() / 1e6);
    fields.put("per_second", sample.perSecond());
    fields.put("p50_ms", sample.p50().toNanos() / 1e6);
    fields.put("p99_ms", sample.p99().toNanos() / 1e6);
    fields.put("cpu_us_per_operation", sample.cpuMicros());
    return fields;
  }

  private static Map<String, Object> counts(Counts counts) {
    List<Map<String, Object>> rows = new ArrayList<>();
    for (Counts.Row row : counts.rows()) {
      Map<String, Object> fields = new LinkedHashMap<>();
      fields.put("name", row.name());
      for (int i = 0; i < row.values().size(); i++) {
        fields.put(counts.columns().get(i), row.values().get(i));
      }
      rows.add(fields);
    }
    return ordered("title", counts.title(), "rows", rows);
  }

  private static Map<String, Object> goal(Goal goal) {
    Map<String, Object> fields = ordered("what", goal.what(), "measured", goal.measured());
    fields.put(goal.ceiling() ? "at_most" : "at_least", goal.wanted());
    fields.put("met", goal.met());
    goal.next().ifPresent(bound -> fields.put("next", bound));
    return fields;
  }

  private static Map<String, Object> ordered(String key, Object value, String key2, Object value2) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put(key, value);
    fields.put(key2, value2);
    return fields;
  }
}
