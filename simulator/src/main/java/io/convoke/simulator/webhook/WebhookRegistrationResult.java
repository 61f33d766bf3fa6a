package io.convoke.simulator.webhook;

/** The result of registering or updating a webhook. */
public sealed interface WebhookRegistrationResult {

  record RegistrationAccepted(WebhookEndpoint endpoint) implements WebhookRegistrationResult {}

  /** The domain has its one webhook already. */
  record RegistrationConflict() implements WebhookRegistrationResult {}

  /** No webhook has that id. */
  record RegistrationNotFound() implements WebhookRegistrationResult {}

  /** The request makes no sense, or the address did not answer the test with 200. */
  record RegistrationRefused(String info) implements WebhookRegistrationResult {}
}
