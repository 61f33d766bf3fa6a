package io.convoke.server.reseal;

import io.convoke.engine.crypto.SecretBox;
import io.convoke.engine.sql.Database;
import io.convoke.server.bots.BotTokens;
import io.convoke.server.bots.Sealer;
import io.convoke.server.crmaccounts.CrmAccountsFeature;
import io.convoke.server.egress.EgressFeature;
import io.convoke.server.http.idempotency.IdempotencyStore;
import io.convoke.server.join.RoomKeyRenewal;
import io.convoke.server.join.RoomKeyRenewal.RenewedRooms;
import io.convoke.server.platform.janus.JanusAdmin;
import io.convoke.server.reseal.SealedColumn.KeyColumn;
import io.convoke.server.reseal.SealedRows.ResealedBatch;
import io.convoke.server.webhooks.EndpointSecretSealer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Encrypts every stored secret again with the first key of {@code CONVOKE_SECRET_KEY}, and gives
 * the rooms of a Janus its secrets. Each batch is a transaction and changes only values that are
 * still what it read, so it runs beside servers, and an interrupted run is continued by the next
 * one.
 */
public final class SecretResealer {
  private static final int BATCH = 200;
  private static final List<KeyColumn> ID = List.of(new KeyColumn("id", "bigint"));

  private final Database database;
  private final SecretBox secrets;
  private final Optional<JanusAdmin> janus;
  private final Consumer<String> progress;

  /**
   * Reseals what is in a database and at a Janus.
   *
   * @param janus that of the servers; empty if it is not configured here
   * @param progress is told a line at a time, after each batch
   */
  public SecretResealer(
      Database database, SecretBox secrets, Optional<JanusAdmin> janus, Consumer<String> progress) {
    this.database = database;
    this.secrets = secrets;
    this.janus = janus;
    this.progress = progress;
  }

  /**
   * The state after a run.
   *
   * @param unreadable values that no configured key opens
   * @param obstacles what needs an older key still, a sentence each
   */
  public record ResealResult(long resealed, long unreadable, List<String> obstacles) {}

  /** Reseals all there is. */
  public ResealResult run() {
    long resealed = 0;
    long unreadable = 0;
    for (SealedRows rows : all()) {
      long of = 0;
      Optional<List<String>> last = Optional.empty();
      do {
        Optional<List<String>> after = last;
        ResealedBatch batch = database.transaction(tx -> rows.reseal(tx, after, BATCH));
        of += batch.resealed();
        unreadable += batch.unreadable();
        last = batch.last();
        progress.accept(rows.label() + ": " + of + " resealed" + (last.isEmpty() ? "" : " so far"));
      } while (last.isPresent());
      resealed += of;
    }
    return new ResealResult(resealed, unreadable, obstacles(unreadable));
  }

  private List<SealedRows> all() {
    return List.of(
        new SealedColumn(
            secrets,
            "secrets of webhook endpoints",
            EndpointSecretSealer.PURPOSE,
            "webhook_endpoints",
            ID,
            "secret",
            "secret = ?",
            true),
        new SealedColumn(
            secrets,
            "passcodes of meetings",
            Sealer.PURPOSE,
            "meetings",
            ID,
            "(bot ->> 'passcode')",
            "bot = jsonb_set(bot, '{passcode}', to_jsonb(?::text))",
            true),
        new SealedColumn(
            secrets,
            "tokens of CRM accounts",
            CrmAccountsFeature.PURPOSE,
            "crm_connections",
            List.of(new KeyColumn("user_id", "bigint")),
            "tokens",
            "tokens = ?",
            true),
        new SealedColumn(
            secrets,
            "answers of idempotency keys",
            IdempotencyStore.PURPOSE,
            "idempotency_keys",
            List.of(new KeyColumn("scope", "text"), new KeyColumn("key", "text")),
            "encode(body, 'base64')",
            "body = decode(?, 'base64')",
            false),
        new SealedTaskTokens(secrets));
  }

  private List<String> obstacles(long unreadable) {
    List<String> obstacles = new ArrayList<>();
    boolean rotating = secrets.deriveAll("rooms", "").size() > 1;
    if (rotating) {
      obstacles.addAll(janus.map(this::renewRooms).orElseGet(this::roomsOutOfReach));
    } else if (unreadable > 0) {
      obstacles.add(
          "CONVOKE_SECRET_KEY names one key alone: name the older ones after it, separated by"
              + " commas");
    }
    long bots = database.read(tx -> BotTokens.liveOfOtherKeys(tx, secrets));
    if (bots > 0) {
      obstacles.add(bots + " live bots have a token of an older key: wait until they have ended");
    }
    long tasks = database.read(new SealedTaskTokens(secrets)::openWithOlderKeys);
    if (tasks > 0) {
      obstacles.add(tasks + " open tasks have a token of an older key: wait until they have ended");
    }
    return obstacles;
  }

  private List<String> renewRooms(JanusAdmin admin) {
    List<String> known =
        database.read(
            tx ->
                tx.sql(
                        """
                        select room from rooms
                        where platform = 'janus' and position('*' in room) = 0
                        union select room from janus_rooms
                        """)
                    .list(row -> row.text("room")));
    RenewedRooms rooms = new RoomKeyRenewal(admin, secrets).run(known, this::recorded);
    progress.accept("rooms of the Janus: " + rooms.renewed() + " renewed");
    List<String> obstacles = new ArrayList<>();
    if (rooms.inUse() > 0) {
      obstacles.add(
          rooms.inUse()
              + " rooms of the Janus have a secret of an older key, which a pod uses: wait until"
              + " its egress tasks have ended");
    }
    if (!rooms.complete()) {
      obstacles.add(
          "rooms of the Janus may have a secret of an older key, since it did not answer for all:"
              + " convoke doctor tells why");
    }
    return obstacles;
  }

  /** Whether an open egress task may have the secret of a room. */
  private boolean recorded(String room) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    select exists (
                      select from tasks
                      where channel = ? and completed_at is null and spec ->> 'type' = ?
                        and spec ->> 'action' is distinct from ?
                    ) as recorded
                    """)
                .with(room, EgressFeature.TYPE, EgressFeature.FINISH)
                .one(row -> row.booleanAt("recorded")));
  }

  private List<String> roomsOutOfReach() {
    boolean owned =
        database.read(
            tx ->
                tx.sql(
                        """
                        select exists (
                          select from rooms where platform = 'janus' and user_id is not null
                        ) as owned
                        """)
                    .one(row -> row.booleanAt("owned")));
    return owned
        ? List.of(
            "rooms of a Janus may have a secret of an older key: set CONVOKE_JANUS_ADMIN_URL,"
                + " CONVOKE_JANUS_ADMIN_SECRET and CONVOKE_JANUS_ADMIN_KEY as for servers; or"
                + " release them if that Janus is gone")
        : List.of();
  }
}
