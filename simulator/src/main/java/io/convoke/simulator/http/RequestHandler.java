package io.convoke.simulator.http;

/** Answers a call. */
@FunctionalInterface
public interface RequestHandler {
  SimResponse handle(SimRequest simRequest);
}
