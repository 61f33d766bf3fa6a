package io.convoke.server.users;

import io.convoke.engine.sql.Database;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The table {@code api_tokens}; it holds hashes of tokens, never tokens. */
final class ApiTokenStore {

  /** The owner and the id of a token. */
  record ApiTokenOwner(long tokenId, long userId) {}

  /** A token without its secret, which is not stored. */
  record ApiToken(long id, Optional<String> name, Instant createdAt, Optional<Instant> revokedAt) {}

  private final Database database;

  ApiTokenStore(Database database) {
    this.database = database;
  }

  /** Stores a new token of a user; empty if there is no such user. */
  Optional<Long> insert(long userId, Optional<String> name, byte[] hash) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    insert into api_tokens (user_id, name, token_hash)
                    select id, ?, ? from users where id = ?
                    returning id
                    """)
                .with(name, hash, userId)
                .first(resultRow -> resultRow.longAt("id")));
  }

  /** Revokes a token, once or again; its hash, or empty if there never was one. */
  Optional<byte[]> revoke(long tokenId) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    update api_tokens set revoked_at = coalesce(revoked_at, now())
                    where id = ? returning token_hash
                    """)
                .with(tokenId)
                .first(resultRow -> resultRow.bytes("token_hash")));
  }

  /** The tokens of a user below an id, newest first, revoked ones among them. */
  List<ApiToken> list(long userId, long below, int limit) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    select id, name, created_at, revoked_at from api_tokens
                    where user_id = ? and id < ? order by id desc limit ?
                    """)
                .with(userId, below, limit)
                .list(
                    resultRow ->
                        new ApiToken(
                            resultRow.longAt("id"),
                            resultRow.maybeText("name"),
                            resultRow.instant("created_at"),
                            resultRow.maybeInstant("revoked_at"))));
  }

  /** The owner of a valid token. */
  Optional<ApiTokenOwner> ownerOf(byte[] hash) {
    return database.read(
        tx ->
            tx.sql("select id, user_id from api_tokens where token_hash = ? and revoked_at is null")
                .with((Object) hash)
                .first(
                    resultRow ->
                        new ApiTokenOwner(resultRow.longAt("id"), resultRow.longAt("user_id"))));
  }
}
