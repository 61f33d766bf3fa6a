package io.convoke.server.presence;

import java.util.Locale;

/**
 * How the fast path is: what the platform says of our webhook, and whether anything comes by it.
 *
 * <pre>
 * the platform says   changes came by webhook, or there were none   only the timer found changes
 * nothing, or active  unknown, active                               silent
 * failed              failed                                        failed
 * missing             missing                                       missing
 * elsewhere           elsewhere                                     elsewhere
 * </pre>
 */
enum WebhookState {
  /** Nobody told us, and nothing speaks against it. */
  UNKNOWN,
  /** It sends. */
  ACTIVE,
  /** It should send, and all that changed lately was found by the timer. */
  SILENT,
  /** The platform stopped sending. */
  FAILED,
  /** There is none. */
  MISSING,
  /** The account's only webhook leads to somebody else. */
  ELSEWHERE;

  /** Both witnesses as one state. */
  static WebhookState of(WebhookState remote, boolean silent) {
    return switch (remote) {
      case UNKNOWN, ACTIVE -> silent ? SILENT : remote;
      case SILENT, FAILED, MISSING, ELSEWHERE -> remote;
    };
  }

  /** False when presence lives on the timer alone. */
  boolean healthy() {
    return switch (this) {
      case UNKNOWN, ACTIVE -> true;
      case SILENT, FAILED, MISSING, ELSEWHERE -> false;
    };
  }

  /** What an operator should know. */
  String advice() {
    return switch (this) {
      case UNKNOWN, ACTIVE -> "";
      case SILENT -> "changes are found by the timer and none by webhooks";
      case FAILED -> "the platform stopped sending webhooks";
      case MISSING -> "the platform has no webhook of ours";
      case ELSEWHERE -> "the account's only webhook leads to another address";
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
