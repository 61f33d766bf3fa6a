package io.convoke.server.platform;

/**
 * The webhook that a platform keeps for our account: how it stands over there, and how to put it
 * right. Calls block the calling virtual thread for a bounded time and report failure as a value.
 */
public interface WebhookRegistration {

  /** How it stands. Changes nothing. */
  WebhookRegistrationState check();

  /**
   * Registers what is missing, sets going what was stopped, corrects what differs; answers how it
   * stands then. A webhook of somebody else is left alone.
   */
  WebhookRegistrationState repair(WebhookRegistrationState seen);

  /** How a webhook stands at the platform. */
  sealed interface WebhookRegistrationState {

    /** It sends what we want, to where we are, signed with our key. */
    record RegistrationActive() implements WebhookRegistrationState {}

    /** The platform stopped sending, because too many deliveries failed. */
    record RegistrationDisabled(String id) implements WebhookRegistrationState {}

    /** It is ours and sends, but not every event that we want, or signed with another key. */
    record RegistrationDiffers(String id) implements WebhookRegistrationState {}

    /** The account has none. */
    record RegistrationMissing() implements WebhookRegistrationState {}

    /** The account's only webhook leads to another address. */
    record RegisteredElsewhere() implements WebhookRegistrationState {}

    /** The platform did not tell, or refused. */
    record RegistrationUnknown(PlatformError outage) implements WebhookRegistrationState {}
  }
}
