package io.convoke.server.platform;

/**
 * The webhook that a platform keeps for our account: how it stands over there, and how to put it
 * right. Calls block the calling virtual thread for a bounded time and report failure as a value.
 */
public interface RemoteWebhook {

  /** How it stands. Changes nothing. */
  Standing look();

  /**
   * Registers what is missing, sets going what was stopped, corrects what differs; answers how it
   * stands then. A webhook of somebody else is left alone.
   */
  Standing mend(Standing seen);

  /** How a webhook stands at the platform. */
  sealed interface Standing {

    /** It sends what we want, to where we are, signed with our key. */
    record Active() implements Standing {}

    /** The platform stopped sending, because too many deliveries failed. */
    record Failed(String id) implements Standing {}

    /** It is ours and sends, but not every event that we want, or signed with another key. */
    record Differs(String id) implements Standing {}

    /** The account has none. */
    record Missing() implements Standing {}

    /** The account's only webhook leads to another address. */
    record Elsewhere() implements Standing {}

    /** The platform did not tell, or refused. */
    record Unknown(Outage outage) implements Standing {}
  }
}
