package io.convoke.server.http.idempotency;

import io.convoke.engine.crypto.SecretBox;
import io.convoke.engine.json.Json;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Query;
import io.convoke.engine.sql.ResultRow;
import io.convoke.engine.sql.SqlFailure;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.engine.sql.Tx;
import io.convoke.server.http.idempotency.IdempotentExecutor.HeldClaim;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;

/**
 * Idempotency keys in the table {@code idempotency_keys}, for {@link #KEPT}. Answers are kept
 * encrypted, since some show a secret once. The claim's token is the end of its bound, which no two
 * holders of a key share.
 *
 * <p>The first transaction that the handler commits on its own thread marks the key, and fails if
 * the request holds the key no longer. So a request that may have been carried out while its answer
 * was lost, because the server died or a commit was not acknowledged, never runs again. Keys of
 * requests that their endpoint {@linkplain io.convoke.server.http.Endpoint#repeats repeats} are not
 * marked, such as that of the creation of a task, which has its {@code request_id}.
 */
public final class IdempotencyStore implements IdempotencyKeys {
  /** How long a first answer is given again. */
  public static final Duration KEPT = Duration.ofHours(24);

  /** How long a request may be worked on before another may take its place. */
  public static final Duration CLAIM_BOUND = Duration.ofSeconds(60);

  /** The purpose that answers are sealed for. */
  public static final String PURPOSE = "idempotency";

  private static final String HELD_BY =
      "scope = ? and key = ? and status is null and claimed_until = ?::timestamptz";

  /** The cast fails, and the transaction with it, if no row was marked. */
  private static final String MARK =
      """
      with held as (update idempotency_keys set committed = true where %s returning 1)
      select (case when exists (select from held) then '1'
        else 'this request does not hold its Idempotency-Key any more' end)::int
      """
          .formatted(HELD_BY);

  private static final Logger log = LoggerFactory.getLogger(IdempotencyStore.class);
  private static final int FORGET_AT_ONCE = 1000;
  private static final long FORGET_EVERY_NANOS = Duration.ofMinutes(10).toNanos();

  private final Database database;
  private final SecretBox box;
  private final LongSupplier nanoTime;
  private final AtomicLong forgottenAt;

  /** Keeps keys in this database and answers in this box. */
  public IdempotencyStore(Database database, SecretBox box) {
    this(database, box, System::nanoTime);
  }

  /** The same by another clock. */
  IdempotencyStore(Database database, SecretBox box, LongSupplier nanoTime) {
    this.database = database;
    this.box = box;
    this.nanoTime = nanoTime;
    this.forgottenAt = new AtomicLong(nanoTime.getAsLong());
    database.beforeEachCommit(IdempotencyStore::mark);
  }

  private static List<Query> mark(Tx tx) {
    if (!IdempotentExecutor.HELD.isBound() || IdempotentExecutor.HELD.get().marked().get()) {
      return List.of();
    }
    HeldClaim held = IdempotentExecutor.HELD.get();
    tx.afterCommit(() -> held.marked().set(true));
    return List.of(
        tx.sql(MARK).with(scope(held.idempotencyKey()), held.idempotencyKey().key(), held.token()));
  }

  @Override
  public IdempotencyClaim claim(IdempotencyKey idempotencyKey, byte[] fingerprint) {
    forgetOldOnes();
    // Between the two statements the row may be given back; then the claim is tried again.
    for (int round = 0; round < 3; round++) {
      Optional<String> token = database.read(tx -> tryClaim(tx, idempotencyKey, fingerprint));
      if (token.isPresent()) {
        return new IdempotencyClaim.FreshIdempotencyKey(token.get());
      }
      Optional<IdempotencyClaim> found = database.read(tx -> look(tx, idempotencyKey, fingerprint));
      if (found.isPresent()) {
        return found.get();
      }
    }
    return new IdempotencyClaim.IdempotencyKeyInFlight();
  }

  private static Optional<String> tryClaim(
      Tx tx, IdempotencyKey idempotencyKey, byte[] fingerprint) {
    return tx.sql(
            """
            insert into idempotency_keys as k (scope, key, fingerprint, claimed_until)
            values (?, ?, ?, clock_timestamp() + ? * interval '1 millisecond')
            on conflict (scope, key) do update
              set fingerprint = excluded.fingerprint,
                  claimed_until = excluded.claimed_until,
                  created_at = clock_timestamp(),
                  committed = false,
                  status = null, headers = null, body = null
              where k.created_at < clock_timestamp() - ? * interval '1 millisecond'
                 or (k.status is null and not k.committed and k.claimed_until < clock_timestamp()
                     and k.fingerprint = excluded.fingerprint)
            returning claimed_until::text as token
            """)
        .with(scope(idempotencyKey), idempotencyKey.key(), fingerprint, CLAIM_BOUND, KEPT)
        .first(resultRow -> resultRow.text("token"));
  }

  private Optional<IdempotencyClaim> look(
      Tx tx, IdempotencyKey idempotencyKey, byte[] fingerprint) {
    return tx.sql(
            """
            select fingerprint, status, headers, body,
              committed and claimed_until < clock_timestamp() as lost
            from idempotency_keys where scope = ? and key = ?
            """)
        .with(scope(idempotencyKey), idempotencyKey.key())
        .first(resultRow -> found(resultRow, fingerprint));
  }

  private IdempotencyClaim found(ResultRow resultRow, byte[] fingerprint) {
    if (!MessageDigest.isEqual(resultRow.bytes("fingerprint"), fingerprint)) {
      return new IdempotencyClaim.IdempotencyKeyReused();
    }
    Optional<Integer> status = resultRow.maybeInt("status");
    if (status.isEmpty()) {
      return resultRow.booleanAt("lost")
          ? new IdempotencyClaim.IdempotencyAnswerLost()
          : new IdempotencyClaim.IdempotencyKeyInFlight();
    }
    Map<String, String> headers = new LinkedHashMap<>();
    for (Map.Entry<String, JsonNode> header : resultRow.json("headers").properties()) {
      headers.put(header.getKey(), header.getValue().asString());
    }
    return new IdempotencyClaim.IdempotentReplay(
        new StoredResponse(status.get(), headers, box.open(PURPOSE, resultRow.bytes("body"))));
  }

  @Override
  public void complete(IdempotencyKey idempotencyKey, String token, StoredResponse answer) {
    database.run(
        tx -> {
          int _ =
              tx.sql(
                      "update idempotency_keys set status = ?, headers = ?, body = ? where "
                          + HELD_BY)
                  .with(
                      answer.status(),
                      Json.tree(answer.headers()),
                      box.seal(PURPOSE, answer.body()),
                      scope(idempotencyKey),
                      idempotencyKey.key(),
                      token)
                  .update();
        });
  }

  @Override
  public void release(IdempotencyKey idempotencyKey, String token) {
    database.run(
        tx -> {
          int _ =
              tx.sql("delete from idempotency_keys where " + HELD_BY)
                  .with(scope(idempotencyKey), idempotencyKey.key(), token)
                  .update();
        });
  }

  /**
   * Waits for a transaction of unknown outcome that has marked the key; one that has not yet can
   * commit no more.
   */
  @Override
  public void abandon(IdempotencyKey idempotencyKey, String token) {
    database.run(
        tx ->
            tx.run(
                Stream.of(
                        "delete from idempotency_keys where not committed and ",
                        "update idempotency_keys set claimed_until = clock_timestamp() where ")
                    .map(
                        sql ->
                            tx.sql(sql + HELD_BY)
                                .with(scope(idempotencyKey), idempotencyKey.key(), token))
                    .toList()));
  }

  /** Expired keys are deleted when new ones arrive: an idle server sends no statements. */
  private void forgetOldOnes() {
    long last = forgottenAt.get();
    long now = nanoTime.getAsLong();
    if (now - last >= FORGET_EVERY_NANOS && forgottenAt.compareAndSet(last, now)) {
      var _ = Thread.ofVirtual().name("idempotency-retention").start(this::deleteExpired);
    }
  }

  /** Batch after batch; a key that is claimed anew meanwhile stays. */
  private void deleteExpired() {
    try {
      int deleted;
      do {
        deleted =
            database.transaction(
                tx ->
                    tx.sql(
                            """
                            delete from idempotency_keys where (scope, key) in (
                              select scope, key from idempotency_keys
                              where created_at < clock_timestamp() - ? * interval '1 millisecond'
                              order by created_at limit ?)
                            and created_at < clock_timestamp() - ? * interval '1 millisecond'
                            """)
                        .with(KEPT, FORGET_AT_ONCE, KEPT)
                        .update());
      } while (deleted == FORGET_AT_ONCE);
    } catch (StoreUnavailable | SqlFailure e) {
      log.info("expired idempotency keys were not deleted, retrying later: {}", e.getMessage());
    }
  }

  private static String scope(IdempotencyKey idempotencyKey) {
    return idempotencyKey.caller() + " " + idempotencyKey.operation();
  }
}
