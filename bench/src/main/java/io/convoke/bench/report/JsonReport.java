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

  public static byte[] write(MachineDescription machineDescription, List<BenchmarkReport> reports) {
    Map<String, Object> whole = new LinkedHashMap<>();
    whole.put("machine", machineDescription.line());
    whole.put("benchmarks", reports.stream().map(JsonReport::report).toList());
    return MAPPER.writeValueAsBytes(whole);
  }

  private static Map<String, Object> report(BenchmarkReport benchmarkReport) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("name", benchmarkReport.benchmark());
    fields.put("what", benchmarkReport.what());
    fields.put("tables", benchmarkReport.tables().stream().map(JsonReport::table).toList());
    fields.put("counts", benchmarkReport.counts().stream().map(JsonReport::counts).toList());
    fields.put("checks", benchmarkReport.checks());
    fields.put("goals", benchmarkReport.goals().stream().map(JsonReport::goal).toList());
    fields.put("wrong", benchmarkReport.wrong());
    return fields;
  }

  private static Map<String, Object> table(RateTable rateTable) {
    CandidateSeries reference = rateTable.series().getFirst();
    return ordered(
        "title",
        rateTable.title(),
        "candidates",
        rateTable.series().stream()
            .map(candidateSeries -> series(candidateSeries, reference))
            .toList());
  }

  private static Map<String, Object> series(
      CandidateSeries candidateSeries, CandidateSeries reference) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("candidate", candidateSeries.candidate());
    fields.put("median_per_second", candidateSeries.median(MeasuredSample::perSecond));
    fields.put("ratio_to_" + reference.candidate(), candidateSeries.ratioTo(reference));
    fields.put("rounds", candidateSeries.samples().stream().map(JsonReport::sample).toList());
    return fields;
  }

  private static Map<String, Object> sample(MeasuredSample measuredSample) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("operations", measuredSample.operations());
    fields.put("failures", measuredSample.failures());
    fields.put("span_ms", measuredSample.span().toNanos() / 1e6);
    fields.put("per_second", measuredSample.perSecond());
    fields.put("p50_ms", measuredSample.p50().toNanos() / 1e6);
    fields.put("p99_ms", measuredSample.p99().toNanos() / 1e6);
    fields.put("cpu_us_per_operation", measuredSample.cpuMicros());
    return fields;
  }

  private static Map<String, Object> counts(CountTable countTable) {
    List<Map<String, Object>> rows = new ArrayList<>();
    for (CountTable.CountRow countRow : countTable.rows()) {
      Map<String, Object> fields = new LinkedHashMap<>();
      fields.put("name", countRow.name());
      for (int i = 0; i < countRow.values().size(); i++) {
        fields.put(countTable.columns().get(i), countRow.values().get(i));
      }
      rows.add(fields);
    }
    return ordered("title", countTable.title(), "rows", rows);
  }

  private static Map<String, Object> goal(MeasurementGoal measurementGoal) {
    Map<String, Object> fields =
        ordered("what", measurementGoal.what(), "measured", measurementGoal.measured());
    fields.put(measurementGoal.ceiling() ? "at_most" : "at_least", measurementGoal.wanted());
    fields.put("met", measurementGoal.met());
    measurementGoal.next().ifPresent(bound -> fields.put("next", bound));
    return fields;
  }

  private static Map<String, Object> ordered(String key, Object value, String key2, Object value2) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put(key, value);
    fields.put(key2, value2);
    return fields;
  }
}
