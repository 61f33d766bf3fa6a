package io.convoke.server.crm;

import io.convoke.server.platform.RateLimiter;
import java.net.URI;
import java.time.InstantSource;
import java.util.Optional;

/** CRMs by their dialect. */
public final class CrmConnectorFactory {
  private CrmConnectorFactory() {}

  /** A target that takes our own JSON; {@code secret} signs it. */
  public static CrmConnector generic(URI url, Optional<String> secret) {
    return new GenericCrm(url, secret, InstantSource.system());
  }

  /**
   * HubSpot.
   *
   * @param token of a private app
   * @param owner of all meetings, an id or an e-mail address; empty: each meeting's user
   * @param limiter what all nodes together may send
   */
  public static CrmConnector hubSpot(
      URI base, Optional<String> token, Optional<String> owner, RateLimiter limiter) {
    return new HubSpotCrm(base, token, owner, limiter);
  }
}
