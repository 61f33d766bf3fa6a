package io.convoke.server.http.auth;

import io.convoke.engine.crypto.SecretBox;
import io.convoke.server.http.OperatorRole;
import io.convoke.server.http.Problem;
import io.convoke.server.http.Request;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/**
 * Browser sessions: the sign-in credential, or the person whom the identity provider named, and the
 * session's end, encrypted with {@code CONVOKE_SECRET_KEY}. Only the browser holds it; there is no
 * session table. Each request checks the credential inside like a header, so that a revoked key
 * ends its sessions too, and a disabled user.
 */
public final class BrowserSessions {
  private static final Duration LIFE = Duration.ofHours(12);
  private static final String PURPOSE = "session";

  /** Of its own, so that a release that knows no people opens none of their sessions. */
  private static final String PERSON_PURPOSE = "session-person";

  private static final String NO_ROLE = "-";
  private static final int CREDENTIAL_PARTS = 3;
  private static final int PERSON_PARTS = 4;

  /** What a session proves, and the session's end. */
  record BrowserSession(SessionProof proof, Instant end) {}

  private final SecretBox box;
  private final InstantSource clock;

  /** Sessions sealed in this box. */
  public BrowserSessions(SecretBox box, InstantSource clock) {
    this.box = box;
    this.clock = clock;
  }

  /**
   * A session that begins now: twelve hours, or less if the credential ends sooner.
   *
   * @throws Problem 401 if the credential has ended
   */
  BrowserSession begin(Credential credential) {
    Instant latest = clock.instant().plus(LIFE);
    Instant end =
        switch (credential.kind()) {
          case API_KEY, ADMIN_KEY -> latest;
          case JWT ->
              JwtBearerScheme.end(credential.secret())
                  .filter(exp -> exp.isBefore(latest))
                  .orElse(latest);
        };
    BrowserSession browserSession =
        new BrowserSession(credential, end.truncatedTo(ChronoUnit.SECONDS));
    if (!isOpen(browserSession)) {
      throw Problem.unauthorized();
    }
    return browserSession;
  }

  /**
   * The {@code Set-Cookie} header of a session that begins now, for a person whom the identity
   * provider named: it lasts this long, twelve hours at most.
   */
  public String beginPerson(Request request, SignedInPerson person, Duration life) {
    Duration shorter = life.compareTo(LIFE) < 0 ? life : LIFE;
    Instant end = clock.instant().plus(shorter).truncatedTo(ChronoUnit.SECONDS);
    BrowserSession session = new BrowserSession(person, end);
    return new CsrfCheck(request::header).cookie().header(seal(session), left(session));
  }

  /** Whether the browser's connection is https, as the proxy before this server says. */
  public static boolean https(Request request) {
    return new CsrfCheck(request::header).cookie() == SessionCookie.HTTPS;
  }

  /** How long it still counts. */
  Duration left(BrowserSession browserSession) {
    return Duration.between(clock.instant(), browserSession.end());
  }

  /** The session as text that only we can open. */
  String seal(BrowserSession browserSession) {
    long end = browserSession.end().getEpochSecond();
    return switch (browserSession.proof()) {
      case Credential(Credential.CredentialKind kind, String secret) ->
          box.seal(PURPOSE, end + " " + kind + " " + secret);
      case SignedInPerson(String issuer, String subject, Optional<OperatorRole> role) ->
          box.seal(
              PERSON_PURPOSE,
              String.join(
                  " ",
                  String.valueOf(end),
                  role.map(OperatorRole::name).orElse(NO_ROLE),
                  issuer,
                  subject));
    };
  }

  /** The session in a text; empty if it has ended, was not sealed by us, or is anything else. */
  Optional<BrowserSession> open(String sealed) {
    return opened(PURPOSE, sealed, CREDENTIAL_PARTS)
        .map(parts -> session(parts, credential(parts)))
        .or(
            () ->
                opened(PERSON_PURPOSE, sealed, PERSON_PARTS)
                    .map(parts -> session(parts, person(parts))))
        .filter(this::isOpen);
  }

  /** The last part may have spaces. */
  private Optional<String[]> opened(String purpose, String sealed, int parts) {
    try {
      return Optional.of(box.open(purpose, sealed).split(" ", parts));
    } catch (SecretBox.UnsealFailure _) {
      return Optional.empty();
    }
  }

  private static BrowserSession session(String[] parts, SessionProof proof) {
    return new BrowserSession(proof, Instant.ofEpochSecond(Long.parseLong(parts[0])));
  }

  private static Credential credential(String[] parts) {
    return new Credential(Credential.CredentialKind.valueOf(parts[1]), parts[2]);
  }

  private static SignedInPerson person(String[] parts) {
    return new SignedInPerson(
        parts[2],
        parts[3],
        Optional.of(parts[1]).filter(role -> !role.equals(NO_ROLE)).map(OperatorRole::valueOf));
  }

  private boolean isOpen(BrowserSession browserSession) {
    return browserSession.end().isAfter(clock.instant());
  }
}
