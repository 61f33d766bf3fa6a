package io.convoke.server.http.listener;

import io.convoke.server.http.ActionDetails;
import io.convoke.server.http.Caller;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.Endpoint.HttpMethod;
import io.convoke.server.http.Response;
import io.convoke.server.http.auth.AuthContext;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Runs an operation for a caller who may call it: checks parameters, reads the body, answers a
 * known idempotency key again, calls the handler, records what a person changes.
 */
final class OperationRunner {
  private final Map<String, CompiledOperation> operations;
  private final DispatcherDependencies parts;

  /**
   * Runs these operations.
   *
   * @param operations all that are served, by their ids
   */
  OperationRunner(Map<String, CompiledOperation> operations, DispatcherDependencies parts) {
    this.operations = operations;
    this.parts = parts;
  }

  /**
   * What one call of an operation brings.
   *
   * @param body read after the parameters were checked
   * @param idempotencyKey empty: the operation runs however often it is called
   */
  record OperationInput(
      AuthContext authContext,
      Map<String, String> path,
      Map<String, List<String>> query,
      Function<String, Optional<String>> headers,
      Supplier<RequestBody> body,
      Optional<String> idempotencyKey,
      Supplier<String> traceId) {}

  /** The operation of this id; empty if this server has none. */
  Optional<CompiledOperation> find(String id) {
    return Optional.ofNullable(operations.get(id));
  }

  /** The answer of the operation. */
  Response run(CompiledOperation operation, OperationInput input) throws Exception {
    operation.checkParameters(input.path(), input.query(), input.headers());
    Endpoint endpoint = operation.endpoint();
    ValidatedRequest checked =
        new ValidatedRequest(
            endpoint,
            input.authContext(),
            input.path(),
            input.query(),
            input.headers(),
            input.body().get(),
            new ActionDetails(),
            parts.policies().quotas(),
            parts.streams()::streamsOf,
            new CallerOperations(this, parts.limits(), input.authContext(), input.traceId()),
            input.traceId());
    Optional<String> key = input.idempotencyKey();
    if (key.isEmpty()) {
      return handle(endpoint, checked);
    }
    return parts
        .idempotency()
        .run(checked, checked.parameters(), endpoint, key.get(), () -> handle(endpoint, checked));
  }

  /** Runs the handler; what a person changes is recorded. */
  private Response handle(Endpoint endpoint, ValidatedRequest request) throws Exception {
    boolean changes = endpoint.method() != HttpMethod.GET && !endpoint.callsOthers();
    return switch (request.caller()) {
      case Caller.UserCaller _, Caller.AdminCaller _ ->
          changes
              ? parts
                  .policies()
                  .actions()
                  .run(endpoint, request, () -> endpoint.handler().handle(request))
              : endpoint.handler().handle(request);
      case Caller.InternalCaller _, Caller.BotCaller _, Caller.AnonymousCaller _ ->
          endpoint.handler().handle(request);
    };
  }
}
