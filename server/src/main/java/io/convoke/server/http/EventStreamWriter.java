package io.convoke.server.http;

/** Writes a server-sent event stream until it returns, the client leaves or the server stops. */
@FunctionalInterface
public interface EventStreamWriter {
  /**
   * Runs on the request's virtual thread. It is interrupted when the server stops; loop while
   * {@link EventStream#open()} and send a heartbeat whenever {@link EventStream#HEARTBEAT} passed
   * without an event.
   */
  void write(EventStream out) throws InterruptedException;
}
