package io.convoke.agent.egress;

import io.convoke.agent.egress.EgressJoin.JoinedFile;
import io.convoke.agent.egress.EgressRequest.EgressKind;
import io.convoke.agent.egress.EgressSegment.EgressGap;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** Joins the stored segments or ends the playlist, and writes {@code result.json}. */
record EgressResultWriter(EgressConfig config, EgressLedger ledger, EgressKind kind) {

  /** What came of the task: {@code result.json}. */
  private record EgressResult(
      String kind,
      String room,
      int attempts,
      double seconds,
      double cpuSeconds,
      List<JoinedFile> files,
      List<EgressGap> gaps) {}

  /**
   * Ends a task; calls of a store that fails are repeated.
   *
   * @param kindName as in the payload
   * @param lastPublished when someone published at last
   */
  void write(String kindName, String room, int attempts, double cpuSeconds, Instant lastPublished)
      throws IOException, InterruptedException {
    List<EgressSegment> segments = ledger.segments();
    List<JoinedFile> files =
        switch (kind) {
          case EgressKind.RecordRoom _ -> new EgressJoin(config, ledger).join(segments);
          case EgressKind.StreamRoom _, EgressKind.PictureRoom _, EgressKind.PushRoom _ ->
              List.of();
        };
    List<EgressSegment> whole = EgressSegment.whole(segments);
    EgressResult result =
        new EgressResult(
            kindName,
            room,
            attempts,
            seconds(segments),
            cpuSeconds,
            files,
            EgressSegment.gaps(whole, lastPublished));
    boolean _ =
        ledger.patiently(
            () -> {
              if (kind instanceof EgressKind.StreamRoom) {
                ledger.write("index.m3u8", EgressSegment.playlist(whole, true));
              }
              ledger.write("result.json", result);
              return true;
            });
  }

  /**
   * Ends a task whose pods are gone: what it took is known from its last progress, and the time
   * after its last segment is not. Nothing is written where its files are deleted.
   */
  void writeForEndedTask(String kindName, String room) throws IOException, InterruptedException {
    if (ledger.segments().isEmpty()) {
      return;
    }
    Optional<JsonNode> progress = ledger.document("progress.json");
    write(
        kindName,
        room,
        ledger.segments().stream().mapToInt(EgressSegment::attempt).max().orElse(0),
        progress.map(it -> it.path("cpu_seconds").asDouble(0)).orElse(0.0),
        Instant.EPOCH);
  }

  static double seconds(List<EgressSegment> segments) {
    return EgressSegment.whole(segments).stream()
            .mapToLong(segment -> segment.length().toMillis())
            .sum()
        / 1000.0;
  }
}
