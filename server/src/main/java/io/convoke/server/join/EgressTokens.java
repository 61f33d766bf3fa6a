package io.convoke.server.join;

import io.convoke.engine.crypto.SecretBox;
import io.convoke.server.http.Problem;
import io.convoke.server.http.auth.TokenSigner;
import io.convoke.server.platform.janus.JanusAdmin;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Signed tokens with which a user has a pod record a room: {@code cve_<user>_<room in
 * base64>_<mac>}. They are the user's own and open nothing at Janus: the secret of the room, which
 * stays when the room changes hands, takes their place when a task is accepted, and only the pod
 * sees it.
 */
public final class EgressTokens {
  private static final String MARK = "cve_";
  private static final Pattern FORM =
      Pattern.compile(
          MARK + "([0-9]{1,18})_([A-Za-z0-9_-]{1,400})_(" + TokenSigner.SIGNATURE + ")");

  private final TokenSigner signer;
  private final JanusRoomKeys keys;

  /** Tokens with keys derived from each key of {@code CONVOKE_SECRET_KEY}. */
  public EgressTokens(JanusAdmin admin, SecretBox secrets) {
    this.signer = new TokenSigner(secrets, "egress-token");
    this.keys = new JanusRoomKeys(admin, secrets);
  }

  /** The token of a user for a room. */
  String of(long user, String room) {
    String claim =
        user
            + "_"
            + Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(room.getBytes(StandardCharsets.UTF_8));
    return MARK + claim + "_" + signer.sign(claim);
  }

  /**
   * The secret of the room, for one of our tokens; what else is given is the secret of a room that
   * its user made at Janus, and stays.
   *
   * @param user whose task it is; empty is the operator, who may use every user's token
   * @throws Problem 403 if the token is another user's or of another room, or if it is the secret
   *     of one of our rooms, which earlier releases gave to its owners; 503 if Janus does not say
   *     which secret the room has, while the secret key rotates
   */
  public String secret(String given, Optional<Long> user, String room) {
    if (keys.of(room).stream().anyMatch(key -> key.secret().equals(given))) {
      throw refused();
    }
    if (!given.startsWith(MARK)) {
      return given;
    }
    Matcher form = FORM.matcher(given);
    if (!form.matches()
        || !signer.verifies(form.group(1) + "_" + form.group(2), form.group(3))
        || !room(form.group(2)).equals(room)
        || user.filter(its -> its != Long.parseLong(form.group(1))).isPresent()) {
      throw refused();
    }
    return keys.current(room).orElseThrow(() -> Problem.unavailable("Janus")).secret();
  }

  private static String room(String encoded) {
    try {
      return new String(Base64.getUrlDecoder().decode(encoded), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException notBase64) {
      return "";
    }
  }

  private static Problem refused() {
    return Problem.of(
        403,
        "egress_token_refused",
        "The access_token is no egress_token of this user for this room; POST /rooms answers one.");
  }
}
