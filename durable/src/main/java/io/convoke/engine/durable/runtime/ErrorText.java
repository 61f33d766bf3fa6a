package io.convoke.engine.durable.runtime;

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
    // Postgres text cannot contain this character.
    return text.replace('\0', '\uFFFD');
  }
}
