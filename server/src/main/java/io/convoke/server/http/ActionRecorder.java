package io.convoke.server.http;

import java.util.concurrent.Callable;

/**
 * Records what people change. The listener passes every request of a user or an operator by another
 * method than GET through it, so that no route is left out.
 */
@FunctionalInterface
public interface ActionRecorder {
  /** Records nothing. */
  ActionRecorder NONE = (_, _, work) -> work.call();

  /**
   * Runs the handler of a request, and records the action unless it is refused.
   *
   * @param request whose {@link Request#action()} the handler may complete
   */
  Response run(Endpoint endpoint, Request request, Callable<Response> work) throws Exception;
}
