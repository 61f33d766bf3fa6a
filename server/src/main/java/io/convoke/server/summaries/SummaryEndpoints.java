package io.convoke.server.summaries;

import io.convoke.engine.sql.Database;
import io.convoke.server.http.ApiScope;
import io.convoke.server.http.CallerRole;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.Problem;
import io.convoke.server.http.Request;
import io.convoke.server.http.Response;
import io.convoke.server.http.Schema;
import io.convoke.server.meetings.Meeting;
import io.convoke.server.meetings.MeetingStore;
import io.convoke.server.summaries.SummaryStore.SummaryView;
import java.util.List;

/** {@code /meetings/{id}/summary} (docs/reference/recordings.md, "Summaries"). */
final class SummaryEndpoints {
  private final Database database;
  private final MeetingStore meetings;
  private final SummaryStore store;
  private final boolean wanted;

  /**
   * Serves the summaries of a store.
   *
   * @param wanted whether there is a summarizer
   */
  SummaryEndpoints(Database database, MeetingStore meetings, SummaryStore store, boolean wanted) {
    this.database = database;
    this.meetings = meetings;
    this.store = store;
    this.wanted = wanted;
  }

  List<Endpoint> endpoints() {
    return List.of(
        Endpoint.get("/meetings/{id}/summary")
            .id("getSummary")
            .tag("meetings")
            .summary("The summary of a meeting, with the segments that it is taken from.")
            .description(
                "status is that of the last run; text and citations are those of the last run that"
                    + " was done. [n] in the text is the citation with that mark. rejected counts"
                    + " lines that the model cited and that do not exist.")
            .roles(CallerRole.USER)
            .scope(ApiScope.MEETINGS)
            .answers(200, Schema.of(SummaryView.class))
            .handle(request -> Response.ok(store.find(visible(request).id()))),
        Endpoint.post("/meetings/{id}/summary")
            .id("summarize")
            .tag("meetings")
            .summary("Summarize a meeting again.")
            .description("409 without a summarizer. The text of the last run stays until the end.")
            .roles(CallerRole.USER)
            .scope(ApiScope.MEETINGS)
            .answers(202, Schema.of(SummaryView.class))
            .problems(409)
            .handle(this::again));
  }

  private Response again(Request request) {
    Meeting meeting = visible(request);
    if (!wanted) {
      throw Problem.of(409, "no_summarizer", "No summarizer is configured (CONVOKE_SUMMARIZER).");
    }
    var _ = request.action().target("meeting", meeting.id());
    return Response.accepted(
        database.<SummaryView>transaction(
            tx -> store.start(tx, meeting.id(), request.caller().scope())));
  }

  private Meeting visible(Request request) {
    return meetings
        .find(request.pathId("id"))
        .filter(meeting -> request.sees(meeting.userId()))
        .orElseThrow(() -> Problem.notFound("meeting"));
  }
}
