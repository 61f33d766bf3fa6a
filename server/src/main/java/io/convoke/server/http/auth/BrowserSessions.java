package io.convoke.server.http.auth;

import io.convoke.engine.crypto.SecretBox;
import io.convoke.server.http.Problem;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/**
 * Browser sessions: the sign-in credential and the session's end, encrypted with {@code
 * CONVOKE_SECRET_KEY}. Only the browser holds it; there is no session table. Each request checks
 * the credential inside like a header, so that a revoked key ends its sessions too.
 */
public final class BrowserSessions {
  private static final Duration LIFE = Duration.ofHours(12);
  private static final String PURPOSE = "session";

  /** The credential of a session and the session's end. */
  record BrowserSession(Credential credential, Instant end) {}

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

  /** How long it still counts. */
  Duration left(BrowserSession browserSession) {
    return Duration.between(clock.instant(), browserSession.end());
  }

  /** The session as text that only we can open. */
  String seal(BrowserSession browserSession) {
    Credential credential = browserSession.credential();
    String text =
        browserSession.end().getEpochSecond() + " " + credential.kind() + " " + credential.secret();
    return box.seal(PURPOSE, text);
  }

  /** The session in a text; empty if it has ended, was not sealed by us, or is anything else. */
  Optional<BrowserSession> open(String sealed) {
    try {
      String[] parts = box.open(PURPOSE, sealed).split(" ", 3);
      Credential credential = new Credential(Credential.CredentialKind.valueOf(parts[1]), parts[2]);
      BrowserSession browserSession =
          new BrowserSession(credential, Instant.ofEpochSecond(Long.parseLong(parts[0])));
      return Optional.of(browserSession).filter(this::isOpen);
    } catch (SecretBox.UnsealFailure _) {
      return Optional.empty();
    }
  }

  private boolean isOpen(BrowserSession browserSession) {
    return browserSession.end().isAfter(clock.instant());
  }
}
