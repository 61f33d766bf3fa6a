package io.convoke.engine.durable.runtime;

import java.util.Optional;

/**
 * Why an attempt failed.
 *
 * @param type the class of what the activity or job threw
 * @param last whether further attempts are of no use
 */
record AttemptError(String text, Optional<String> type, boolean last) {
  static AttemptError of(String text) {
    return new AttemptError(text, Optional.empty(), false);
  }

  static AttemptError of(Throwable thrown) {
    return new AttemptError(
        ErrorText.of(thrown), Optional.of(ErrorText.type(thrown)), ErrorText.isFinal(thrown));
  }
}
