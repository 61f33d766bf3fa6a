package io.convoke.server.recordings;

import io.convoke.engine.durable.ActivityContext;
import io.convoke.engine.json.Json;
import io.convoke.engine.sql.Database;
import io.convoke.server.blobs.Digest;
import io.convoke.server.crm.Crm;
import io.convoke.server.crm.Crm.Pushed;
import java.io.IOException;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * Job C of the sync: sends the note to the CRM. Its idempotency key hashes the recording and the
 * text, so a repetition is recognised and a changed text is not taken for one.
 */
final class PushWork implements StepWork {
  private static final int DIGEST_SHOWN = 16;

  private final Database database;
  private final Optional<Crm> crm;

  PushWork(Database database, Optional<Crm> crm) {
    this.database = database;
    this.crm = crm;
  }

  @Override
  public StepName name() {
    return StepName.PUSH;
  }

  @Override
  public boolean wanted() {
    return crm.isPresent();
  }

  @Override
  public StepResult run(StepClaim claim, ActivityContext context)
      throws IOException, InterruptedException {
    if (crm.isEmpty()) {
      return new StepResult.Skipped("no CRM is configured");
    }
    Optional<JsonNode> body = Documents.read(database, claim.recordingId(), StepName.TRANSFORM);
    if (body.isEmpty()) {
      return new StepResult.Failed("nothing was transformed; begin again there");
    }
    return switch (crm.get().push(body.get(), key(claim.recordingId(), body.get()))) {
      case Pushed.Accepted(String id) ->
          StepResult.Done.of(id.isEmpty() ? "accepted" : "accepted as " + id);
      case Pushed.Refused(String why) -> new StepResult.Failed(why);
    };
  }

  private static String key(String recordingId, JsonNode body) {
    byte[] bytes = Json.bytes(body);
    Digest digest = new Digest();
    digest.add(bytes, 0, bytes.length);
    return recordingId + "-" + digest.hex().substring(0, DIGEST_SHOWN);
  }
}
