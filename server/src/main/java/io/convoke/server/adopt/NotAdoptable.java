package io.convoke.server.adopt;

import java.util.List;

/** A schema that cannot be taken over; one line a fault, and nothing has been changed. */
public final class NotAdoptable extends RuntimeException {
  private final List<String> faults;

  NotAdoptable(List<String> faults) {
    super(String.join("\n", faults));
    this.faults = List.copyOf(faults);
  }

  public List<String> faults() {
    return faults;
  }
}
