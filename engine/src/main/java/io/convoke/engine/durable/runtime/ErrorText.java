package io.convoke.engine.durable.runtime;

/** What is kept of a throwable in a history: text that Postgres takes, whatever was thrown. */
final class ErrorText {
  private ErrorText() {}

  /**
   * The message of an exception; of an error, or where there is no message, the class as well. A
   * throwable that fails when it is asked is named by its class.
   */
  static String of(Throwable thrown) {
    String text;
    try {
      String message = thrown instanceof Exception ? thrown.getMessage() : null;
      text = message == null ? thrown.toString() : message;
    } catch (Throwable unprintable) {
      text = thrown.getClass().getName();
    }
    // Postgres has no text with this character.
    return text.replace('\0', '\uFFFD');
  }
}
