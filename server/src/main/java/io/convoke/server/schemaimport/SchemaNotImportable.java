package io.convoke.server.schemaimport;

import java.util.List;

/** A schema that cannot be taken over; one line a fault, and nothing has been changed. */
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
