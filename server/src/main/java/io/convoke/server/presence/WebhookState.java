package io.convoke.server.presence;

import java.util.Locale;

/**
 * State of incoming webhooks, from the platform's registration state and the sources of changes.
 *
 * <pre>
 * registration        webhooks found changes, or none happened      only the timer found changes
 * unknown, active     unknown, active                               silent
 * failed              failed                                        failed
 * missing             missing                                       missing
 * elsewhere           elsewhere                                     elsewhere
 * </pre>
 */
enum WebhookState {
  /** Not checked yet, and not silent. */
  UNKNOWN,
  /** The platform sends webhooks. */
  ACTIVE,
  /** Registered, but all recent changes were found by the timer. */
  SILENT,
  /** The platform disabled the webhook. */
  FAILED,
  /** The account has no webhook. */
  MISSING,
  /** The account's only webhook has another address. */
  ELSEWHERE;

  /** Combines the registration's state and silence. */
  static WebhookState of(WebhookState remote, boolean silent) {
    return switch (remote) {
      case UNKNOWN, ACTIVE -> silent ? SILENT : remote;
      case SILENT, FAILED, MISSING, ELSEWHERE -> remote;
    };
  }

  /** False when presence depends on the timer alone. */
  boolean healthy() {
    return switch (this) {
      case UNKNOWN, ACTIVE -> true;
      case SILENT, FAILED, MISSING, ELSEWHERE -> false;
    };
  }

  /** The message for the operator; empty when healthy. */
  String advice() {
    return switch (this) {
      case UNKNOWN, ACTIVE -> "";
      case SILENT -> "changes are found by the timer and none by webhooks";
      case FAILED -> "the platform stopped sending webhooks";
      case MISSING -> "the account has no webhook";
      case ELSEWHERE -> "the account's only webhook has another address";
    };
  }

  /** As written in events, metrics and Redis. */
  String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  static WebhookState of(String text) {
    for (WebhookState state : values()) {
      if (state.text().equals(text)) {
        return state;
      }
    }
    return UNKNOWN;
  }
}
