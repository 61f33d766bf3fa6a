package io.convoke.server.reseal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.engine.crypto.AccessTokenSealer;
import io.convoke.engine.crypto.SecretBox;
import io.convoke.engine.json.Json;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.engine.sql.Tx;
import io.convoke.server.MigratedDatabase;
import io.convoke.server.Migrations;
import io.convoke.server.http.idempotency.IdempotencyStore;
import io.convoke.server.reseal.SecretResealer.ResealResult;
import io.convoke.server.webhooks.EndpointSecretSealer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

/** Many values, interrupted runs, values that nothing opens. */
class SecretResealerTest {
  private static final int ROWS = 450;

  private final byte[] before = SecretBox.newKey();
  private final byte[] after = SecretBox.newKey();
  private final SecretBox old = SecretBox.of(before);
  private final SecretBox rotating = SecretBox.of(after, before);
  private final Database database =
      Database.open(DatabaseUrl.parse(MigratedDatabase.url()), 4, "test", Migrations.SCHEMAS);

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void anInterruptedRunIsContinuedAndEveryValueStaysReadable() {
    fill();
    assertThatThrownBy(
            () ->
                new SecretResealer(
                        database,
                        rotating,
                        Optional.empty(),
                        line -> {
                          if (line.startsWith("answers") && line.contains("so far")) {
                            throw new IllegalStateException("killed");
                          }
                        })
                    .run())
        .hasMessage("killed");
    assertThat(opened(SecretBox.of(after)))
        .as("endpoints, and one batch of answers")
        .isEqualTo(650);
    assertThat(opened(rotating)).as("a server meanwhile").isEqualTo(2 * ROWS);

    List<String> progress = new ArrayList<>();
    ResealResult result =
        new SecretResealer(database, rotating, Optional.empty(), progress::add).run();
    assertThat(result.resealed()).isEqualTo(ROWS - 200 + 1);
    assertThat(result.obstacles()).isEmpty();
    assertThat(opened(SecretBox.of(after))).isEqualTo(2 * ROWS);
    assertThat(opened(old)).isZero();
    assertThat(progress)
        .containsExactly(
            "secrets of webhook endpoints: 0 resealed",
            "passcodes of meetings: 0 resealed",
            "tokens of CRM accounts: 0 resealed",
            "answers of idempotency keys: 200 resealed so far",
            "answers of idempotency keys: 250 resealed",
            "access tokens of ended tasks: 1 resealed");
  }

  /** The few rows that need it may be anywhere in a ledger that no statement reads whole. */
  @Test
  void rowsAreReadInBoundedPieces() {
    database.run(
        tx -> {
          int _ =
              tx.sql(
                      """
                      insert into webhook_endpoints (url, secret, routed_seq)
                      select 'x', ?, 0 from generate_series(1, 5000)
                      """)
                  .with(rotating.seal(EndpointSecretSealer.PURPOSE, "new"))
                  .update();
          int _ =
              tx.sql(
                      """
                      insert into tasks (id, request_id, state, channel, spec, completed_at)
                      select 'a' || n, 'r' || n, 'SUCCESS', 'c' || n, '{}', now()
                      from generate_series(1, 10000) as n
                      """)
                  .update();
          endedTask(tx, "b");
        });
    endpoint(old.seal(EndpointSecretSealer.PURPOSE, "mine"));
    List<String> progress = new ArrayList<>();
    ResealResult result =
        new SecretResealer(database, rotating, Optional.empty(), progress::add).run();
    assertThat(result.resealed()).isEqualTo(2);
    assertThat(progress)
        .containsExactly(
            "secrets of webhook endpoints: 0 resealed so far",
            "secrets of webhook endpoints: 1 resealed",
            "passcodes of meetings: 0 resealed",
            "tokens of CRM accounts: 0 resealed",
            "answers of idempotency keys: 0 resealed",
            "access tokens of ended tasks: 0 resealed so far",
            "access tokens of ended tasks: 0 resealed so far",
            "access tokens of ended tasks: 1 resealed");
  }

  @Test
  void aValueThatNothingOpensIsCountedAndKept() {
    String foreign = SecretBox.of(SecretBox.newKey()).seal(EndpointSecretSealer.PURPOSE, "s");
    endpoint(foreign);
    endpoint(old.seal(EndpointSecretSealer.PURPOSE, "mine"));
    ResealResult result = new SecretResealer(database, rotating, Optional.empty(), _ -> {}).run();
    assertThat(result.unreadable()).isEqualTo(1);
    assertThat(result.resealed()).isEqualTo(1);
    assertThat(result.obstacles()).as("the key of that value is lost").isEmpty();
    assertThat(secrets()).contains(foreign);
  }

  /** As where the older key was dropped before the run. */
  @Test
  void theNewKeyAloneDoesNotDoWhileValuesAreOfOthers() {
    SecretBox alone = SecretBox.of(after);
    endpoint(old.seal(EndpointSecretSealer.PURPOSE, "mine"));
    ResealResult result = new SecretResealer(database, alone, Optional.empty(), _ -> {}).run();
    assertThat(result.unreadable()).isEqualTo(1);
    assertThat(result.obstacles())
        .containsExactly(
            "CONVOKE_SECRET_KEY names one key alone: name the older ones after it, separated by"
                + " commas");

    ResealResult both = new SecretResealer(database, rotating, Optional.empty(), _ -> {}).run();
    assertThat(both.resealed()).isEqualTo(1);
    assertThat(new SecretResealer(database, alone, Optional.empty(), _ -> {}).run().obstacles())
        .isEmpty();
  }

  private void fill() {
    for (int i = 0; i < ROWS; i++) {
      endpoint(old.seal(EndpointSecretSealer.PURPOSE, "secret-" + i));
    }
    database.run(
        tx -> {
          for (int i = 0; i < ROWS; i++) {
            byte[] body = ("answer-" + i).repeat(20).getBytes(StandardCharsets.UTF_8);
            int _ =
                tx.sql(
                        """
                        insert into idempotency_keys
                          (scope, key, fingerprint, claimed_until, status, headers, body)
                        values (?, ?, '', now(), 200, '{}', ?)
                        """)
                    .with("caller " + i % 7, "k" + i, old.seal(IdempotencyStore.PURPOSE, body))
                    .update();
          }
          endedTask(tx, "a");
        });
  }

  private void endedTask(Tx tx, String id) {
    ObjectNode spec = (ObjectNode) Json.read("{\"payload\": {\"access_token\": \"t\"}}");
    int _ =
        tx.sql(
                """
                insert into tasks (id, request_id, state, channel, spec, completed_at)
                values (?, ?, 'FAILED', ?, ?, now())
                """)
            .with(id, id, id, new AccessTokenSealer(old).seal(spec))
            .update();
  }

  private void endpoint(String secret) {
    database.run(
        tx -> {
          int _ =
              tx.sql("insert into webhook_endpoints (url, secret, routed_seq) values ('x', ?, 0)")
                  .with(secret)
                  .update();
        });
  }

  private List<String> secrets() {
    return database.read(
        tx ->
            tx.sql("select secret from webhook_endpoints order by id")
                .list(row -> row.text("secret")));
  }

  /** How many secrets and answers a box opens, each to what it was. */
  private int opened(SecretBox box) {
    List<String> secrets = secrets();
    List<byte[]> bodies =
        database.read(
            tx ->
                tx.sql("select body from idempotency_keys order by substr(key, 2)::int")
                    .list(row -> row.bytes("body")));
    return IntStream.range(0, ROWS)
        .map(
            i ->
                count(
                        () ->
                            box.open(EndpointSecretSealer.PURPOSE, secrets.get(i))
                                .equals("secret-" + i))
                    + count(
                        () ->
                            new String(
                                    box.open(IdempotencyStore.PURPOSE, bodies.get(i)),
                                    StandardCharsets.UTF_8)
                                .equals(("answer-" + i).repeat(20))))
        .sum();
  }

  private static int count(java.util.function.BooleanSupplier check) {
    try {
      assertThat(check.getAsBoolean()).isTrue();
      return 1;
    } catch (SecretBox.UnsealFailure _) {
      return 0;
    }
  }
}
