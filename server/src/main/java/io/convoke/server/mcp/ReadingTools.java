package io.convoke.server.mcp;

import io.convoke.engine.json.Json;
import io.convoke.server.http.OperationCall;
import io.convoke.server.http.Problem;
import io.convoke.server.http.Schema;
import io.convoke.server.mcp.BotExplanation.TimelinePart;
import io.convoke.server.mcp.McpTool.ToolCall;
import io.convoke.server.mcp.McpTool.ToolDescription;
import io.convoke.server.mcp.McpTool.ToolEffect;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The tools that read. */
final class ReadingTools {
  private static final String MEETING_ID = "meeting_id";
  private static final String PLATFORM = "platform";
  private static final String NATIVE_ID = "native_meeting_id";
  private static final int NEWEST_MEETINGS = 200;
  private static final int EVENTS_PAGE = 200;

  /** Each page counts towards the caller's rate. */
  private static final int PAGES_MAX = 25;

  private static final Schema MEETING = Schema.id().describe("The number of the meeting.");

  private final AnswerSchemas answers;
  private final InstantSource clock;

  ReadingTools(AnswerSchemas answers, InstantSource clock) {
    this.answers = answers;
    this.clock = clock;
  }

  List<McpTool> tools() {
    return List.of(
        listMeetings(),
        getMeeting(),
        whoIsInRoom(),
        getTranscript(),
        searchTranscripts(),
        explainBot(),
        getTask(),
        syncStatus());
  }

  private McpTool listMeetings() {
    return tool(
        "list_meetings",
        "List meetings",
        "Lists meetings, newest first: own ones and those of team-mates. next_cursor leads to the"
            + " next page.",
        paged(20)
            .optional("status", answers.query("listMeetings", "status"))
            .optional(PLATFORM, answers.query("listMeetings", PLATFORM))
            .optional("user_id", user()),
        answers.of("listMeetings"),
        Set.of("listMeetings"),
        call ->
            call.answerOf(
                call.queried(
                    OperationCall.of("listMeetings"),
                    "status",
                    PLATFORM,
                    "user_id",
                    "limit",
                    "cursor")));
  }

  private McpTool getMeeting() {
    return tool(
        "get_meeting",
        "Get a meeting",
        "Gets one meeting: its status, times, how many people are in it, and data.outcome once it"
            + " has ended.",
        Schema.object().required(MEETING_ID, MEETING),
        answers.of("getMeeting"),
        Set.of("getMeeting"),
        call -> call.answerOf(ofMeeting("getMeeting", "id", call)));
  }

  private McpTool whoIsInRoom() {
    return tool(
        "who_is_in_room",
        "Who is in the room",
        "Lists who is in a meeting now: by meeting_id, or by platform and native_meeting_id, which"
            + " means the newest of your meetings there. as_of tells up to when this is confirmed.",
        Schema.object()
            .optional(MEETING_ID, MEETING)
            .optional(PLATFORM, answers.query("listMeetings", PLATFORM))
            .optional(NATIVE_ID, Schema.printable(1, 255)),
        answers.of("listParticipants"),
        Set.of("listParticipants", "listMeetings"),
        call ->
            call.answerOf(
                OperationCall.of("listParticipants")
                    .path("id", meeting(call))
                    .query("active", "true")));
  }

  private static String meeting(ToolCall call) {
    Optional<String> id = call.text(MEETING_ID);
    Optional<String> room = call.text(NATIVE_ID);
    if (id.isPresent()) {
      return id.get();
    }
    if (room.isEmpty() || call.text(PLATFORM).isEmpty()) {
      throw Problem.badRequest(MEETING_ID, "is needed, or platform and native_meeting_id together");
    }
    return call.answerOf(
            call.queried(OperationCall.of("listMeetings"), PLATFORM)
                .query("limit", NEWEST_MEETINGS))
        .path("items")
        .valueStream()
        .filter(it -> it.path("platform_specific_id").asString("").equals(room.get()))
        .findFirst()
        .map(it -> it.path("id").asString())
        .orElseThrow(
            () ->
                Problem.of(
                    404,
                    "not_found",
                    "None of the newest %d meetings of that platform is in that room."
                        .formatted(NEWEST_MEETINGS)));
  }

  private McpTool getTranscript() {
    return tool(
        "get_transcript",
        "Get a transcript",
        "Gets what was said in a meeting, with speakers and times, as text by default; json has"
            + " segments with ids to cite. next_cursor leads to the next part; partial means that"
            + " more may follow.",
        Schema.object()
            .required(MEETING_ID, MEETING)
            .optional("format", Schema.oneOf("txt", "md", "vtt", "srt", "json").byDefault("txt"))
            .optional("limit", Schema.integer(1, 2000).byDefault(500).describe("Segments."))
            .optional("cursor", Schema.printable(1, 1024)),
        Schema.object()
            .required(MEETING_ID, Schema.id())
            .required("format", Schema.text())
            .optional("text", Schema.text())
            .optional("segments", Schema.array(Schema.anyObject()))
            .optional("partial", Schema.bool())
            .required("next_cursor", Schema.text().nullable()),
        Set.of("getTranscript"),
        ReadingTools::transcript);
  }

  private static JsonNode transcript(ToolCall call) {
    String format = call.text("format").orElse("txt");
    OperationCall read =
        call.queried(ofMeeting("getTranscript", MEETING_ID, call), "cursor")
            .query("format", format)
            .query("limit", call.text("limit").orElse("500"));
    var response = call.request().operations().call(read);
    JsonNode content = McpTool.json(response);
    ObjectNode answer = Json.mapper().createObjectNode();
    answer.put(MEETING_ID, Long.parseLong(call.text(MEETING_ID).orElseThrow()));
    answer.put("format", format);
    if (content.isObject()) {
      answer.set("segments", content.path("segments"));
      answer.set("partial", content.path("partial"));
      answer.set("next_cursor", content.path("next_cursor"));
    } else {
      answer.set("text", content);
      answer.put("next_cursor", response.headers().get("Next-Cursor"));
    }
    return answer;
  }

  private McpTool searchTranscripts() {
    return tool(
        "search_transcripts",
        "Search transcripts",
        "Finds what was said in all meetings, by words or their stems. Each hit has the meeting,"
            + " the segment, its speaker and its start in seconds.",
        paged(20)
            .required("q", answers.query("searchTranscripts", "q"))
            .optional("user_id", user()),
        answers.of("searchTranscripts"),
        Set.of("searchTranscripts"),
        call ->
            call.answerOf(
                call.queried(
                    OperationCall.of("searchTranscripts"), "q", "user_id", "limit", "cursor")));
  }

  private McpTool explainBot() {
    return tool(
        "explain_bot",
        "Explain a bot",
        "Says why a bot is late, waits or has ended: a conclusion and facts, each with the numbers"
            + " of the events that prove it. It follows from the journal alone; no model guesses.",
        Schema.object().required(MEETING_ID, MEETING),
        Schema.of(BotExplanation.class),
        Set.of("botStatuses", "getMeeting", "meetingTimeline"),
        this::explanation);
  }

  private JsonNode explanation(ToolCall call) {
    JsonNode report = call.answerOf(call.queried(OperationCall.of("botStatuses"), MEETING_ID));
    JsonNode meeting = call.answerOf(ofMeeting("getMeeting", "id", call));
    TimelinePart timeline = told(ofMeeting("meetingTimeline", "id", call), call::answerOf);
    return Json.tree(BotExplanation.of(report, meeting, timeline, clock.instant()));
  }

  /**
   * The events that explain a bot: chat and people may have far more after them. Where the rate of
   * the caller permits no further page, those read so far explain it.
   */
  static TimelinePart told(OperationCall timeline, Function<OperationCall, JsonNode> answers) {
    OperationCall newest = timeline.query("order", "newest").query("limit", EVENTS_PAGE);
    List<JsonNode> told = new ArrayList<>();
    Optional<OperationCall> next = Optional.of(newest);
    for (int page = 0; page < PAGES_MAX && next.isPresent(); page++) {
      JsonNode answer;
      try {
        answer = answers.apply(next.get());
      } catch (Problem problem) {
        if (page == 0 || problem.status() != 429) {
          throw problem;
        }
        break;
      }
      answer.path("items").valueStream().filter(BotExplanation::tells).forEach(told::add);
      next =
          Optional.of(answer.path("next_cursor"))
              .filter(JsonNode::isString)
              .map(cursor -> newest.query("cursor", cursor.asString()));
    }
    return new TimelinePart(told.reversed(), next.isEmpty());
  }

  private McpTool getTask() {
    return tool(
        "get_task",
        "Get a task",
        "Gets a task: its state, region, pod, attempts and error.",
        Schema.object().required("task_id", Schema.pattern("^[A-Za-z0-9_-]{1,64}$")),
        answers.of("getTask"),
        Set.of("getTask"),
        call ->
            call.answerOf(
                OperationCall.of("getTask").path("id", call.text("task_id").orElseThrow())));
  }

  private McpTool syncStatus() {
    return tool(
        "sync_status",
        "Sync status",
        "Tells whether a meeting has reached the CRM: status, last step, attempts, error, and"
            + " whether it is stalled.",
        Schema.object().required(MEETING_ID, MEETING),
        answers.of("getSyncStatus"),
        Set.of("getSyncStatus"),
        call -> call.answerOf(call.queried(OperationCall.of("getSyncStatus"), MEETING_ID)));
  }

  private static OperationCall ofMeeting(String operation, String name, ToolCall call) {
    return OperationCall.of(operation).path(name, call.text(MEETING_ID).orElseThrow());
  }

  private static Schema paged(int limit) {
    return Schema.object()
        .optional("limit", Schema.integer(1, NEWEST_MEETINGS).byDefault(limit))
        .optional("cursor", Schema.text(1, 1024).describe("next_cursor of the page before."));
  }

  private static Schema user() {
    return Schema.id().describe("For operators: whose.");
  }

  private static McpTool tool(
      String name,
      String title,
      String description,
      Schema input,
      Schema output,
      Set<String> operations,
      McpTool.ToolWork work) {
    return new McpTool(
        new ToolDescription(name, title, description, ToolEffect.READS, input, output, operations),
        work);
  }
}
