package io.convoke.server.http.listener;

import io.convoke.server.http.Problem;
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
  private @Nullable TraceContext traceContext;

  private RequestTrace(@Nullable TraceContext traceContext, Optional<Span> span, boolean logged) {
    this.traceContext = traceContext;
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

  static RequestTrace quiet(TraceContext traceContext) {
    return new RequestTrace(traceContext, Optional.empty(), false);
  }

  /** A trace for log lines and the response only, without exported spans. */
  static RequestTrace logged(TraceContext traceContext) {
    return new RequestTrace(traceContext, Optional.empty(), true);
  }

  /** A trace with a span; a real tracer may have begun a trace of its own. */
  static RequestTrace recorded(TraceContext traceContext, Span span) {
    SpanContext context = span.getSpanContext();
    TraceContext actual =
        context.isValid() && !context.getTraceId().equals(traceContext.traceId())
            ? new TraceContext(context.getTraceId(), context.getSpanId(), context.isSampled())
            : traceContext;
    return new RequestTrace(actual, Optional.of(span), true);
  }

  /** 32 hex digits. */
  String id() {
    TraceContext known = traceContext;
    if (known == null) {
      known = TraceContext.fresh();
      traceContext = known;
    }
    return known.traceId();
  }

  /** Adds the trace id to the response, if it was used. */
  void announce(ServerResponse response) {
    TraceContext known = traceContext;
    if (known != null) {
      String spanId =
          span.map(s -> s.getSpanContext().getSpanId())
              .filter(own -> !own.equals(known.parentId()) && !own.startsWith("0000000000000000"))
              .orElseGet(TraceContext::newSpanId);
      response.header(TRACEPARENT, known.traceparent(spanId));
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
