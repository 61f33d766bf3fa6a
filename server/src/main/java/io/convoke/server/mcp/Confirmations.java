package io.convoke.server.mcp;

import io.convoke.engine.crypto.SecretBox;
import io.convoke.engine.json.Json;
import io.convoke.server.http.Caller;
import io.convoke.server.http.Problem;
import io.convoke.server.http.auth.TokenSigner;
import io.convoke.server.http.schema.StrictJsonReader;
import io.convoke.server.mcp.McpTool.ToolCall;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.node.ObjectNode;

/**
 * Signed confirmations: {@code cvm_<expiry in s>_<number>_<mac>}. The first call of a tool that
 * acts gets one, the second shows it. It is good for the key, the tool and the arguments that it
 * was made for, on every node, and for one action: its number is the idempotency key.
 */
final class Confirmations {
  /** How long one is valid: time for a person to read what would happen. */
  static final Duration VALID = Duration.ofMinutes(10);

  /** The arguments that are not part of what is confirmed. */
  static final String CONFIRM = "confirm";

  static final String DRY_RUN = "dry_run";

  private static final Pattern FORM =
      Pattern.compile("cvm_([0-9]{1,11})_([0-9a-f]{32})_(" + TokenSigner.SIGNATURE + ")");
  private static final int NUMBER_BYTES = 16;

  private final TokenSigner signer;
  private final InstantSource clock;
  private final SecureRandom random = new SecureRandom();

  Confirmations(SecretBox secrets, InstantSource clock) {
    this.signer = new TokenSigner(secrets, "mcp-confirmation");
    this.clock = clock;
  }

  /** A token with its end. */
  record Confirmation(String token, Instant expiresAt) {}

  /** A confirmation of this call. */
  Confirmation of(ToolCall call) {
    Instant expires = Instant.ofEpochSecond(clock.instant().plus(VALID).getEpochSecond());
    byte[] number = new byte[NUMBER_BYTES];
    random.nextBytes(number);
    String head = expires.getEpochSecond() + "_" + HexFormat.of().formatHex(number);
    return new Confirmation("cvm_" + head + "_" + signer.sign(claim(head, call)), expires);
  }

  /**
   * The number of a confirmation of this call.
   *
   * @throws Problem 409 if it is of another key, tool or arguments, or has expired
   */
  String check(String token, ToolCall call) {
    Matcher form = FORM.matcher(token);
    if (!form.matches()
        || !signer.verifies(claim(form.group(1) + "_" + form.group(2), call), form.group(3))) {
      throw Problem.of(
          409,
          "confirmation_invalid",
          "This confirmation is not of this key, tool and arguments. Call without confirm to get"
              + " one.");
    }
    if (!clock.instant().isBefore(Instant.ofEpochSecond(Long.parseLong(form.group(1))))) {
      throw Problem.of(
          409,
          "confirmation_expired",
          "This confirmation has expired. Call without confirm to get another one.");
    }
    return form.group(2);
  }

  private static String claim(String head, ToolCall call) {
    Caller caller = call.request().caller();
    ObjectNode confirmed = Json.mapper().createObjectNode();
    confirmed.put("head", head);
    confirmed.put("caller", caller.scope());
    confirmed.put("key", caller.keyId().orElse(0L));
    confirmed.put("tool", call.tool());
    confirmed.set("arguments", call.without(CONFIRM, DRY_RUN));
    return new String(StrictJsonReader.canonical(confirmed), StandardCharsets.UTF_8);
  }
}
