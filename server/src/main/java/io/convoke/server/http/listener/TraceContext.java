package io.convoke.server.http.listener;

import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;

/**
 * The place of a request in a W3C trace: the one that {@code traceparent} names, or a new one. It
 * links a response to its log lines.
 *
 * @param traceId 32 hex digits, not all zero
 * @param parentId 16 hex digits: the caller's span, or all zero for a new trace
 * @param sampled whether the caller records this trace
 */
record TraceContext(String traceId, String parentId, boolean sampled) {
  private static final Pattern TRACEPARENT =
      Pattern.compile("[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?");
  private static final String NO_TRACE = "0".repeat(32);
  private static final String NO_SPAN = "0".repeat(16);

  /** Reads the header; anything that is not a valid one starts a new trace. */
  static TraceContext of(String traceparent) {
    var matcher = TRACEPARENT.matcher(traceparent);
    if (!matcher.matches()
        || traceparent.startsWith("ff")
        || NO_TRACE.equals(matcher.group(1))
        || NO_SPAN.equals(matcher.group(2))) {
      return fresh();
    }
    boolean sampled = (Integer.parseInt(matcher.group(3), 16) & 1) == 1;
    return new TraceContext(matcher.group(1), matcher.group(2), sampled);
  }

  /** A new trace. */
  static TraceContext fresh() {
    return new TraceContext(newSpanId() + newSpanId(), NO_SPAN, false);
  }

  /** Whether a caller sent it. */
  boolean remote() {
    return !parentId.equals(NO_SPAN);
  }

  /** The response header with the trace id. */
  String traceparent(String spanId) {
    return "00-" + traceId + "-" + spanId + (sampled ? "-01" : "-00");
  }

  /** A span id for when no tracer gives one. */
  static String newSpanId() {
    return HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE));
  }
}
