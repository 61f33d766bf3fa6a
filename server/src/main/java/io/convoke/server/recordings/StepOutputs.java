package io.convoke.server.recordings;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Tx;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** The output of a sync step for the next one, committed with its completion. */
final class StepOutputs {
  private StepOutputs() {}

  static void write(Tx tx, StepClaim claim, JsonNode body) {
    int _ =
        tx.sql(
                """
                insert into recording_documents (recording_id, step, run, body) values (?, ?, ?, ?)
                on conflict (recording_id, step) do update
                  set run = excluded.run, body = excluded.body, created_at = now()
                """)
            .with(claim.recordingId(), claim.step().wireName(), claim.order().run(), body)
            .update();
  }

  static Optional<JsonNode> read(Database database, String recordingId, StepName step) {
    return database.read(tx -> read(tx, recordingId, step));
  }

  static Optional<JsonNode> read(Tx tx, String recordingId, StepName step) {
    return tx.sql("select body from recording_documents where recording_id = ? and step = ?")
        .with(recordingId, step.wireName())
        .first(resultRow -> resultRow.json("body"));
  }
}
