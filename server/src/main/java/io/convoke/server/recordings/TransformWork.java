package io.convoke.server.recordings;

import io.convoke.engine.durable.ActivityContext;
import io.convoke.engine.json.Json;
import io.convoke.engine.sql.Database;
import io.convoke.server.crm.Crm;
import io.convoke.server.crm.Crm.Transformed;
import io.convoke.server.crm.MeetingNote;
import java.io.IOException;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * Job B of the sync: converts the note to the CRM's form, after a check that the CRM has the needed
 * properties.
 */
final class TransformWork implements StepWork {
  private final Database database;
  private final Optional<Crm> crm;

  TransformWork(Database database, Optional<Crm> crm) {
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
      return new StepResult.Skipped("no CRM is configured");
    }
    Optional<JsonNode> note = Documents.read(database, claim.recordingId(), StepName.PREPARE);
    if (note.isEmpty()) {
      return new StepResult.Failed("nothing was prepared; begin again there");
    }
    Optional<String> lack = crm.get().lacks();
    if (lack.isPresent()) {
      return new StepResult.Failed(lack.get());
    }
    return switch (crm.get().transform(Json.read(note.get(), MeetingNote.class))) {
      case Transformed.Unfit(String why) -> new StepResult.Failed(why);
      case Transformed.Ready(JsonNode body) ->
          new StepResult.Done("for " + crm.get().kind(), tx -> Documents.write(tx, claim, body));
    };
  }
}
