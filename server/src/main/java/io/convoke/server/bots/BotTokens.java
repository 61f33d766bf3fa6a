package io.convoke.server.bots;

import io.convoke.engine.crypto.SecretBox;
import io.convoke.engine.sql.Tx;
import io.convoke.server.http.Caller;
import io.convoke.server.http.auth.BearerScheme;
import io.convoke.server.http.auth.TokenSigner;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Tokens of bots: {@code cvb_<meeting>_<attempt>_<connection>_<mac>}. They are derived, not stored:
 * any node can derive one from the row and check one without a store. A token is valid for its own
 * launch only; whether that launch is still the current one is decided where the row is read.
 */
public final class BotTokens implements BearerScheme {
  private static final Pattern FORM =
      Pattern.compile(
          "cvb_([0-9]{1,18})_([0-9]{1,9})_([0-9a-f-]{36})_(" + TokenSigner.SIGNATURE + ")");

  private final TokenSigner signer;
  private final String signingKey;

  /**
   * Tokens with keys derived from each key of {@code CONVOKE_SECRET_KEY} for this purpose: the
   * first signs, all verify, so that tokens outlive a rotation.
   */
  public BotTokens(SecretBox secrets) {
    this.signingKey = HexFormat.of().formatHex(secrets.head());
    this.signer = new TokenSigner(secrets, "bot-token");
  }

  /** The name of the key that signs; launches record it. */
  String signingKey() {
    return signingKey;
  }

  /** How many live bots have a token that another key than the first one signed. */
  public static long liveOfOtherKeys(Tx tx, SecretBox secrets) {
    return tx.sql(
            """
            select count(*) as bots from meetings m
            left join bot_launches l on l.meeting_id = m.id and l.attempt = m.attempt
            where not m.tracked
              and (m.status in ('starting', 'active', 'stopping')
                or (m.status in ('requested', 'reserved') and l.meeting_id is not null))
              and l.token_key is distinct from ?
            """)
        .with(new BotTokens(secrets).signingKey())
        .one(row -> row.longAt("bots"));
  }

  String of(BotRow row) {
    return of(row.id(), row.attempt(), row.connectionId());
  }

  /** The token of a launch. */
  public String of(long meetingId, int attempt, String connectionId) {
    String claim = meetingId + "_" + attempt + "_" + connectionId;
    return "cvb_" + claim + "_" + signer.sign(claim);
  }

  @Override
  public Optional<Caller> authenticate(String token) {
    Matcher form = FORM.matcher(token);
    if (!form.matches()) {
      return Optional.empty();
    }
    String claim = form.group(1) + "_" + form.group(2) + "_" + form.group(3);
    return signer.verifies(claim, form.group(4))
        ? Optional.of(
            new Caller.BotCaller(
                Long.parseLong(form.group(1)), form.group(3), Integer.parseInt(form.group(2))))
        : Optional.empty();
  }
}
