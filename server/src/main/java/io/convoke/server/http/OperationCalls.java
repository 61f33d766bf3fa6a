package io.convoke.server.http;

/**
 * Calls operations of this server for the caller of a request, each as if that caller had sent it:
 * with its own role, scope, rate, parameters, body, quota and audit row.
 */
public interface OperationCalls {
  /** Whether the caller's credential permits an operation; false for one that is not served. */
  boolean permits(String operation);

  /**
   * Checks a call without running it.
   *
   * @throws Problem 403, 404 or 400, as the call would
   */
  void check(OperationCall call);

  /**
   * Runs a call.
   *
   * @throws Problem whatever the operation refuses with
   */
  Response call(OperationCall call);
}
