package io.convoke.server.http.listener;

import io.convoke.engine.json.Json;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.OperationCall;
import io.convoke.server.http.OperationCalls;
import io.convoke.server.http.Problem;
import io.convoke.server.http.RequestBodyKind;
import io.convoke.server.http.Response;
import io.convoke.server.http.auth.AuthContext;
import io.convoke.server.http.auth.CallerRateLimiter;
import io.convoke.server.http.auth.CallerResolver;
import io.convoke.server.http.listener.OperationRunner.OperationInput;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import tools.jackson.databind.JsonNode;

/** The operations that the caller of one request may call from within it. */
record CallerOperations(
    OperationRunner runner,
    CallerRateLimiter limits,
    AuthContext authContext,
    Supplier<String> traceId)
    implements OperationCalls {

  @Override
  public boolean permits(String operation) {
    try {
      CompiledOperation _ = admitted(operation);
      return true;
    } catch (Problem _) {
      return false;
    }
  }

  @Override
  public void check(OperationCall call) {
    CompiledOperation operation = admitted(call.operation());
    operation.checkParameters(call.path(), call.query(), headers(call));
    RequestBody _ = body(operation, call);
  }

  @Override
  public Response call(OperationCall call) {
    CompiledOperation operation = admitted(call.operation());
    CallerRateLimiter.RateLimitState state = limits.tryAcquire(authContext.caller().scope());
    if (!state.admitted()) {
      throw Problem.tooMany("rate_limited", "Too many requests; slow down.", state.untilNext());
    }
    try {
      return runner.run(
          operation,
          new OperationInput(
              authContext,
              call.path(),
              call.query(),
              headers(call),
              () -> body(operation, call),
              call.idempotencyKey(),
              traceId));
    } catch (Exception e) {
      if (e instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      throw ExceptionMapper.problem(e, operation.endpoint(), traceId.get());
    }
  }

  private CompiledOperation admitted(String id) {
    CompiledOperation operation =
        runner.find(id).orElseThrow(() -> Problem.notFound("operation here"));
    CallerResolver.admit(operation.endpoint(), authContext.caller());
    return operation;
  }

  private static Function<String, Optional<String>> headers(OperationCall call) {
    return name ->
        name.toLowerCase(Locale.ROOT).equals("idempotency-key")
            ? call.idempotencyKey()
            : Optional.empty();
  }

  private static RequestBody body(CompiledOperation operation, OperationCall call) {
    Endpoint endpoint = operation.endpoint();
    return switch (endpoint.body()) {
      case RequestBodyKind.NoRequestBody() -> RequestBody.NONE;
      case RequestBodyKind.JsonRequestBody(_, boolean required, _) -> {
        if (call.body().isEmpty() && !required) {
          yield RequestBody.NONE;
        }
        JsonNode tree = call.body().orElseGet(() -> Json.mapper().createObjectNode());
        operation.checkBody(tree);
        yield new RequestBody(Json.bytes(tree), Optional.of(tree));
      }
      case RequestBodyKind.RawRequestBody _, RequestBodyKind.StreamedRequestBody _ ->
          throw new IllegalArgumentException(endpoint + " takes no JSON");
    };
  }
}
