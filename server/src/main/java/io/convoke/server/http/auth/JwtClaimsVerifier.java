package io.convoke.server.http.auth;

import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.proc.BadJWTException;
import com.nimbusds.jwt.proc.DefaultJWTClaimsVerifier;
import java.time.InstantSource;
import java.util.Date;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Verifies the claims of a token: it has a subject and is not expired, and names the audience and
 * the issuer that it must name. The library takes a claim that is null for one that is there.
 */
public final class JwtClaimsVerifier extends DefaultJWTClaimsVerifier<SecurityContext> {
  private static final int CLOCK_SKEW_SECONDS = 5;

  private final InstantSource clock;

  /**
   * @param audience that a token must name; empty: any or none
   * @param issuer likewise
   */
  public JwtClaimsVerifier(
      Optional<String> audience, Optional<String> issuer, InstantSource clock) {
    super(audience.orElse(null), exact(issuer), Set.of("sub", "exp"));
    this.clock = clock;
    setMaxClockSkew(CLOCK_SKEW_SECONDS);
  }

  private static @Nullable JWTClaimsSet exact(Optional<String> issuer) {
    return issuer.map(name -> new JWTClaimsSet.Builder().issuer(name).build()).orElse(null);
  }

  @Override
  public void verify(JWTClaimsSet claims, @Nullable SecurityContext context)
      throws BadJWTException {
    super.verify(claims, context);
    if (claims.getSubject() == null || claims.getExpirationTime() == null) {
      throw new BadJWTException("JWT claim sub or exp is null");
    }
  }

  @Override
  @SuppressWarnings("JavaUtilDate") // the library's own signature
  protected Date currentTime() {
    return Date.from(clock.instant());
  }
}
