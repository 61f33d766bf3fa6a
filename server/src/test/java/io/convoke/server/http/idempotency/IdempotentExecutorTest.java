package io.convoke.server.http.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.crypto.SecretBox;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Query;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.engine.sql.Tx;
import io.convoke.server.http.ApiScope;
import io.convoke.server.http.CallerRole;
import io.convoke.server.http.ContractClient;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.HttpConfig;
import io.convoke.server.http.Problem;
import io.convoke.server.http.Request;
import io.convoke.server.http.Response;
import io.convoke.server.http.Schema;
import io.convoke.server.http.TestDatabase;
import io.convoke.server.http.TestServer;
import io.convoke.server.launch.Await;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Sending a request again with its Idempotency-Key changes nothing and gets the first answer again.
 */
class IdempotentExecutorTest {
  record Made(int number, String word) {}

  private final AtomicInteger made = new AtomicInteger();
  private final AtomicLong nanos = new AtomicLong();
  private final CountDownLatch entered = new CountDownLatch(1);
  private final CountDownLatch mayLeave = new CountDownLatch(1);
  private Database database;
  private TestServer server;
  private ContractClient ann;

  @BeforeEach
  void start() {
    database = TestDatabase.fresh();
    IdempotencyStore keys =
        new IdempotencyStore(database, SecretBox.of(SecretBox.newKey()), nanos::get);
    List<Endpoint> endpoints =
        List.of(
            making("/made", "make").handle(this::make),
            making("/made-once", "makeOnce").repeatable().handle(this::make));
    server = TestServer.of(endpoints, HttpConfig.at("127.0.0.1", 0), keys, List.of());
    ann = server.user(1).with("Idempotency-Key", "k1");
  }

  @AfterEach
  void stop() {
    server.close();
    database.close();
  }

  private static Endpoint.Builder making(String path, String id) {
    return Endpoint.post(path)
        .id(id)
        .tag("made")
        .summary("Make one.")
        .roles(CallerRole.USER)
        .scope(ApiScope.MEETINGS)
        .body(Schema.object().required("word", Schema.text(1, 50)).optional("extra", Schema.bool()))
        .creates()
        .answers(201, Schema.of(Made.class))
        .problems(409, 410);
  }

  private Response make(Request request) throws InterruptedException {
    String word = request.json().get("word").asString();
    int number = made.incrementAndGet();
    switch (word) {
      case "slow" -> {
        entered.countDown();
        assertThat(mayLeave.await(10, TimeUnit.SECONDS)).isTrue();
      }
      case "gone" -> throw Problem.gone("gone", "It is over, number " + number + ".");
      case "full" -> throw Problem.tooMany("full", "Try later.", Duration.ofSeconds(1));
      case "bug" -> throw new IllegalStateException("a bug");
      case "full later" -> {
        insert(word);
        throw Problem.unavailable("Another system");
      }
      case "committed" -> insert(word);
      case "committed, unknown" -> {
        insert(word);
        throw new StoreUnavailable("the acknowledgement is lost");
      }
      case "rolled back" ->
          database.run(
              tx -> {
                insert(tx, word);
                throw new StoreUnavailable("the connection broke");
              });
      case "key lost" ->
          database.run(
              tx -> {
                update("delete from idempotency_keys");
                tx.commit(List.of(insertion(tx, word)));
              });
      default -> {}
    }
    return Response.created(new Made(number, word)).header("Location", "/made/" + number);
  }

  private void insert(String word) {
    database.run(tx -> insert(tx, word));
  }

  private static void insert(Tx tx, String word) {
    int _ = insertion(tx, word).update();
  }

  private static Query insertion(Tx tx, String word) {
    return tx.sql("insert into users (email) values (concat(?::text, gen_random_uuid()))")
        .with(word);
  }

  private long inserted() {
    return database.read(
        tx -> tx.sql("select count(*) as n from users").one(row -> row.longAt("n")));
  }

  @Test
  void the_first_response_is_replayed() {
    var first = ann.json("POST", "/made", "{\"word\":\"a\",\"extra\":true}").expect(201);
    var again = ann.json("POST", "/made", "{ \"extra\":true,\n \"word\":\"a\" }").expect(201);

    assertThat(again.body()).isEqualTo(first.body());
    assertThat(again.header("Location")).isEqualTo("/made/1");
    assertThat(first.header("Idempotent-Replayed")).isEmpty();
    assertThat(again.header("Idempotent-Replayed")).isEqualTo("true");
    assertThat(made).hasValue(1);
  }

  @Test
  void the_same_key_with_another_body_is_422() {
    ann.post("/made", Map.of("word", "a")).expect(201);
    ann.post("/made", Map.of("word", "b")).expect(422, "idempotency_key_reused");
    assertThat(made).hasValue(1);
  }

  @Test
  void keys_are_scoped_to_their_caller() {
    ann.post("/made", Map.of("word", "a")).expect(201);
    var bob = server.user(2).with("Idempotency-Key", "k1").post("/made", Map.of("word", "a"));
    assertThat(bob.expect(201).json().get("number").asInt()).isEqualTo(2);
  }

  @Test
  void a_4xx_response_is_replayed_too() {
    var first = ann.post("/made", Map.of("word", "gone")).expect(410, "gone");
    var again = ann.post("/made", Map.of("word", "gone")).expect(410, "gone");
    assertThat(again.body()).isEqualTo(first.body());
    assertThat(made).hasValue(1);
  }

  @Test
  void a_request_that_failed_with_5xx_runs_again() {
    ann.post("/made", Map.of("word", "full")).expect(429);
    ann.post("/made", Map.of("word", "full")).expect(429);
    ann.with("Idempotency-Key", "k2").post("/made", Map.of("word", "bug")).expect(500);
    ann.with("Idempotency-Key", "k2").post("/made", Map.of("word", "bug")).expect(500);
    assertThat(made).hasValue(4);
  }

  @Test
  void a_request_that_was_committed_without_an_answer_does_not_run_again() {
    ann.post("/made", Map.of("word", "committed, unknown")).expect(503);
    ann.post("/made", Map.of("word", "committed, unknown")).expect(409, "idempotency_answer_lost");
    assertThat(inserted()).isEqualTo(1);
    ann.post("/made", Map.of("word", "a")).expect(422);
  }

  @Test
  void a_repeatable_request_runs_again_after_its_commit() {
    ann.post("/made-once", Map.of("word", "committed, unknown")).expect(503);
    ann.post("/made-once", Map.of("word", "committed, unknown")).expect(503);
    assertThat(made).hasValue(2);
  }

  /** As after a broken connection, when the commit is executed later than the key is released. */
  @Test
  void a_request_whose_key_was_released_meanwhile_commits_nothing() {
    ann.post("/made", Map.of("word", "key lost")).expect(500);
    assertThat(inserted()).isZero();
  }

  @Test
  void a_request_that_was_rolled_back_runs_again() {
    ann.post("/made", Map.of("word", "rolled back")).expect(503);
    ann.post("/made", Map.of("word", "rolled back")).expect(503);
    assertThat(made).hasValue(2);
    assertThat(inserted()).isZero();
  }

  /** The handler has decided that it may be repeated. */
  @Test
  void a_request_that_was_refused_after_a_commit_runs_again() {
    ann.post("/made", Map.of("word", "full later")).expect(503);
    ann.post("/made", Map.of("word", "full later")).expect(503);
    assertThat(made).hasValue(2);
  }

  @Test
  void a_holder_that_died_after_its_commit_leaves_no_claim() {
    ann.post("/made", Map.of("word", "committed")).expect(201);
    update("update idempotency_keys set status = null, headers = null, body = null");
    ann.post("/made", Map.of("word", "committed")).expect(409, "idempotency_in_flight");

    update("update idempotency_keys set claimed_until = now() - interval '1 second'");
    ann.post("/made", Map.of("word", "committed")).expect(409, "idempotency_answer_lost");
    assertThat(inserted()).isEqualTo(1);

    update("update idempotency_keys set created_at = now() - interval '24 hours'");
    ann.post("/made", Map.of("word", "committed")).expect(201);
    assertThat(inserted()).isEqualTo(2);
  }

  @Test
  void while_the_first_is_in_flight_the_second_is_409() throws Exception {
    var first = CompletableFuture.supplyAsync(() -> ann.post("/made", Map.of("word", "slow")));
    assertThat(entered.await(10, TimeUnit.SECONDS)).isTrue();

    ann.post("/made", Map.of("word", "slow")).expect(409, "idempotency_in_flight");
    mayLeave.countDown();
    first.get(10, TimeUnit.SECONDS).expect(201);
    ann.post("/made", Map.of("word", "slow")).expect(201);
    assertThat(made).hasValue(1);
  }

  @Test
  void a_claim_of_a_dead_holder_expires() {
    ann.post("/made", Map.of("word", "a")).expect(201);
    update("update idempotency_keys set status = null, headers = null, body = null");
    ann.post("/made", Map.of("word", "a")).expect(409);

    update("update idempotency_keys set claimed_until = now() - interval '1 second'");
    ann.post("/made", Map.of("word", "b")).expect(422);
    ann.post("/made", Map.of("word", "a")).expect(201);
    assertThat(made).hasValue(2);
  }

  @Test
  void after_a_day_the_key_is_new() {
    ann.post("/made", Map.of("word", "a")).expect(201);
    update("update idempotency_keys set created_at = now() - interval '24 hours'");

    ann.post("/made", Map.of("word", "b")).expect(201);
    assertThat(made).hasValue(2);
  }

  @Test
  void all_expired_keys_are_deleted_when_new_ones_arrive() {
    ann.post("/made", Map.of("word", "a")).expect(201);
    update(
        """
        insert into idempotency_keys (scope, key, fingerprint, created_at, claimed_until)
        select 'old', n::text, ''::bytea, now() - interval '24 hours', now()
        from generate_series(1, 5000) as n
        """);
    nanos.set(Duration.ofMinutes(10).toNanos());
    ann.with("Idempotency-Key", "k2").post("/made", Map.of("word", "b")).expect(201);

    Await.until(
        "all but the two new keys to be gone",
        () ->
            database.read(
                    tx ->
                        tx.sql("select count(*) as n from idempotency_keys")
                            .one(resultRow -> resultRow.longAt("n")))
                == 2);
    ann.post("/made", Map.of("word", "a")).expect(201);
    assertThat(made).hasValue(2);
  }

  @Test
  void responses_are_stored_encrypted() {
    ann.post("/made", Map.of("word", "a-secret-word")).expect(201);

    byte[] body =
        database.read(
            tx ->
                tx.sql("select body from idempotency_keys")
                    .one(resultRow -> resultRow.bytes("body")));
    assertThat(new String(body, java.nio.charset.StandardCharsets.ISO_8859_1))
        .doesNotContain("a-secret-word");
  }

  private void update(String sql) {
    int _ = database.read(tx -> tx.sql(sql).update());
  }
}
