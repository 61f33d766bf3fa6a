package io.convoke.server.crmaccounts;

import io.convoke.engine.crypto.SecretBox;
import io.convoke.engine.json.Json;

/**
 * An access token and the refresh token for the next pair. They are stored sealed, and printed
 * nowhere.
 */
record CrmTokens(String access, String refresh) {
  static final String PURPOSE = "crm-connection";

  String seal(SecretBox box) {
    return box.seal(PURPOSE, Json.write(this));
  }

  /**
   * The tokens of a row.
   *
   * @throws SecretBox.UnsealFailure if no configured key opens them
   */
  static CrmTokens open(SecretBox box, String sealed) {
    return Json.read(box.open(PURPOSE, sealed), CrmTokens.class);
  }

  @Override
  public String toString() {
    return "CrmTokens";
  }
}
