package io.convoke.server.crm;

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

  /** HubSpot; {@code token} is that of a private app. */
  public static CrmConnector hubSpot(URI base, Optional<String> token) {
    return new HubSpotCrm(base, token);
  }
}
