package io.convoke.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/**
 * A history as text lines, written next to the logs of a failed run. Immutable.
 *
 * @param lines section titles and their entries
 */
public record HistoryLines(List<String> lines) {
  /** No lines. */
  public static final HistoryLines NONE = new HistoryLines(List.of());

  /** Appends a section. */
  public HistoryLines with(String title, Collection<?> all) {
    return new HistoryLines(
        Stream.of(lines.stream(), Stream.of("# " + title), all.stream().map(String::valueOf))
            .flatMap(part -> part)
            .toList());
  }

  /** Writes the lines into this folder. */
  public void write(Path folder) throws IOException {
    Path _ = Files.write(folder.resolve("history.txt"), lines);
  }
}
