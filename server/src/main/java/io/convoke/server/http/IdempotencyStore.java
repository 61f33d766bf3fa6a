package io.convoke.server.http;

import io.convoke.engine.json.Json;
import io.convoke.engine.seal.SecretBox;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Row;
import io.convoke.engine.sql.Tx;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import tools.jackson.databind.JsonNode;

/**
 * Idempotency keys in the table {@code idempotency_keys}, for {@link #KEPT}. Answers are kept
 * encrypted, since some show a secret once. The claim's token is the end of its bound, which no two
 * holders of a key share.
 */
public final class IdempotencyStore implements IdempotencyKeys {
  /** How long a first answer is given again. */
  public static final Duration KEPT = Duration.ofHours(24);

  /** How long a request may be worked on before another may take its place. */
  public static final Duration CLAIM_BOUND = Duration.ofSeconds(60);

  private static final String PURPOSE = "idempotency";
  private static final int FORGET_AT_ONCE = 1000;
  private static final long FORGET_EVERY_NANOS = Duration.ofMinutes(10).toNanos();

  private final Database database;
  private final SecretBox box;
  private final AtomicLong forgottenAt = new AtomicLong(System.nanoTime());

  /** Keeps keys in this database and answers in this box. */
  public IdempotencyStore(Database database, SecretBox box) {
    this.database = database;
    this.box = box;
  }

  @Override
  public Claim claim(Key key, byte[] fingerprint) {
    forgetOldOnes();
    // Between the two statements the row may be given back; then the claim is tried again.
    for (int round = 0; round < 3; round++) {
      Optional<String> token = database.read(tx -> tryClaim(tx, key, fingerprint));
      if (token.isPresent()) {
        return new Claim.Fresh(token.get());
      }
      Optional<Claim> found = database.read(tx -> look(tx, key, fingerprint));
      if (found.isPresent()) {
        return found.get();
      }
    }
    return new Claim.InFlight();
  }

  private static Optional<String> tryClaim(Tx tx, Key key, byte[] fingerprint) {
    return tx.sql(
            """
            insert into idempotency_keys as k (scope, key, fingerprint, claimed_until)
            values (?, ?, ?, clock_timestamp() + ? * interval '1 millisecond')
            on conflict (scope, key) do update
              set fingerprint = excluded.fingerprint,
                  claimed_until = excluded.claimed_until,
                  created_at = clock_timestamp(),
                  status = null, headers = null, body = null
              where k.created_at < clock_timestamp() - ? * interval '1 millisecond'
                 or (k.status is null and k.claimed_until < clock_timestamp()
                     and k.fingerprint = excluded.fingerprint)
            returning claimed_until::text as token
            """)
        .with(scope(key), key.key(), fingerprint, CLAIM_BOUND, KEPT)
        .first(row -> row.text("token"));
  }

  private Optional<Claim> look(Tx tx, Key key, byte[] fingerprint) {
    return tx.sql(
            """
            select fingerprint, status, headers, body
            from idempotency_keys where scope = ? and key = ?
            """)
        .with(scope(key), key.key())
        .first(row -> found(row, fingerprint));
  }

  private Claim found(Row row, byte[] fingerprint) {
    if (!MessageDigest.isEqual(row.bytes("fingerprint"), fingerprint)) {
      return new Claim.OtherRequest();
    }
    Optional<Integer> status = row.maybeInt("status");
    if (status.isEmpty()) {
      return new Claim.InFlight();
    }
    Map<String, String> headers = new LinkedHashMap<>();
    for (Map.Entry<String, JsonNode> header : row.json("headers").properties()) {
      headers.put(header.getKey(), header.getValue().asString());
    }
    return new Claim.Replay(
        new Stored(status.get(), headers, box.open(PURPOSE, row.bytes("body"))));
  }

  @Override
  public void complete(Key key, String token, Stored answer) {
    database.run(
        tx -> {
          int _ =
              tx.sql(
                      """
                      update idempotency_keys set status = ?, headers = ?, body = ?
                      where scope = ? and key = ? and status is null and claimed_until = ?::timestamptz
                      """)
                  .with(
                      answer.status(),
                      Json.tree(answer.headers()),
                      box.seal(PURPOSE, answer.body()),
                      scope(key),
                      key.key(),
                      token)
                  .update();
        });
  }

  @Override
  public void release(Key key, String token) {
    database.run(
        tx -> {
          int _ =
              tx.sql(
                      """
                      delete from idempotency_keys
                      where scope = ? and key = ? and status is null and claimed_until = ?::timestamptz
                      """)
                  .with(scope(key), key.key(), token)
                  .update();
        });
  }

  /** Expired keys are deleted when new ones arrive: an idle server sends no statements. */
  private void forgetOldOnes() {
    long last = forgottenAt.get();
    long now = System.nanoTime();
    if (now - last < FORGET_EVERY_NANOS || !forgottenAt.compareAndSet(last, now)) {
      return;
    }
    database.run(
        tx -> {
          int _ =
              tx.sql(
                      """
                      delete from idempotency_keys where (scope, key) in (
                        select scope, key from idempotency_keys
                        where created_at < clock_timestamp() - ? * interval '1 millisecond'
                        order by created_at limit ?)
                      """)
                  .with(KEPT, FORGET_AT_ONCE)
                  .update();
        });
  }

  private static String scope(Key key) {
    return key.caller() + " " + key.operation();
  }
}
