package io.convoke.engine.durable;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** An activity, a step or a sub-workflow failed for good; the message is the last attempt's. */
public final class ActivityFailedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final @Nullable String errorType;

  public ActivityFailedException(String message) {
    this(message, Optional.empty());
  }

  public ActivityFailedException(String message, Optional<String> errorType) {
    super(message);
    this.errorType = errorType.orElse(null);
  }

  /**
   * The name of the class that was thrown; empty if nothing was thrown, as after a timeout, and for
   * failures of releases before this method.
   */
  public Optional<String> errorType() {
    return Optional.ofNullable(errorType);
  }
}
