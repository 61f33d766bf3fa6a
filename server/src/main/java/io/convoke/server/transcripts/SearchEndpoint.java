package io.convoke.server.transcripts;

import io.convoke.engine.sql.Database;
import io.convoke.server.http.ApiScope;
import io.convoke.server.http.CallerRole;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.Request;
import io.convoke.server.http.Response;
import io.convoke.server.http.Schema;
import java.util.List;

/** {@code GET /search}: finds what was said (docs/reference/recordings.md, "Search"). */
public final class SearchEndpoint {
  private static final int CHARS_MAX = 200;

  private final SegmentSearch search;

  /** Searches the transcripts in this database. */
  public SearchEndpoint(Database database) {
    this.search = new SegmentSearch(database);
  }

  /** The one endpoint. */
  public List<Endpoint> endpoints() {
    return List.of(
        Endpoint.get("/search")
            .id("searchTranscripts")
            .tag("meetings")
            .summary("Search what was said in all meetings.")
            .description(
                "Completed segments that have all words of q, by themselves or by their stems, in"
                    + " meetings that the caller may read. The newest 200 matches come first, best"
                    + " ones at the top, then the next 200. highlight is HTML: the text is escaped,"
                    + " and what was found is in <mark>.")
            .roles(CallerRole.USER)
            .scope(ApiScope.MEETINGS)
            .requiredQuery(
                "q",
                Schema.text(1, CHARS_MAX)
                    .describe("Words that a segment must have.")
                    .example("budget"))
            .paged()
            .answers(200, Schema.slice(Schema.of(SearchHit.class)))
            .handle(this::search));
  }

  private Response search(Request request) {
    return Response.ok(
        search.search(request.query("q").orElseThrow(), request.visibleUsers(), request.page()));
  }
}
