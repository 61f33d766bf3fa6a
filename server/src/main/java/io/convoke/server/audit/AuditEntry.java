package io.convoke.server.audit;

import io.convoke.engine.json.Json;
import io.convoke.engine.sql.Query;
import io.convoke.engine.sql.ResultRow;
import io.convoke.engine.sql.Tx;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * One action.
 *
 * @param action the operation, as the OpenAPI document names it
 * @param actor {@code admin}, {@code operator:7} or {@code user:7}
 * @param keyId the API key that was shown; empty for the admin key and JWTs
 * @param address the client's
 * @param target what was changed, as {@code user:7}, else the path
 * @param before the object as it was, where the operation tells
 * @param after the object as it became, or what was asked of it
 */
record AuditEntry(
    long id,
    Instant at,
    String action,
    String actor,
    Optional<Long> keyId,
    String address,
    String target,
    Optional<JsonNode> before,
    Optional<JsonNode> after) {
  /** The longest object that a row holds, as JSON text; a longer one is left out. */
  static final int OBJECT_MAX = 16 * 1024;

  static final String COLUMNS = "id, at, action, actor, key_id, address, target, before, after";

  static AuditEntry of(ResultRow row) {
    return new AuditEntry(
        row.longAt("id"),
        row.instant("at"),
        row.text("action"),
        row.text("actor"),
        row.maybeLong("key_id"),
        row.text("address"),
        row.text("target"),
        row.maybeJson("before"),
        row.maybeJson("after"));
  }

  /**
   * An action that is not written yet; its number comes with the row.
   *
   * @param at empty: when the row is written
   */
  record NewAuditEntry(
      Optional<Instant> at,
      String action,
      String actor,
      Optional<Long> keyId,
      String address,
      String target,
      Optional<JsonNode> before,
      Optional<JsonNode> after) {
    Query insert(Tx tx) {
      return tx.sql(
              """
              insert into audit_log (at, action, actor, key_id, address, target, before, after)
              values (coalesce(?, clock_timestamp()), ?, ?, ?, ?, ?, ?, ?)
              """)
          .with(at, action, actor, keyId, address, target, bounded(before), bounded(after));
    }

    /** The same action at the time at which it happened. */
    NewAuditEntry at(Instant time) {
      return new NewAuditEntry(
          Optional.of(time), action, actor, keyId, address, target, before, after);
    }

    private static Optional<JsonNode> bounded(Optional<JsonNode> object) {
      return object.map(
          json -> {
            int chars = json.toString().length();
            return chars > OBJECT_MAX ? Json.tree(Map.of("omitted_characters", chars)) : json;
          });
    }
  }
}
