package io.convoke.server.audit;

import io.convoke.engine.json.Json;
import io.convoke.server.http.CallerRole;
import io.convoke.server.http.Cursor;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.Page;
import io.convoke.server.http.PageRequest;
import io.convoke.server.http.Request;
import io.convoke.server.http.Response;
import io.convoke.server.http.Schema;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/** {@code GET /admin/audit}: the audit journal, for operators. */
public final class AuditEndpoints {
  private static final String LINES = "application/x-ndjson";

  /** An action as the API shows it. */
  record AuditEntryView(
      Instant at,
      String action,
      String actor,
      Optional<Long> keyId,
      String address,
      String target,
      Optional<JsonNode> before,
      Optional<JsonNode> after) {
    static AuditEntryView of(AuditEntry entry) {
      return new AuditEntryView(
          entry.at(),
          entry.action(),
          entry.actor(),
          entry.keyId(),
          entry.address(),
          entry.target(),
          entry.before(),
          entry.after());
    }
  }

  private final AuditLog auditLog;

  public AuditEndpoints(AuditLog auditLog) {
    this.auditLog = auditLog;
  }

  /** The one endpoint. */
  public List<Endpoint> endpoints() {
    return List.of(
        Endpoint.get("/admin/audit")
            .id("listAuditEntries")
            .tag("audit")
            .summary("What operators and keys changed, newest first.")
            .description(
                "action is an operationId. With Accept: application/x-ndjson the page is one entry"
                    + " a line, and the header Next-Cursor has the cursor of the next page.")
            .roles(CallerRole.ADMIN)
            .paged()
            .answers(200, Schema.slice(Schema.of(AuditEntryView.class)))
            .answers(200, LINES)
            .handle(this::list));
  }

  private Response list(Request request) {
    PageRequest pageRequest = request.page();
    long before =
        pageRequest.cursor().map(cursor -> Cursor.parseLongs(cursor, 1)[0]).orElse(Long.MAX_VALUE);
    Page<AuditEntryView> page =
        Page.of(
                auditLog.list(before, pageRequest.limit() + 1),
                pageRequest,
                entry -> Cursor.of(entry.id()))
            .map(AuditEntryView::of);
    return request.accepts(LINES) ? lines(page) : Response.ok(page);
  }

  private static Response lines(Page<AuditEntryView> page) {
    Response response =
        Response.text(
            LINES,
            page.items().stream()
                .map(entry -> Json.write(entry) + "\n")
                .collect(Collectors.joining()));
    return page.nextCursor().map(cursor -> response.header("Next-Cursor", cursor)).orElse(response);
  }
}
