package io.convoke.server.oidc;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.KeySourceException;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.jwk.source.RateLimitReachedException;
import com.nimbusds.jose.proc.BadJOSEException;
import com.nimbusds.jose.proc.JWSVerificationKeySelector;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import com.nimbusds.jwt.proc.DefaultJWTProcessor;
import io.convoke.server.http.Problem;
import io.convoke.server.http.auth.JwtBearerScheme;
import io.convoke.server.http.auth.JwtClaimsVerifier;
import java.text.ParseException;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Verifies tokens of the issuer: signed with one of its keys by RS256, PS256 or ES256, not expired,
 * from this issuer and for us. Whatever cannot be verified is refused.
 */
final class OidcTokenVerifier {
  private static final Logger log = LoggerFactory.getLogger(OidcTokenVerifier.class);
  private static final Set<JWSAlgorithm> ALGORITHMS =
      Set.of(JWSAlgorithm.RS256, JWSAlgorithm.PS256, JWSAlgorithm.ES256);

  private static final String ISSUER = "The identity provider";

  private final OidcConfig config;
  private final DefaultJWTProcessor<SecurityContext> bearer;
  private final DefaultJWTProcessor<SecurityContext> identity;
  private final DefaultJWTProcessor<SecurityContext> received;

  OidcTokenVerifier(OidcConfig config, JWKSource<SecurityContext> keys, InstantSource clock) {
    this.config = config;
    JWKSource<SecurityContext> known = JwtBearerScheme.known(keys, ISSUER);
    this.bearer = processor(known, claims(config, Optional.of(config.audience()), clock));
    this.identity = processor(known, claims(config, Optional.of(config.clientId()), clock));
    this.received = processor(known, claims(config, Optional.empty(), clock));
  }

  private static JwtClaimsVerifier claims(
      OidcConfig config, Optional<String> audience, InstantSource clock) {
    return new JwtClaimsVerifier(audience, Optional.of(config.issuer().toString()), clock);
  }

  /** Whether a text claims to be a token of this issuer; nothing is verified. */
  boolean concerns(String token) {
    return parsed(token)
        .filter(claims -> config.issuer().toString().equals(claims.getIssuer()))
        .isPresent();
  }

  /**
   * The claims of a bearer token.
   *
   * @throws Problem 503 while no key of the issuer is known
   */
  Optional<JWTClaimsSet> bearerToken(String token) {
    return verified(bearer, token, Level.DEBUG);
  }

  /**
   * The claims of the ID token of a sign-in. Why one is refused is logged for the operator: it came
   * from the issuer, so no outsider fills the log.
   */
  Optional<JWTClaimsSet> idToken(String token, String nonce) {
    return verified(identity, token, Level.WARN).filter(claims -> belongs(claims, nonce));
  }

  private boolean belongs(JWTClaimsSet claims, String nonce) {
    boolean ours =
        claims.getClaim("azp") == null
            ? claims.getAudience().size() == 1
            : config.clientId().equals(claims.getClaim("azp"));
    if (!ours) {
      log.warn("an ID token was refused: its aud and azp do not name us alone");
      return false;
    }
    if (!nonce.equals(claims.getClaim("nonce"))) {
      log.warn("an ID token was refused: its nonce is not that of the sign-in");
      return false;
    }
    return true;
  }

  /**
   * The claims of an access token that the issuer has just handed to us beside an ID token: it may
   * be for others, and still tells the person's roles.
   */
  Optional<JWTClaimsSet> accessToken(String token, String subject) {
    return concerns(token)
        ? verified(received, token, Level.DEBUG)
            .filter(claims -> subject.equals(claims.getSubject()))
        : Optional.empty();
  }

  /**
   * The claims of a good token.
   *
   * @param refusal how a refusal is logged
   */
  private static Optional<JWTClaimsSet> verified(
      DefaultJWTProcessor<SecurityContext> processor, String token, Level refusal) {
    try {
      return Optional.of(processor.process(SignedJWT.parse(token), null));
    } catch (RateLimitReachedException _) {
      log.atLevel(refusal)
          .log("a token was refused: its key is unknown, and the keys were read just now");
      return Optional.empty();
    } catch (KeySourceException e) {
      log.warn("the issuer's keys cannot be read: {}", e.getMessage());
      throw Problem.unavailable(ISSUER);
    } catch (ParseException | BadJOSEException | JOSEException e) {
      log.atLevel(refusal).log("a token was refused: {}", e.getMessage());
      return Optional.empty();
    }
  }

  private static Optional<JWTClaimsSet> parsed(String token) {
    try {
      return Optional.ofNullable(SignedJWT.parse(token).getJWTClaimsSet());
    } catch (ParseException _) {
      return Optional.empty();
    }
  }

  private static DefaultJWTProcessor<SecurityContext> processor(
      JWKSource<SecurityContext> keys, JwtClaimsVerifier claims) {
    DefaultJWTProcessor<SecurityContext> processor = new DefaultJWTProcessor<>();
    processor.setJWSTypeVerifier(JwtBearerScheme.TYPES);
    processor.setJWSKeySelector(new JWSVerificationKeySelector<>(ALGORITHMS, keys));
    processor.setJWTClaimsSetVerifier(claims);
    return processor;
  }
}
