package io.convoke.server.http.listener;

import io.convoke.server.http.Problem;
import io.convoke.server.trace.Traceparent;
import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import io.helidon.webserver.http.ServerResponse;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Scope;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * The trace of one request: its id in the log lines of its thread, in its answer and in its
 * problem. A quiet one draws its id on first use.
 */
final class RequestTrace {
  private static final HeaderName TRACEPARENT = HeaderNames.create("traceparent");
  private static final String MDC_KEY = "trace_id";

  private final Optional<Span> span;
  private final Optional<Scope> scope;
  private final boolean logged;
  private @Nullable SpanContext parent;

  private RequestTrace(@Nullable SpanContext parent, Optional<Span> span, boolean logged) {
    this.parent = parent;
    this.span = span;
    this.logged = logged;
    this.scope = span.map(Span::makeCurrent);
    if (logged) {
      MDC.put(MDC_KEY, id());
    }
  }

  static RequestTrace quiet() {
    return new RequestTrace(null, Optional.empty(), false);
  }

  static RequestTrace quiet(SpanContext parent) {
    return new RequestTrace(parent, Optional.empty(), false);
  }

  /** A trace for log lines and the response only, without exported spans. */
  static RequestTrace logged(SpanContext parent) {
    return new RequestTrace(parent, Optional.empty(), true);
  }

  /** A trace with a span; a real tracer may have begun a trace of its own. */
  static RequestTrace recorded(SpanContext parent, Span span) {
    SpanContext context = span.getSpanContext();
    SpanContext actual =
        context.isValid() && !context.getTraceId().equals(parent.getTraceId()) ? context : parent;
    return new RequestTrace(actual, Optional.of(span), true);
  }

  /** 32 hex digits. */
  String id() {
    SpanContext known = parent;
    if (known == null) {
      known = Traceparent.fresh();
      parent = known;
    }
    return known.getTraceId();
  }

  /** Adds the trace id to the response, if it was used. */
  void announce(ServerResponse response) {
    SpanContext known = parent;
    if (known != null) {
      String spanId =
          span.map(s -> s.getSpanContext().getSpanId())
              .filter(own -> !own.equals(known.getSpanId()) && !own.startsWith("0000000000000000"))
              .orElseGet(Traceparent::newSpanId);
      response.header(TRACEPARENT, Traceparent.of(known, spanId));
    }
  }

  void failed(Throwable thrown) {
    span.ifPresent(
        s -> {
          if (!(thrown instanceof Problem problem) || problem.status() >= 500) {
            s.setStatus(StatusCode.ERROR, String.valueOf(thrown.getMessage()));
          }
        });
  }

  void end() {
    scope.ifPresent(Scope::close);
    if (logged) {
      MDC.remove(MDC_KEY);
    }
    span.ifPresent(Span::end);
  }
}
