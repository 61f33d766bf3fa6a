package io.convoke.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/**
 * A whole history as text, one line each, beside the logs of a run that went wrong. Immutable.
 *
 * @param lines titles and what stands under them
 */
public record HistoryLines(List<String> lines) {
  /** Nothing yet. */
  public static final HistoryLines NONE = new HistoryLines(List.of());

  /** With a list under its title. */
  public HistoryLines with(String title, Collection<?> all) {
    return new HistoryLines(
        Stream.of(lines.stream(), Stream.of("# " + title), all.stream().map(String::valueOf))
            .flatMap(part -> part)
            .toList());
  }

  /** Writes them into this folder. */
  public void write(Path folder) throws IOException {
    Path _ = Files.write(folder.resolve("history.txt"), lines);
  }
}
