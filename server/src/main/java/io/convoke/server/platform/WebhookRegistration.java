package io.convoke.server.platform;

/**
 * Manages Convoke's webhook at the platform: checks and repairs its registration. Calls block the
 * calling virtual thread for a bounded time and report failure as a value.
 */
public interface WebhookRegistration {

  /** Reads the state of the registration. */
  WebhookRegistrationState check();

  /**
   * Creates, enables or corrects the webhook; returns the new state. Webhooks with another address
   * are not changed.
   */
  WebhookRegistrationState repair(WebhookRegistrationState seen);

  /** State of the webhook registration. */
  sealed interface WebhookRegistrationState {

    /** Active: right events, address and key. */
    record RegistrationActive() implements WebhookRegistrationState {}

    /** The platform disabled it after too many failed deliveries. */
    record RegistrationDisabled(String id) implements WebhookRegistrationState {}

    /** Active at this address, but lacks event types or signs with another key. */
    record RegistrationDiffers(String id) implements WebhookRegistrationState {}

    /** The account has no webhook. */
    record RegistrationMissing() implements WebhookRegistrationState {}

    /** The account's only webhook has another address. */
    record RegisteredElsewhere() implements WebhookRegistrationState {}

    /** The call failed. */
    record RegistrationUnknown(PlatformError outage) implements WebhookRegistrationState {}
  }
}
