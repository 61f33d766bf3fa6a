package io.convoke.server.crm;

import java.net.URI;
import java.time.InstantSource;
import java.util.Optional;

/** CRMs by their dialect. */
public final class Crms {
  private Crms() {}

  /** A target that takes our own JSON; {@code secret} signs it. */
  public static Crm generic(URI url, Optional<String> secret) {
    return new GenericCrm(url, secret, InstantSource.system());
  }

  /** HubSpot; {@code token} is that of a private app. */
  public static Crm hubSpot(URI base, Optional<String> token) {
    return new HubSpotCrm(base, token);
  }
}
