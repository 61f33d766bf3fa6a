package io.convoke.chaos;

import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** A history as text, written next to the logs of a failed run: a section for each component. */
public final class HistoryLines {
  private HistoryLines() {}

  /** Writes the lines into this folder. */
  public static void write(Record history, Path folder) throws IOException {
    Path _ = Files.write(folder.resolve("history.txt"), of(history));
  }

  static List<String> of(Record history) {
    List<String> lines = new ArrayList<>();
    for (RecordComponent component : history.getClass().getRecordComponents()) {
      Object value = value(history, component);
      if (value instanceof Record part) {
        lines.addAll(of(part));
      } else {
        lines.add("# " + component.getName());
        entries(value).forEach(entry -> lines.add(String.valueOf(entry)));
      }
    }
    return lines;
  }

  private static Collection<?> entries(Object value) {
    return switch (value) {
      case Collection<?> all -> all;
      case Map<?, ?> map -> map.entrySet();
      default -> List.of(value);
    };
  }

  private static Object value(Record history, RecordComponent component) {
    try {
      return component.getAccessor().invoke(history);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("cannot read " + component, e);
    }
  }
}
