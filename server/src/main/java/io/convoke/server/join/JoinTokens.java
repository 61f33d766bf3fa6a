package io.convoke.server.join;

import io.convoke.engine.crypto.SecretBox;
import io.convoke.server.http.auth.TokenSigner;
import io.convoke.server.join.JoinPass.JoinRole;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Signed tokens of join links: {@code cvj_<role>_<user>_<expiry in s>_<room in base64>_<mac>}. They
 * are not stored: each node checks one without a store, and whether the room still belongs to that
 * user is decided where the row is read.
 */
final class JoinTokens {
  private static final Pattern FORM =
      Pattern.compile(
          "cvj_(host|guest)_([0-9]{1,18})_([0-9]{1,11})_([A-Za-z0-9_-]{1,400})_("
              + TokenSigner.SIGNATURE
              + ")");

  private final TokenSigner signer;

  /**
   * Tokens with keys derived from each key of {@code CONVOKE_SECRET_KEY}: the first signs, all
   * verify.
   */
  JoinTokens(SecretBox secrets) {
    this.signer = new TokenSigner(secrets, "join-token");
  }

  /** The token of a pass. */
  String of(JoinPass pass) {
    String claim =
        "%s_%d_%d_%s"
            .formatted(
                pass.role().text(),
                pass.user(),
                pass.expires().getEpochSecond(),
                Base64.getUrlEncoder()
                    .withoutPadding()
                    .encodeToString(pass.room().getBytes(StandardCharsets.UTF_8)));
    return "cvj_" + claim + "_" + signer.sign(claim);
  }

  /** The pass of a token, which may have expired; empty if it is not ours. */
  Optional<JoinPass> read(String token) {
    Matcher form = FORM.matcher(token);
    if (!form.matches()) {
      return Optional.empty();
    }
    String claim = form.group(1) + "_" + form.group(2) + "_" + form.group(3) + "_" + form.group(4);
    return signer.verifies(claim, form.group(5))
        ? Optional.of(
            new JoinPass(
                new String(Base64.getUrlDecoder().decode(form.group(4)), StandardCharsets.UTF_8),
                Long.parseLong(form.group(2)),
                form.group(1).equals("host") ? JoinRole.HOST : JoinRole.GUEST,
                Instant.ofEpochSecond(Long.parseLong(form.group(3)))))
        : Optional.empty();
  }
}
