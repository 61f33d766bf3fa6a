package io.convoke.server.config;

import java.util.List;

/** A configuration that cannot work, one line a fault, none with a secret in it. */
public final class InvalidConfigException extends RuntimeException {
  private final List<String> faults;

  /** One fault a line. */
  public InvalidConfigException(List<String> faults) {
    super(String.join("\n", faults));
    this.faults = List.copyOf(faults);
  }

  public List<String> faults() {
    return faults;
  }
}
