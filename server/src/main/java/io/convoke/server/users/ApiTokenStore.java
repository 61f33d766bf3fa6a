package io.convoke.server.users;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.ResultRow;
import io.convoke.server.http.ApiScope;
import io.convoke.server.http.Problem;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongConsumer;

/** The table {@code api_tokens}; it holds hashes of tokens, never tokens. */
final class ApiTokenStore {

  /**
   * A token that was not revoked, with what its use depends on.
   *
   * @param disabled whether its user is disabled
   * @param teamMates the other members of its user's teams
   */
  record ApiTokenOwner(
      long tokenId,
      long userId,
      Set<ApiScope> scopes,
      Optional<Instant> expiresAt,
      boolean disabled,
      Set<Long> teamMates) {
    boolean goodAt(Instant now) {
      return !disabled && expiresAt.map(now::isBefore).orElse(true);
    }
  }

  /**
   * The properties of a new token.
   *
   * @param scopes empty: all but {@code admin}, also those of later releases
   */
  record NewApiToken(
      Optional<String> name, Optional<Set<ApiScope>> scopes, Optional<Instant> expiresAt) {}

  /** A token without its secret, which is not stored. */
  record ApiToken(
      long id,
      Optional<String> name,
      List<ApiScope> scopes,
      Instant createdAt,
      Optional<Instant> expiresAt,
      Optional<Instant> lastUsedAt,
      Optional<Instant> revokedAt) {}

  @SuppressWarnings("ArrayRecordComponent") // handed through, never compared
  private record RevokedApiToken(byte[] hash, long userId) {}

  private final Database database;

  ApiTokenStore(Database database) {
    this.database = database;
  }

  /**
   * Stores a new token of a user.
   *
   * @param inserted called with its number before the commit
   * @throws Problem 404 if there is no such user
   */
  long insert(long userId, NewApiToken token, byte[] hash, LongConsumer inserted) {
    return database.transaction(
        tx -> {
          long id =
              tx.sql(
                      """
                      insert into api_tokens (user_id, name, token_hash, scopes, expires_at)
                      select id, ?, ?, ?, ? from users where id = ?
                      returning id
                      """)
                  .with(
                      token.name(),
                      hash,
                      token.scopes().map(ApiTokenStore::names),
                      token.expiresAt(),
                      userId)
                  .first(resultRow -> resultRow.longAt("id"))
                  .orElseThrow(() -> Problem.notFound("user"));
          inserted.accept(id);
          return id;
        });
  }

  /**
   * Revokes a token, once or again; returns its hash.
   *
   * @throws Problem 404 if there never was one
   */
  byte[] revoke(long tokenId) {
    return database.transaction(
        tx -> {
          RevokedApiToken revoked =
              tx.sql(
                      """
                      update api_tokens set revoked_at = coalesce(revoked_at, now())
                      where id = ? returning token_hash, user_id
                      """)
                  .with(tokenId)
                  .first(
                      resultRow ->
                          new RevokedApiToken(
                              resultRow.bytes("token_hash"), resultRow.longAt("user_id")))
                  .orElseThrow(() -> Problem.notFound("token"));
          AccessChanges.notify(tx, List.of(revoked.userId()));
          return revoked.hash();
        });
  }

  /** The tokens of a user below an id, newest first, revoked ones among them. */
  List<ApiToken> list(long userId, long below, int limit) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    select id, name, scopes, created_at, expires_at, last_used_at, revoked_at
                    from api_tokens where user_id = ? and id < ? order by id desc limit ?
                    """)
                .with(userId, below, limit)
                .list(
                    resultRow ->
                        new ApiToken(
                            resultRow.longAt("id"),
                            resultRow.maybeText("name"),
                            scopes(resultRow).stream().sorted().toList(),
                            resultRow.instant("created_at"),
                            resultRow.maybeInstant("expires_at"),
                            resultRow.maybeInstant("last_used_at"),
                            resultRow.maybeInstant("revoked_at"))));
  }

  /** A token that was not revoked, and its owner. */
  Optional<ApiTokenOwner> ownerOf(byte[] hash) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    select t.id, t.user_id, t.scopes, t.expires_at,
                      u.disabled_at is not null as disabled, TEAM_MATES as team_mates
                    from api_tokens t join users u on u.id = t.user_id
                    where t.token_hash = ? and t.revoked_at is null
                    """
                        .replace("TEAM_MATES", UserStore.TEAM_MATES))
                .with((Object) hash)
                .first(
                    resultRow ->
                        new ApiTokenOwner(
                            resultRow.longAt("id"),
                            resultRow.longAt("user_id"),
                            scopes(resultRow),
                            resultRow.maybeInstant("expires_at"),
                            resultRow.booleanAt("disabled"),
                            Set.copyOf(resultRow.longs("team_mates")))));
  }

  /** Writes when tokens were last used, in one statement. */
  void used(Map<Long, Instant> lastUses) {
    List<Map.Entry<Long, Instant>> uses = List.copyOf(lastUses.entrySet());
    database.run(
        tx -> {
          int _ =
              tx.sql(
                      """
                      update api_tokens t set last_used_at = u.at
                      from unnest(?, ?) as u(id, at)
                      where t.id = u.id and (t.last_used_at is null or t.last_used_at < u.at)
                      """)
                  .with(
                      uses.stream().map(Map.Entry::getKey).toArray(Long[]::new),
                      uses.stream().map(Map.Entry::getValue).toArray(Instant[]::new))
                  .update();
        });
  }

  private static String[] names(Set<ApiScope> scopes) {
    return scopes.stream().sorted().map(ApiScope::wireName).toArray(String[]::new);
  }

  /** A scope of a later release is none here: it permits nothing that this release serves. */
  private static Set<ApiScope> scopes(ResultRow resultRow) {
    if (resultRow.maybeText("scopes").isEmpty()) {
      return ApiScope.UNLESS_NAMED;
    }
    Set<ApiScope> scopes = EnumSet.noneOf(ApiScope.class);
    resultRow.texts("scopes").forEach(name -> ApiScope.of(name).ifPresent(scopes::add));
    return scopes;
  }
}
