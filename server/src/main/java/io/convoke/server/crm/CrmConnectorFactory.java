package io.convoke.server.crm;

import io.convoke.server.platform.RateLimiter;
import java.net.URI;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Function;

/** CRMs by their dialect. */
public final class CrmConnectorFactory {
  private CrmConnectorFactory() {}

  /** A target that takes our own JSON; {@code secret} signs it. */
  public static CrmConnector generic(URI url, Optional<String> secret) {
    return new GenericCrm(url, secret, InstantSource.system());
  }

  /**
   * HubSpot, one account.
   *
   * @param token of a private app
   * @param owner of all meetings, an id or an e-mail address; empty: each meeting's user
   * @param limiter what all nodes together may send
   */
  public static CrmConnector hubSpot(
      URI base, Optional<String> token, Optional<String> owner, RateLimiter limiter) {
    return new HubSpotCrm(base, token, owner, limiter);
  }

  /**
   * HubSpot with accounts of users.
   *
   * @param token of a private app, for meetings of users who connected no account
   * @param accounts those that users connected
   * @param owner of the meetings in the token's account, an id or an e-mail address; empty, and in
   *     the accounts of users: each meeting's user
   * @param limiters what all nodes together may send to an account; of the token's the id is empty
   */
  public static CrmConnector hubSpotOfUsers(
      URI base,
      Optional<String> token,
      CrmAccounts accounts,
      Optional<String> owner,
      Function<String, RateLimiter> limiters) {
    return new HubSpotAccounts(
        new HubSpotCrm(base, token, owner, limiters.apply("")),
        token.isPresent(),
        accounts,
        limiters);
  }
}
