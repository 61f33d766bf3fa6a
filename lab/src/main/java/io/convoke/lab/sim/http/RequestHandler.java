package io.convoke.lab.sim.http;

/** Answers a call. */
@FunctionalInterface
public interface RequestHandler {
  SimResponse handle(SimRequest simRequest);
}
