package io.convoke.server.mcp;

import io.convoke.server.http.OperationCall;
import io.convoke.server.http.OperationCalls;
import io.convoke.server.http.Problem;
import io.convoke.server.http.Response;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/** Transcripts as resources, which a person attaches to a conversation: by meeting, as text. */
final class TranscriptResources {
  private static final String TYPE = "text/plain";
  private static final String LIST = "listMeetings";
  private static final String READ = "getTranscript";
  private static final int LISTED_MAX = 50;
  private static final Pattern URI =
      Pattern.compile("convoke://meetings/([1-9][0-9]{0,17})/transcript");

  private TranscriptResources() {}

  /** The transcripts of the newest meetings; none for a credential that may not read them. */
  static Map<String, Object> list(OperationCalls calls, Optional<String> cursor) {
    Map<String, Object> result = new LinkedHashMap<>();
    List<Object> resources = new ArrayList<>();
    if (calls.permits(LIST) && calls.permits(READ)) {
      OperationCall meetings = OperationCall.of(LIST).query("limit", LISTED_MAX);
      JsonNode page =
          McpTool.json(calls.call(cursor.map(it -> meetings.query("cursor", it)).orElse(meetings)));
      page.path("items").forEach(meeting -> resources.add(listed(meeting)));
      if (page.path("next_cursor").isString()) {
        result.put("nextCursor", page.path("next_cursor").asString());
      }
    }
    result.put("resources", resources);
    return result;
  }

  private static Map<String, Object> listed(JsonNode meeting) {
    String id = meeting.path("id").asString();
    Map<String, Object> resource = new LinkedHashMap<>();
    resource.put("uri", "convoke://meetings/" + id + "/transcript");
    resource.put("name", "transcript-" + id);
    resource.put(
        "title",
        "Transcript of meeting %s: %s %s, %s"
            .formatted(
                id,
                meeting.path("platform").asString(),
                meeting.path("platform_specific_id").asString(),
                meeting.path("created_at").asString()));
    resource.put("mimeType", TYPE);
    return resource;
  }

  /** How the addresses are formed. */
  static Map<String, Object> templates() {
    Map<String, Object> template = new LinkedHashMap<>();
    template.put("uriTemplate", "convoke://meetings/{meeting_id}/transcript");
    template.put("name", "transcript");
    template.put("title", "The transcript of a meeting");
    template.put("mimeType", TYPE);
    Map<String, Object> result = new LinkedHashMap<>();
    result.put("resourceTemplates", List.of(template));
    return result;
  }

  /**
   * The text of one; empty if the address is none of ours, or the caller may not know the meeting.
   *
   * @throws Problem for what is refused otherwise
   */
  static Optional<Map<String, Object>> read(OperationCalls calls, String uri) {
    Matcher address = URI.matcher(uri);
    if (!address.matches()) {
      return Optional.empty();
    }
    OperationCall read =
        OperationCall.of(READ).path("meeting_id", address.group(1)).query("format", "txt");
    try {
      Response response = calls.call(read);
      Map<String, Object> content = new LinkedHashMap<>();
      content.put("uri", uri);
      content.put("mimeType", TYPE);
      content.put("text", McpTool.json(response).asString("") + rest(response));
      Map<String, Object> result = new LinkedHashMap<>();
      result.put("contents", List.of(content));
      return Optional.of(result);
    } catch (Problem problem) {
      if (problem.status() == 404) {
        return Optional.empty();
      }
      throw problem;
    }
  }

  /** A last line where the transcript is longer than one answer. */
  private static String rest(Response response) {
    return Optional.ofNullable(response.headers().get("Next-Cursor"))
        .map(
            cursor ->
                "[The transcript goes on. The tool get_transcript reads the rest with the cursor "
                    + cursor
                    + "]\n")
        .orElse("");
  }
}
