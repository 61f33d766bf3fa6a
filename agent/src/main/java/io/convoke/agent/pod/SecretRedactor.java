package io.convoke.agent.pod;

import io.convoke.engine.dispatch.AttemptHandler.AttemptOutcome;
import io.convoke.engine.json.Json;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Comparator;
import java.util.Set;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;

/**
 * Redacts a task's tokens in texts that leave the pod, since a program may print its input. A token
 * is the value of every {@code access_token} in the task, sealed or not.
 */
final class SecretRedactor {
  private static final String NAME = "access_token";
  private static final String HIDDEN = "***";

  /** Fewer characters of the end of a token are of no use. */
  private static final int PART_MIN = 8;

  /** Longest first: one may contain another. */
  private final Set<String> secrets =
      new TreeSet<>(
          Comparator.comparingInt(String::length)
              .reversed()
              .thenComparing(Comparator.naturalOrder()));

  SecretRedactor(JsonNode opened) {
    find(opened);
  }

  String redact(String text) {
    String redacted = withoutPart(text);
    for (String secret : secrets) {
      redacted = redacted.replace(secret, HIDDEN);
    }
    return redacted;
  }

  AttemptOutcome redact(AttemptOutcome attemptOutcome) {
    return switch (attemptOutcome) {
      case AttemptOutcome.AttemptDone attemptDone -> attemptDone;
      case AttemptOutcome.AttemptFailed(String reason) ->
          new AttemptOutcome.AttemptFailed(redact(reason));
      case AttemptOutcome.AttemptRetry(String reason) ->
          new AttemptOutcome.AttemptRetry(redact(reason));
      case AttemptOutcome.AttemptHandedBack(String reason) ->
          new AttemptOutcome.AttemptHandedBack(redact(reason));
    };
  }

  /** A redacted stack trace; exception messages may quote their input. */
  String redact(Throwable failure) {
    StringWriter trace = new StringWriter();
    failure.printStackTrace(new PrintWriter(trace));
    return redact(trace.toString());
  }

  /** A text may begin within a token: of a long line the end is kept. */
  private String withoutPart(String text) {
    int hidden = 0;
    for (String secret : secrets) {
      int length = Math.min(secret.length(), text.length());
      while (length >= PART_MIN
          && !text.regionMatches(0, secret, secret.length() - length, length)) {
        length--;
      }
      hidden = length >= PART_MIN ? Math.max(hidden, length) : hidden;
    }
    return hidden == 0 ? text : HIDDEN + text.substring(hidden);
  }

  private void find(JsonNode node) {
    node.properties()
        .forEach(
            field -> {
              if (field.getKey().equals(NAME)) {
                add(field.getValue());
              } else {
                find(field.getValue());
              }
            });
    if (node.isArray()) {
      node.forEach(this::find);
    }
  }

  private void add(JsonNode secret) {
    if (secret.isContainer()) {
      secret.forEach(this::add);
    } else if (!secret.isNull() && !secret.asString().isEmpty()) {
      boolean _ = secrets.add(secret.asString());
      // As JSON output escapes it.
      String quoted = Json.write(secret.asString());
      boolean _ = secrets.add(quoted.substring(1, quoted.length() - 1));
    }
  }
}
