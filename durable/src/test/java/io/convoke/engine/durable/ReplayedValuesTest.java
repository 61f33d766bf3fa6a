package io.convoke.engine.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.simulator.stores.LocalStores;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What a workflow's code is told: the same before and after a replay, and its ids its own. */
class ReplayedValuesTest {
  private static final Duration LONG = Duration.ofSeconds(20);

  /** A text that was cut within a character. */
  private static final String CUT = "Well done \ud83d";

  private final String url = LocalStores.forTests().freshDatabase();
  private final Database database =
      Database.open(DatabaseUrl.parse(url), 1, "replayed-values-test", List.of("durable"));

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void theTimeOfAStartATimerAndAStep() throws Exception {
    assertSeenAgain(
        context -> {
          Instant begun = context.now();
          context.sleep(Duration.ofMillis(20));
          Instant fired = context.now();
          String _ = context.step("name", String.class, () -> "Ada");
          return begun + " " + fired + " " + context.now();
        });
  }

  @Test
  void theResultOfAStep() throws Exception {
    assertSeenAgain(
        context ->
            context.step("price", BigDecimal.class, () -> new BigDecimal("19.90"))
                + " "
                + context.step("cut", String.class, () -> CUT));
  }

  @Test
  void theResultOfAnActivityWhoseInputWasCutWithinACharacter() throws Exception {
    assertSeenAgain(context -> context.activity("echo", CUT, String.class));
  }

  @Test
  void theIdOfASubWorkflowThatWasCutWithinACharacter() throws Exception {
    assertSeenAgain(context -> context.child("named", CUT, "", String.class).get());
  }

  /** The code changes the result of an activity, and the input of another one after its order. */
  @Test
  void aNodeThatTheCodeChanges() throws Exception {
    assertSeenAgain(
        context -> {
          ObjectNode order = context.activity("order", "7", ObjectNode.class);
          ObjectNode _ = order.put("total", order.path("total").asInt() + 1);
          Promise<JsonNode> echo =
              context.order("echo", order, JsonNode.class, ActivityOptions.ONCE);
          ObjectNode _ = order.put("total", 0);
          return echo.get().toString();
        });
  }

  /** Their ids have the same hash code, and they begin at the same time. */
  @Test
  void twoWorkflowsMakeDifferentIds() throws Exception {
    try (Durable engine = makingIds()) {
      database.run(
          tx ->
              tx.run(
                  List.of(
                      Durable.starting(tx, "ids", "Aa", ""),
                      Durable.starting(tx, "ids", "BB", ""))));
      String ids = engine.await("Aa", String.class, LONG) + engine.await("BB", String.class, LONG);
      assertThat(ids.split(" ")).hasSize(4).doesNotHaveDuplicates();
    }
  }

  @Test
  void anExecutionThatAnEarlierReleaseBeganKeepsItsIds() throws Exception {
    Instant at = Instant.parse("2026-11-22T01:30:00Z");
    Random random = new Random((31L * "Aa".hashCode() + 1) ^ at.toEpochMilli());
    UUID first =
        new UUID(
            (random.nextLong() & ~0xf000L) | 0x4000L,
            (random.nextLong() & 0x3fffffffffffffffL) | 0x8000000000000000L);
    try (Durable engine = makingIds()) {
      beginAsBefore("Aa", "");
      assertThat(engine.await("Aa", String.class, LONG)).startsWith(first + " ");
    }
  }

  /** The name of an execution gives an id of version 3, random numbers one of version 4. */
  @Test
  void aRetryOfWhatAnEarlierReleaseBeganMakesIdsOfItsName() throws Exception {
    try (Durable engine = makingIds()) {
      beginAsBefore("r", "ill");
      assertThatThrownBy(() -> engine.await("r", String.class, LONG))
          .isInstanceOf(WorkflowFailedException.class);
      assertThat(engine.retry("r")).isTrue();
      String first = engine.await("r", String.class, LONG).split(" ", 2)[0];
      assertThat(UUID.fromString(first).version()).isEqualTo(3);
    }
  }

  /** Begins a workflow as an earlier release does: its start message says nothing of ids. */
  private void beginAsBefore(String instanceId, String input) {
    database.run(
        tx -> {
          int _ =
              tx.sql("insert into orchestrator_queue (instance_id, work_item) values (?, ?)")
                  .with(
                      instanceId,
                      """
                      {"execution": 0, "type": "Started", "data": {
                        "name": "ids", "version": "1", "input": "%s", "parent": null,
                        "at": "2026-11-22T01:30:00.000Z", "trace": null}}
                      """
                          .formatted(input))
                  .update();
        });
  }

  private Durable makingIds() {
    return Durable.on(url)
        .workflow(
            "ids",
            String.class,
            (context, input) -> {
              if (input.equals("ill") && context.executionId() == 1) {
                throw new IllegalStateException("ill");
              }
              return context.newId() + " " + context.newId() + " ";
            })
        .start();
  }

  /** The code runs on one node until it waits, and is replayed on another one. */
  private void assertSeenAgain(Function<WorkflowContext, String> code) throws Exception {
    String before;
    try (Durable first = seeing(code)) {
      database.run(tx -> tx.run(List.of(Durable.starting(tx, "sees", "s", ""))));
      before = awaitStatus(first);
    }
    try (Durable second = seeing(code)) {
      second.raise("s", "go", "");
      assertThat(second.await("s", String.class, LONG)).isEqualTo(before);
    }
  }

  private Durable seeing(Function<WorkflowContext, String> code) {
    return Durable.on(url)
        .activity("echo", JsonNode.class, (context, input) -> input)
        .activity("order", String.class, (context, number) -> Map.of("total", 1))
        .workflow("named", String.class, (context, input) -> context.instanceId())
        .workflow(
            "sees",
            String.class,
            (context, input) -> {
              String seen = code.apply(context);
              context.status(seen);
              String _ = context.event("go", String.class).get();
              return seen;
            })
        .start();
  }

  private static String awaitStatus(Durable engine) {
    long end = System.nanoTime() + LONG.toNanos();
    while (engine.instance("s").flatMap(it -> it.customStatus()).isEmpty()) {
      assertThat(System.nanoTime()).isLessThan(end);
      LockSupport.parkNanos(10_000_000);
    }
    return engine.instance("s").flatMap(it -> it.customStatus()).orElseThrow();
  }
}
