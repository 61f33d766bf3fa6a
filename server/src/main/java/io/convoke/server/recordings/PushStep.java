package io.convoke.server.recordings;

import io.convoke.agent.blobs.Sha256;
import io.convoke.engine.durable.ActivityContext;
import io.convoke.engine.json.Json;
import io.convoke.engine.sql.Database;
import io.convoke.server.crm.CrmConnector;
import io.convoke.server.crm.CrmConnector.CrmPushResult;
import io.convoke.server.crm.MeetingNote;
import java.io.IOException;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * Job C of the sync: sends the note to the CRM. Its idempotency key has the recording, a hash of
 * the text, and the run after the first: a repeated attempt is recognised, and neither a changed
 * text nor one that is changed back is taken for one.
 */
final class PushStep implements StepHandler {
  private static final int DIGEST_SHOWN = 16;

  private final Database database;
  private final Optional<CrmConnector> crm;

  PushStep(Database database, Optional<CrmConnector> crm) {
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
      return new StepResult.StepSkipped("no CRM is configured");
    }
    Optional<JsonNode> body = StepOutputs.read(database, claim.recordingId(), StepName.TRANSFORM);
    if (body.isEmpty()) {
      return new StepResult.StepFailedForGood("there is no transformed note; retry from transform");
    }
    Optional<MeetingNote> note =
        StepOutputs.read(database, claim.recordingId(), StepName.PREPARE)
            .map(json -> Json.read(json, MeetingNote.class));
    CrmConnector target = crm.get().forMeeting(claim.meetingId());
    return switch (target.push(body.get(), note, key(claim, body.get()))) {
      case CrmPushResult.CrmPushAccepted(String id, String detail) ->
          StepResult.StepDone.of(
              (id.isEmpty() ? "accepted" : "accepted as " + id)
                  + (detail.isEmpty() ? "" : ", " + detail));
      case CrmPushResult.CrmPushRefused(String why) -> new StepResult.StepFailedForGood(why);
    };
  }

  private static String key(StepClaim claim, JsonNode body) {
    byte[] bytes = Json.bytes(body);
    Sha256 sha256 = new Sha256();
    sha256.add(bytes, 0, bytes.length);
    int run = claim.order().run();
    String hash = sha256.hex().substring(0, DIGEST_SHOWN);
    return claim.recordingId() + "-" + hash + (run == 1 ? "" : "-" + run);
  }
}
