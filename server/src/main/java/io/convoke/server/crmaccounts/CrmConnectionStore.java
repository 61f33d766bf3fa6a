package io.convoke.server.crmaccounts;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.ResultRow;
import io.convoke.server.crmaccounts.HubSpotTokenClient.TokenReply.TokensGranted;
import io.convoke.server.http.Problem;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The rows of {@code crm_connections}. A pair of tokens has a version, which each writer compares,
 * so the result of a late refresh does not replace a newer pair or a new connection. The first
 * version is the time, since a connection that was deleted may have had a smaller one.
 */
final class CrmConnectionStore {
  private static final String COLUMNS =
      "c.user_id, c.account_id, c.scopes, c.tokens, c.version, c.connected_at, c.failure,"
          + " extract(epoch from c.expires_at - now())::float8 as seconds_left";

  private final Database database;

  CrmConnectionStore(Database database) {
    this.database = database;
  }

  /**
   * A connected account.
   *
   * @param sealed the pair of tokens
   * @param left how long the access token lives, by the database's clock
   * @param failure why it gives no more tokens
   */
  record CrmConnection(
      long userId,
      String account,
      String scopes,
      String sealed,
      long version,
      Instant connectedAt,
      Optional<String> failure,
      Duration left) {
    private static CrmConnection of(ResultRow row) {
      return new CrmConnection(
          row.longAt("user_id"),
          row.text("account_id"),
          row.text("scopes"),
          row.text("tokens"),
          row.longAt("version"),
          row.instant("connected_at"),
          row.maybeText("failure"),
          Duration.ofMillis((long) (row.doubleAt("seconds_left") * 1000)));
    }

    @Override
    public String toString() {
      return "CrmConnection[user " + userId + ", " + account + "]";
    }
  }

  Optional<CrmConnection> find(long userId) {
    return database.read(
        tx ->
            tx.sql("select " + COLUMNS + " from crm_connections c where user_id = ?")
                .with(userId)
                .first(CrmConnection::of));
  }

  /** The connection of the meeting's user. */
  Optional<CrmConnection> ofMeeting(long meetingId) {
    return database.read(
        tx ->
            tx.sql(
                    "select "
                        + COLUMNS
                        + " from meetings m join crm_connections c on c.user_id = m.user_id"
                        + " where m.id = ?")
                .with(meetingId)
                .first(CrmConnection::of));
  }

  /** Connects an account in place of the user's earlier one. */
  void connect(long userId, TokensGranted granted, String sealed) {
    int _ =
        database.transaction(
            tx ->
                tx.sql(
                        """
                        insert into crm_connections as c
                          (user_id, account_id, account_user, scopes, tokens, expires_at, version)
                        values (?, ?, ?, ?, ?, now() + ? * interval '1 millisecond',
                          (extract(epoch from clock_timestamp()) * 1000000)::bigint)
                        on conflict (user_id) do update
                          set account_id = excluded.account_id, account_user = excluded.account_user,
                            scopes = excluded.scopes, tokens = excluded.tokens,
                            expires_at = excluded.expires_at, version = c.version + 1,
                            refreshing_until = null, connected_at = now(), failure = null
                        """)
                    .with(
                        userId,
                        granted.account(),
                        granted.accountUser(),
                        granted.scopes(),
                        sealed,
                        granted.life())
                    .update());
  }

  /** Takes the right to ask for the next pair; false if another node has it or had it. */
  boolean beginRefresh(CrmConnection connection, Duration most) {
    return database.read(
            tx ->
                tx.sql(
                        """
                        update crm_connections
                        set refreshing_until = now() + ? * interval '1 millisecond'
                        where user_id = ? and version = ? and failure is null
                          and (refreshing_until is null or refreshing_until < now())
                        """)
                    .with(most, connection.userId(), connection.version())
                    .update())
        > 0;
  }

  /** Gives the right back without a result. */
  void endRefresh(CrmConnection connection) {
    int _ =
        database.read(
            tx ->
                tx.sql(
                        """
                        update crm_connections set refreshing_until = null
                        where user_id = ? and version = ?
                        """)
                    .with(connection.userId(), connection.version())
                    .update());
  }

  /**
   * Stores the next pair; false if the connection is another one now. A transaction is repeated
   * once when Postgres breaks off: the earlier pair is used up, so this one must not be lost.
   */
  boolean refreshed(CrmConnection connection, String sealed, Duration life) {
    return database.transaction(
            tx ->
                tx.sql(
                        """
                        update crm_connections
                        set tokens = ?, expires_at = now() + ? * interval '1 millisecond',
                          version = version + 1, refreshing_until = null
                        where user_id = ? and version = ?
                        """)
                    .with(sealed, life, connection.userId(), connection.version())
                    .update())
        > 0;
  }

  /** Records that the CRM gives no more tokens. */
  void fail(CrmConnection connection, String why) {
    int _ =
        database.read(
            tx ->
                tx.sql(
                        """
                        update crm_connections set failure = ?, refreshing_until = null
                        where user_id = ? and version = ?
                        """)
                    .with(why, connection.userId(), connection.version())
                    .update());
  }

  /** Makes a token expire that the CRM refused. */
  void expire(long userId, long version) {
    int _ =
        database.read(
            tx ->
                tx.sql(
                        """
                        update crm_connections set expires_at = least(expires_at, now())
                        where user_id = ? and version = ?
                        """)
                    .with(userId, version)
                    .update());
  }

  /**
   * Forgets the account, with its audit record.
   *
   * @throws Problem 404 if there was none
   */
  void disconnect(long userId) {
    database.run(
        tx -> {
          int deleted =
              tx.sql("delete from crm_connections where user_id = ?").with(userId).update();
          if (deleted == 0) {
            throw Problem.notFound("connection");
          }
        });
  }
}
