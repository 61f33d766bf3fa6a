package io.convoke.server.schemaimport;

import java.util.List;

/** The schema cannot be imported; one line per fault, nothing was changed. */
public final class SchemaNotImportable extends RuntimeException {
  private final List<String> faults;

  SchemaNotImportable(List<String> faults) {
    super(String.join("\n", faults));
    this.faults = List.copyOf(faults);
  }

  public List<String> faults() {
    return faults;
  }
}
