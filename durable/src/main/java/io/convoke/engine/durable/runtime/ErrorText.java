package io.convoke.engine.durable.runtime;

import io.convoke.engine.durable.ActivityFailedException;
import io.convoke.engine.durable.NonRetryableException;

/** The text of a throwable for a history: always storable in Postgres. */
final class ErrorText {
  private ErrorText() {}

  /**
   * The message of an exception; of an error, or where there is no message, the class as well. If
   * the throwable's own methods fail, its class name is used.
   */
  static String of(Throwable thrown) {
    String text;
    try {
      String message = thrown instanceof Exception ? thrown.getMessage() : null;
      text = message == null ? thrown.toString() : message;
    } catch (Throwable unprintable) {
      text = thrown.getClass().getName();
    }
    return storable(text);
  }

  /** A text with U+FFFD for each U+0000, which Postgres cannot store. */
  static String storable(String text) {
    return text.replace('\0', '\uFFFD');
  }

  /**
   * The class of what went wrong: of the cause of a {@link NonRetryableException}, and of what
   * failed in the activity or sub-workflow behind an {@link ActivityFailedException}, if known.
   */
  static String type(Throwable thrown) {
    return switch (thrown) {
      case ActivityFailedException failed ->
          failed.errorType().orElse(ActivityFailedException.class.getName());
      case NonRetryableException wrapping when wrapping.getCause() != null ->
          wrapping.getCause().getClass().getName();
      default -> thrown.getClass().getName();
    };
  }

  /** Whether further attempts are of no use. */
  static boolean isFinal(Throwable thrown) {
    return thrown instanceof NonRetryableException;
  }
}
