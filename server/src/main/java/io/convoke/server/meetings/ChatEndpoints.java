package io.convoke.server.meetings;

import io.convoke.server.http.ApiScope;
import io.convoke.server.http.CallerRole;
import io.convoke.server.http.Cursor;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.Page;
import io.convoke.server.http.PageRequest;
import io.convoke.server.http.Problem;
import io.convoke.server.http.Request;
import io.convoke.server.http.Response;
import io.convoke.server.http.Schema;
import io.convoke.server.meetings.ChatStore.ChatMessage;
import java.util.List;

/** {@code /meetings/{id}/chat}: what was written in the chat of a meeting. */
public final class ChatEndpoints {
  private final ChatStore chat;
  private final MeetingStore meetings;

  /** Serves what bots reported. */
  public ChatEndpoints(ChatStore chat, MeetingStore meetings) {
    this.chat = chat;
    this.meetings = meetings;
  }

  /** Reading the chat. */
  public List<Endpoint> endpoints() {
    return List.of(
        Endpoint.get("/meetings/{id}/chat")
            .id("listChat")
            .tag("meetings")
            .summary("The chat of a meeting that a bot has read or written, oldest first.")
            .description(
                "In the order in which it was reported. To ask for what is new, send the id of the"
                    + " last message as after; event chat.message announces each.")
            .roles(CallerRole.USER)
            .scope(ApiScope.MEETINGS)
            .query("after", Schema.integer(0, Long.MAX_VALUE).describe("Only later messages."))
            .paged()
            .answers(200, Schema.slice(Schema.of(ChatMessage.class)))
            .handle(this::list));
  }

  private Response list(Request request) {
    Meeting meeting =
        meetings
            .find(request.pathId("id"))
            .filter(it -> request.sees(it.userId()))
            .orElseThrow(() -> Problem.notFound("meeting"));
    PageRequest pageRequest = request.page();
    long after = request.queryLong("after").orElse(0L);
    long reached = pageRequest.cursor().map(cursor -> Cursor.parseLongs(cursor, 1)[0]).orElse(0L);
    return Response.ok(
        Page.of(
            chat.list(meeting.id(), Math.max(after, reached), pageRequest.limit() + 1),
            pageRequest,
            last -> Cursor.of(last.id())));
  }
}
