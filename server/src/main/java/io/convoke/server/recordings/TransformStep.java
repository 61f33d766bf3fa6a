package io.convoke.server.recordings;

import io.convoke.engine.durable.ActivityContext;
import io.convoke.engine.json.Json;
import io.convoke.engine.sql.Database;
import io.convoke.server.crm.CrmConnector;
import io.convoke.server.crm.CrmConnector.CrmTransformResult;
import io.convoke.server.crm.MeetingNote;
import java.io.IOException;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * Job B of the sync: converts the note to the CRM's form, after a check that the CRM has the needed
 * properties.
 */
final class TransformStep implements StepHandler {
  private final Database database;
  private final Optional<CrmConnector> crm;

  TransformStep(Database database, Optional<CrmConnector> crm) {
    this.database = database;
    this.crm = crm;
  }

  @Override
  public StepName name() {
    return StepName.TRANSFORM;
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
    Optional<JsonNode> note = StepOutputs.read(database, claim.recordingId(), StepName.PREPARE);
    if (note.isEmpty()) {
      return new StepResult.StepFailedForGood("there is no prepared note; retry from prepare");
    }
    CrmConnector target = crm.get().forMeeting(claim.meetingId());
    Optional<String> lack = target.lacks();
    if (lack.isPresent()) {
      return new StepResult.StepFailedForGood(lack.get());
    }
    return switch (target.transform(Json.read(note.get(), MeetingNote.class))) {
      case CrmTransformResult.CrmBodyImpossible(String why) ->
          new StepResult.StepFailedForGood(why);
      case CrmTransformResult.CrmBodyReady(JsonNode body) ->
          new StepResult.StepDone("for " + target.kind(), tx -> StepOutputs.write(tx, claim, body));
    };
  }
}
