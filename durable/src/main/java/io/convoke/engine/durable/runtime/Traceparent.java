package io.convoke.engine.durable.runtime;

import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;
import org.slf4j.MDC;

/** The trace context of W3C Trace Context. */
final class Traceparent {
  /** The MDC key of the trace id. */
  static final String KEY = "trace_id";

  private static final Pattern FORM =
      Pattern.compile("00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}");
  private static final int ID_FROM = 3;
  private static final int ID_TO = 35;

  private Traceparent() {}

  /** The given trace context, or a new unsampled one. */
  static String of(Optional<String> given) {
    return given.filter(text -> FORM.matcher(text).matches()).orElseGet(Traceparent::fresh);
  }

  /** Puts the trace id into the log records of this thread until it is closed. */
  static MDC.MDCCloseable logged(String traceparent) {
    return MDC.putCloseable(KEY, traceparent.substring(ID_FROM, ID_TO));
  }

  private static String fresh() {
    return "00-" + hex(16) + "-" + hex(8) + "-00";
  }

  private static String hex(int bytes) {
    byte[] random = new byte[bytes];
    ThreadLocalRandom.current().nextBytes(random);
    random[0] |= 1;
    return HexFormat.of().formatHex(random);
  }
}
