package io.convoke.server.http;

/**
 * What an endpoint does, as plain blocking code on a virtual thread of its own. Expected failures
 * are thrown as {@link Problem}; a store out of reach becomes 503; anything else becomes 500 with
 * the cause only in the log.
 */
@FunctionalInterface
public interface EndpointHandler {
  /** Answers one request whose caller, path, query and body have already been checked. */
  Response handle(Request request) throws Exception;
}
