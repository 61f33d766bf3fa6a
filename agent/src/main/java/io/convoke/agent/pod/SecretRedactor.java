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
 * Takes a task's tokens out of words that leave the pod: a program may well print what it was
 * given. A token is the value of every {@code access_token} of the task, whoever sealed it or did
 * not.
 */
final class SecretRedactor {
  private static final String NAME = "access_token";
  private static final String HIDDEN = "***";

  /** The longest first: one may be part of another. */
  private final Set<String> secrets =
      new TreeSet<>(
          Comparator.comparingInt(String::length)
              .reversed()
              .thenComparing(Comparator.naturalOrder()));

  SecretRedactor(JsonNode opened) {
    find(opened);
  }

  String hide(String words) {
    String hidden = words;
    for (String secret : secrets) {
      hidden = hidden.replace(secret, HIDDEN);
    }
    return hidden;
  }

  AttemptOutcome hide(AttemptOutcome attemptOutcome) {
    return switch (attemptOutcome) {
      case AttemptOutcome.AttemptDone attemptDone -> attemptDone;
      case AttemptOutcome.AttemptFailed(String reason) ->
          new AttemptOutcome.AttemptFailed(hide(reason));
      case AttemptOutcome.AttemptRetry(String reason) ->
          new AttemptOutcome.AttemptRetry(hide(reason));
    };
  }

  /** A stack trace without them: messages of exceptions quote what they stumbled over. */
  String hide(Throwable failure) {
    StringWriter trace = new StringWriter();
    failure.printStackTrace(new PrintWriter(trace));
    return hide(trace.toString());
  }

  private void find(JsonNode node) {
    node.properties()
        .forEach(
            field -> {
              if (field.getKey().equals(NAME)) {
                keep(field.getValue());
              } else {
                find(field.getValue());
              }
            });
    if (node.isArray()) {
      node.forEach(this::find);
    }
  }

  private void keep(JsonNode secret) {
    if (secret.isContainer()) {
      secret.forEach(this::keep);
    } else if (!secret.isNull() && !secret.asString().isEmpty()) {
      boolean _ = secrets.add(secret.asString());
      // As a program shows it that prints JSON.
      String quoted = Json.write(secret.asString());
      boolean _ = secrets.add(quoted.substring(1, quoted.length() - 1));
    }
  }
}
