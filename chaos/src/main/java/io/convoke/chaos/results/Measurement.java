package io.convoke.chaos.results;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * A measured run as kept in {@code docs/results}: a JSON file, from which {@link ResultsPage} makes
 * the page.
 *
 * @param command the command line
 * @param commit the measured commit, or {@code unknown}
 * @param date the day of the run, ISO 8601
 * @param reportedIn the commit that added the numbers, for runs older than this format
 * @param notes limitations of the numbers, one sentence each
 */
public record Measurement(
    String title,
    String command,
    String commit,
    String date,
    Optional<String> reportedIn,
    String machine,
    List<Grid> tables,
    List<String> notes) {
  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
          .disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
          .enable(SerializationFeature.INDENT_OUTPUT)
          .build();

  /**
   * A table of texts.
   *
   * @param title empty, or what the rows have in common
   */
  public record Grid(String title, List<String> columns, List<List<String>> rows) {
    public Grid {
      if (rows.stream().anyMatch(row -> row.size() != columns.size())) {
        throw new IllegalArgumentException("every row of '" + title + "' needs " + columns);
      }
    }
  }

  public static Measurement read(Path file) throws IOException {
    return MAPPER.readValue(Files.readAllBytes(file), Measurement.class);
  }

  public void write(Path file) throws IOException {
    Path _ = Files.writeString(file, MAPPER.writeValueAsString(this) + "\n");
  }

  /**
   * Writes the record with the current commit, date and machine, and the page of all records if the
   * file is in their folder.
   */
  public static void record(
      Path file,
      String title,
      String command,
      String machine,
      List<Grid> tables,
      List<String> notes)
      throws IOException {
    String today = LocalDate.now(ZoneOffset.UTC).toString();
    new Measurement(
            title, command, Checkout.commit(), today, Optional.empty(), machine, tables, notes)
        .write(file);
    Path folder = file.toAbsolutePath().getParent();
    if (folder != null && Files.exists(folder.resolveSibling("results.md"))) {
      ResultsPage.write(folder);
    }
  }

  /** A command line without its {@code --record} option. */
  public static String command(String name, List<String> arguments) {
    List<String> parts = new ArrayList<>(List.of("./convoke", name));
    parts.addAll(arguments);
    int at = parts.indexOf("--record");
    if (at >= 0) {
      parts.subList(at, Math.min(parts.size(), at + 2)).clear();
    }
    parts.removeIf(word -> word.startsWith("--record="));
    return String.join(" ", parts);
  }
}
