package io.convoke.simulator.http;

/** What is done around every handler of a group: authentication, limits, counting. */
@FunctionalInterface
public interface RequestFilter {
  SimResponse answer(SimRequest simRequest, RequestHandler requestHandler);
}
