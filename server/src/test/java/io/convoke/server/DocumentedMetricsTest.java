package io.convoke.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** docs/reference/metrics.md lists each meter that the sources name. */
class DocumentedMetricsTest {
  private static final Path HOME =
      Path.of(System.getProperty("convoke.home", "..")).toAbsolutePath().normalize();
  private static final Pattern NAME = Pattern.compile("\"(convoke\\.[a-z_.]+)\"");

  /** The gauges of a reading or a region, whose names begin with a family's. */
  private static final Pattern GAUGE =
      Pattern.compile("gauge\\(\\s*(?:registry|region),\\s*\"([a-z.]+)\"");

  private static final Pattern ROW = Pattern.compile("(?m)^\\| `(convoke_[a-z_]+)` \\|");

  private static final Pattern MEANING =
      Pattern.compile("(?m)^\\| `(convoke_[a-z_]+)` \\|[^|]*\\| (.*) \\|$");

  private static final Pattern USED = Pattern.compile("convoke_[a-z_]+");

  private static Set<String> named(Pattern pattern) throws IOException {
    Set<String> names = new TreeSet<>();
    for (String module : List.of("server", "agent", "dispatch", "durable")) {
      try (Stream<Path> files = Files.walk(HOME.resolve(module + "/src/main/java"))) {
        for (Path file : files.filter(it -> it.toString().endsWith(".java")).toList()) {
          String source = Files.readString(file);
          if (source.contains("import io.micrometer.")) {
            pattern
                .matcher(source)
                .results()
                .map(DocumentedMetricsTest::dashed)
                .forEach(names::add);
          }
        }
      }
    }
    return names;
  }

  private static String dashed(MatchResult match) {
    return match.group(1).replace('.', '_');
  }

  @Test
  void theListHasEachMeterAndNoOther() throws IOException {
    String page = Files.readString(HOME.resolve("docs/reference/metrics.md"));
    Set<String> listed =
        ROW.matcher(page)
            .results()
            .map(
                row ->
                    row.group(1).replaceFirst("(?<!age|bound|overdue|oldest|frozen)_seconds$", ""))
            .map(row -> row.replaceFirst("_total$", ""))
            .collect(Collectors.toCollection(TreeSet::new));
    Set<String> named = named(NAME);
    Set<String> families = new TreeSet<>(Set.of("convoke_dispatch_", "convoke_presence_"));
    assertThat(named.removeAll(families)).isTrue();
    Set<String> parts = named(GAUGE);
    Set<String> unknown = new TreeSet<>(listed);
    unknown.removeAll(named);
    assertThat(listed).hasSizeGreaterThan(70).containsAll(named);
    // What is listed beyond the full names is a gauge of one of the families.
    assertThat(unknown.stream().map(name -> name.replaceFirst("^convoke_[a-z]+_", "")))
        .containsExactlyInAnyOrderElementsOf(withState(parts));
  }

  @Test
  void theHelpOfEachMetricIsTheMeaningInTheList() throws IOException {
    Map<String, String> listed =
        MEANING
            .matcher(Files.readString(HOME.resolve("docs/reference/metrics.md")))
            .results()
            .collect(Collectors.toMap(row -> row.group(1), row -> row.group(2)));
    Properties texts = new Properties();
    try (InputStream in = App.class.getResourceAsStream("metrics.properties")) {
      texts.load(in);
    }
    assertThat(texts).isEqualTo(listed);
  }

  @Test
  void alertsAndDashboardsNameOnlyMetricsThatAreThere() throws IOException {
    Set<String> listed =
        ROW.matcher(Files.readString(HOME.resolve("docs/reference/metrics.md")))
            .results()
            .map(row -> row.group(1))
            .collect(Collectors.toSet());
    Set<String> used = new TreeSet<>();
    try (Stream<Path> files = Files.list(HOME.resolve("docs/operations"))) {
      for (Path file :
          files
              .filter(it -> it.toString().matches(".*-(alerts|dashboard)\\.(yaml|json)"))
              .toList()) {
        USED.matcher(Files.readString(file))
            .results()
            .map(match -> match.group().replaceFirst("_(bucket|count|sum|max)$", ""))
            .map(name -> name.replaceFirst("^convoke_presence_janus_", "convoke_presence_"))
            .forEach(used::add);
      }
    }
    assertThat(used).hasSizeGreaterThan(20).isSubsetOf(listed);
  }

  @Test
  void alertsAboutPresenceAreAboutAJanusToo() throws IOException {
    JsonNode alerts =
        new YAMLMapper()
            .readTree(Files.readString(HOME.resolve("docs/operations/bots-alerts.yaml")));
    List<String> rules = new ArrayList<>(alerts.findValuesAsString("expr"));
    rules.removeIf(rule -> !rule.contains("convoke_presence_"));
    assertThat(rules).hasSizeGreaterThanOrEqualTo(2);
    for (String rule : rules) {
      Set<String> used =
          USED.matcher(rule).results().map(MatchResult::group).collect(Collectors.toSet());
      assertThat(used)
          .as(rule)
          .containsAll(
              used.stream()
                  .map(
                      name ->
                          name.replaceFirst(
                              "^convoke_presence_(?!janus_)", "convoke_presence_janus_"))
                  .toList());
    }
  }

  /** Each server tells the same number, and the autoscaler of Kubernetes adds up what it gets. */
  @Test
  void theNumberByWhichPodsAreScaledIsNoSumOfServers() throws IOException {
    assertThat(Files.readString(HOME.resolve("deploy/helm/convoke/values.yaml")))
        .contains("max by (region) (convoke_dispatch_pending)");
  }

  private static Set<String> withState(Set<String> parts) {
    Set<String> all = new TreeSet<>(parts);
    all.removeIf(part -> part.startsWith("convoke_"));
    boolean _ = all.add("webhook_state");
    return all;
  }
}
