package io.convoke.server.oidc;

import com.nimbusds.jwt.JWTClaimsSet;
import io.convoke.server.http.OperatorRole;
import io.convoke.server.users.FederatedIdentity;
import java.util.Optional;
import java.util.stream.Stream;

/** A person as verified claims describe one. */
record OidcPerson(FederatedIdentity identity, Optional<OperatorRole> role) {
  private static final int NAME_MAX = 200;
  private static final int EMAIL_MAX = 320;
  private static final int SUBJECT_MAX = 255;

  /** Empty if the subject is longer than OpenID Connect permits, or cannot be stored as it is. */
  static Optional<OidcPerson> of(
      OidcConfig config, JWTClaimsSet claims, Optional<OperatorRole> role) {
    String subject = claims.getSubject();
    return subject.isEmpty() || subject.length() > SUBJECT_MAX || !storable(subject)
        ? Optional.empty()
        : Optional.of(
            new OidcPerson(
                new FederatedIdentity(
                    config.issuer().toString(),
                    subject,
                    verifiedEmail(claims),
                    name(claims),
                    role.isPresent()),
                role));
  }

  /** Some issuers write the flag as text. */
  private static Optional<String> verifiedEmail(JWTClaimsSet claims) {
    Object verified = claims.getClaim("email_verified");
    return Boolean.TRUE.equals(verified) || "true".equals(verified)
        ? text(claims, "email")
            .filter(email -> email.indexOf('@') > 0 && email.length() <= EMAIL_MAX)
        : Optional.empty();
  }

  private static Optional<String> name(JWTClaimsSet claims) {
    return Stream.of("name", "preferred_username")
        .flatMap(claim -> text(claims, claim).stream())
        .findFirst()
        .map(name -> name.substring(0, Math.min(NAME_MAX, name.length())));
  }

  private static Optional<String> text(JWTClaimsSet claims, String claim) {
    return claims.getClaim(claim) instanceof String text && !text.isBlank() && storable(text)
        ? Optional.of(text)
        : Optional.empty();
  }

  /** Postgres has no NUL, and half of a surrogate pair would become a question mark. */
  private static boolean storable(String text) {
    return text.codePoints()
        .noneMatch(point -> point == 0 || Character.getType(point) == Character.SURROGATE);
  }
}
