package io.convoke.lab.sim.webhook;

/** What came of registering or updating a webhook. */
public sealed interface Registration {

  record Accepted(Endpoint endpoint) implements Registration {}

  /** The domain has its one webhook already. */
  record Taken() implements Registration {}

  /** No webhook has that id. */
  record Unknown() implements Registration {}

  /** The request makes no sense, or the address did not answer the test with 200. */
  record Refused(String info) implements Registration {}
}
