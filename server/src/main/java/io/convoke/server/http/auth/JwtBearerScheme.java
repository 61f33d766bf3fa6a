package io.convoke.server.http.auth;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.KeySourceException;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKMatcher;
import com.nimbusds.jose.jwk.JWKSelector;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.jwk.source.JWKSourceBuilder;
import com.nimbusds.jose.jwk.source.RateLimitReachedException;
import com.nimbusds.jose.proc.BadJOSEException;
import com.nimbusds.jose.proc.DefaultJOSEObjectTypeVerifier;
import com.nimbusds.jose.proc.JOSEObjectTypeVerifier;
import com.nimbusds.jose.proc.JWSKeySelector;
import com.nimbusds.jose.proc.JWSVerificationKeySelector;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jose.proc.SingleKeyJWSKeySelector;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.JWTParser;
import com.nimbusds.jwt.proc.DefaultJWTProcessor;
import io.convoke.server.http.ApiScope;
import io.convoke.server.http.Caller;
import io.convoke.server.http.Problem;
import java.net.MalformedURLException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.text.ParseException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongFunction;
import javax.crypto.spec.SecretKeySpec;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads user JWTs (RFC 7519); {@code sub} is the number of a user that must exist. A {@code scope}
 * claim (RFC 8693) that names scopes of ours limits the token to these; one that names others
 * alone, such as {@code openid email}, says nothing about us. Of the scopes of operators only
 * {@code admin} counts, and only where tokens must name an audience, so that no token for another
 * program makes an operator.
 */
public final class JwtBearerScheme implements BearerScheme {
  private static final Logger log = LoggerFactory.getLogger(JwtBearerScheme.class);
  private static final int MIN_SECRET_BYTES = 32;
  private static final int JWKS_TIMEOUT_MILLIS = 3000;
  private static final int JWKS_MAX_BYTES = 256 * 1024;
  private static final JWKSelector ANY_KEY = new JWKSelector(new JWKMatcher.Builder().build());
  private static final String KEY_SET = "The issuer's key set";

  /** The types of tokens that authenticate: JWTs, and access tokens by either name of RFC 9068. */
  public static final JOSEObjectTypeVerifier<SecurityContext> TYPES =
      new DefaultJOSEObjectTypeVerifier<>(
          JOSEObjectType.JWT,
          new JOSEObjectType("at+jwt"),
          new JOSEObjectType("application/at+jwt"),
          null);

  private final List<DefaultJWTProcessor<SecurityContext>> processors = new ArrayList<>();
  private final LongFunction<Optional<Set<Long>>> teamMates;
  private final boolean mayBeAdmin;

  private record JwtSubject(long userId, Set<ApiScope> scopes) {}

  /**
   * @param teamMates the other members of a user's teams; empty without such a user
   * @throws IllegalArgumentException if the secret is shorter than HS256 needs, or the address is
   *     none
   */
  public JwtBearerScheme(
      JwtConfig terms, LongFunction<Optional<Set<Long>>> teamMates, InstantSource clock) {
    this.teamMates = teamMates;
    this.mayBeAdmin = terms.audience().isPresent();
    terms
        .secret()
        .map(JwtBearerScheme::sharedKey)
        .ifPresent(keys -> processors.add(processor(keys, terms, clock)));
    terms
        .jwksUrl()
        .map(JwtBearerScheme::publishedKeys)
        .ifPresent(keys -> processors.add(processor(keys, terms, clock)));
  }

  @Override
  public Optional<Caller> authenticate(String token) {
    if (processors.isEmpty() || token.chars().filter(c -> c == '.').count() != 2) {
      return Optional.empty();
    }
    return processors.stream()
        .flatMap(processor -> subject(processor, token).stream())
        .findFirst()
        .flatMap(
            subject ->
                teamMates
                    .apply(subject.userId())
                    .map(
                        mates ->
                            Caller.ofUser(
                                subject.userId(), subject.scopes(), Optional.empty(), mates)));
  }

  /** The {@code exp} of a token, verified or not. */
  @SuppressWarnings("JavaUtilDate") // the library's own signature
  static Optional<Instant> end(String token) {
    try {
      return Optional.ofNullable(JWTParser.parse(token).getJWTClaimsSet().getExpirationTime())
          .map(Date::toInstant);
    } catch (ParseException _) {
      return Optional.empty();
    }
  }

  private Optional<JwtSubject> subject(
      DefaultJWTProcessor<SecurityContext> processor, String token) {
    try {
      JWTClaimsSet claims = processor.process(token, null);
      long user = Long.parseLong(claims.getSubject());
      return user > 0 ? Optional.of(new JwtSubject(user, scopes(claims))) : Optional.empty();
    } catch (RateLimitReachedException _) {
      log.debug("a JWT was refused: its key is unknown, and the JWKS was read just now");
      return Optional.empty();
    } catch (KeySourceException e) {
      log.warn("the JWKS cannot be read: {}", e.getMessage());
      throw Problem.unavailable(KEY_SET);
    } catch (ParseException | BadJOSEException | JOSEException | NumberFormatException e) {
      log.debug("a JWT was refused: {}", e.getMessage());
      return Optional.empty();
    }
  }

  private Set<ApiScope> scopes(JWTClaimsSet claims) {
    Set<ApiScope> named = ApiScope.namedIn(claims.getClaim("scope"));
    // Words that tokens for other programs hold too.
    boolean _ = named.removeAll(Set.of(ApiScope.VIEWER, ApiScope.OPERATOR));
    if (named.isEmpty()) {
      return ApiScope.UNLESS_NAMED;
    }
    if (!mayBeAdmin) {
      boolean _ = named.remove(ApiScope.ADMIN);
    }
    return named;
  }

  /** The only key, for any {@code kid} of a token: some issuers set one. */
  private static JWSKeySelector<SecurityContext> sharedKey(String secret) {
    byte[] bytes = secret.getBytes(StandardCharsets.UTF_8);
    if (bytes.length < MIN_SECRET_BYTES) {
      throw new IllegalArgumentException("CONVOKE_JWT_SECRET needs at least 32 bytes for HS256");
    }
    return new SingleKeyJWSKeySelector<>(
        JWSAlgorithm.HS256, new SecretKeySpec(bytes, "HmacSHA256"));
  }

  private static JWSKeySelector<SecurityContext> publishedKeys(URI url) {
    try {
      JWKSource<SecurityContext> source =
          JWKSourceBuilder.create(
                  url.toURL(),
                  new com.nimbusds.jose.util.DefaultResourceRetriever(
                      JWKS_TIMEOUT_MILLIS, JWKS_TIMEOUT_MILLIS, JWKS_MAX_BYTES))
              .retrying(true)
              .outageTolerant(true)
              .build();
      return new JWSVerificationKeySelector<>(
          Set.of(JWSAlgorithm.RS256, JWSAlgorithm.ES256), known(source, KEY_SET));
    } catch (MalformedURLException | IllegalArgumentException e) {
      throw new IllegalArgumentException("CONVOKE_JWKS_URL is not an absolute address", e);
    }
  }

  /**
   * Keys that are asked for only once one is known: without any a good token is not told from a
   * wrong one, however often they were read.
   *
   * @param whose what the answer 503 calls unavailable until then
   */
  public static JWKSource<SecurityContext> known(JWKSource<SecurityContext> source, String whose) {
    return (selector, context) -> {
      try {
        List<JWK> _ = source.get(ANY_KEY, context);
      } catch (RateLimitReachedException _) {
        throw Problem.unavailable(whose);
      }
      return source.get(selector, context);
    };
  }

  private static DefaultJWTProcessor<SecurityContext> processor(
      JWSKeySelector<SecurityContext> keys, JwtConfig terms, InstantSource clock) {
    DefaultJWTProcessor<SecurityContext> processor = new DefaultJWTProcessor<>();
    processor.setJWSTypeVerifier(TYPES);
    processor.setJWSKeySelector(keys);
    processor.setJWTClaimsSetVerifier(
        new JwtClaimsVerifier(terms.audience(), terms.issuer(), clock));
    return processor;
  }
}
