package io.convoke.agent.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.agent.snapshot.SnapshotRequest.SnapshotParseResult;
import io.convoke.engine.json.Json;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Valid and invalid payloads of snapshot tasks. */
class SnapshotRequestTest {
  @Test
  void aFullPayloadIsRead() {
    assertThat(
            read(
                """
                {"access_token": "007eJx", "workerUid": 42, "interval_in_ms": 15000, "layout": "flat",
                 "uid": ["user123", "user456"]}
                """))
        .isEqualTo(
            new SnapshotParseResult.ValidSnapshotRequest(
                new SnapshotRequest(
                    Duration.ofSeconds(15),
                    TileLayout.FLAT,
                    List.of("user123", "user456"),
                    Optional.of("007eJx"),
                    "snapshot-42")));
  }

  @Test
  void nothingHasToBeThere() {
    assertThat(read("{\"uid\": null, \"other\": [1]}"))
        .isEqualTo(
            new SnapshotParseResult.ValidSnapshotRequest(
                new SnapshotRequest(
                    Duration.ofSeconds(20),
                    TileLayout.FLAT,
                    List.of(),
                    Optional.empty(),
                    "snapshot-1")));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'interval_in_ms': 999} | interval_in_ms must be a number from 1000 to 300000",
        "{'interval_in_ms': 300001} | interval_in_ms must be",
        "{'interval_in_ms': 1e40} | interval_in_ms must be",
        "{'interval_in_ms': -1} | interval_in_ms must be",
        "{'interval_in_ms': '15000'} | interval_in_ms must be",
        "{'interval_in_ms': {}} | interval_in_ms must be",
        "{'layout': 'freestyle'} | layout must be flat, grid or spotlight",
        "{'layout': 7} | layout must be",
        "{'layout': []} | layout must be",
        "{'uid': 'user123'} | uid must be a list of at most 32 user ids",
        "{'uid': [[]]} | uid must be",
        "{'workerUid': 0} | workerUid must be a number from 1 to 999999999",
        "{'workerUid': 1.5} | workerUid must be",
        "{'access_token': 7} | access_token must be a text",
        "[] | the payload is not a JSON object",
        "null | the payload is not a JSON object"
      },
      quoteCharacter = '`')
  void whatMakesNoSenseIsRefusedWithTheFieldAndItsBounds(String payload, String reason) {
    assertThat(read(payload.replace('\'', '"')))
        .isInstanceOfSatisfying(
            SnapshotParseResult.InvalidSnapshotRequest.class,
            invalidSnapshotRequest ->
                assertThat(invalidSnapshotRequest.reason()).startsWith(reason));
  }

  @Test
  void theBoundsThemselvesAreFine() {
    assertThat(read("{\"interval_in_ms\": 1000}"))
        .isInstanceOf(SnapshotParseResult.ValidSnapshotRequest.class);
    assertThat(read("{\"interval_in_ms\": 300000}"))
        .isInstanceOf(SnapshotParseResult.ValidSnapshotRequest.class);
    assertThat(read(users(32))).isInstanceOf(SnapshotParseResult.ValidSnapshotRequest.class);
    assertThat(read(users(33))).isInstanceOf(SnapshotParseResult.InvalidSnapshotRequest.class);
  }

  private static String users(int count) {
    return "{\"uid\": [" + "\"u\",".repeat(count - 1) + "\"u\"]}";
  }

  private static SnapshotParseResult read(String payload) {
    return SnapshotRequest.read(Json.read(payload));
  }
}
