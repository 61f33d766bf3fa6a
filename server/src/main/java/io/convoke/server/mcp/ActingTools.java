package io.convoke.server.mcp;

import io.convoke.engine.json.Json;
import io.convoke.server.http.Caller;
import io.convoke.server.http.Cursor;
import io.convoke.server.http.OperationCall;
import io.convoke.server.http.Problem;
import io.convoke.server.http.Response;
import io.convoke.server.http.Schema;
import io.convoke.server.mcp.Confirmations.Confirmation;
import io.convoke.server.mcp.McpTool.ToolCall;
import io.convoke.server.mcp.McpTool.ToolDescription;
import io.convoke.server.mcp.McpTool.ToolEffect;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;

/**
 * The tools that act. The first call changes nothing: it says what would happen, and gives a
 * confirmation. The second call, with the same arguments and the confirmation, acts; calling it
 * again gives the first answer again.
 */
final class ActingTools {
  private static final String MEETING_ID = "meeting_id";
  private static final String USER_ID = "user_id";
  private static final String FIRST =
      " Call it first without confirm: nothing happens, and you hear what would. Show that to the"
          + " person, then call again with the same arguments and confirm.";

  private final AnswerSchemas answers;
  private final Confirmations confirmations;

  ActingTools(AnswerSchemas answers, Confirmations confirmations) {
    this.answers = answers;
    this.confirmations = confirmations;
  }

  /**
   * What an acting tool answers.
   *
   * @param would what would happen, or has happened
   */
  private record ActionReport(
      boolean dryRun,
      String would,
      Optional<String> confirm,
      Optional<String> expiresAt,
      boolean replayed,
      Optional<JsonNode> result) {}

  List<McpTool> tools() {
    return List.of(startBot(), stopBot(), submitTask());
  }

  private McpTool startBot() {
    return tool(
        "start_bot",
        "Send a bot",
        "Sends a bot into a meeting, now or at start_at." + FIRST,
        ToolEffect.ADDS,
        answers.body("startBot").optional(USER_ID, user()),
        "startBot",
        Set.of("startBot", "botStatuses", "activeBots"),
        call -> acting("startBot", call).body(call.without(own(USER_ID))),
        ActingTools::startWould);
  }

  private static String startWould(ToolCall call) {
    String platform = call.text("platform").orElse("");
    Optional<String> room =
        call.text("native_meeting_id").or(() -> call.text("platform_specific_id"));
    String place = platform + " " + room.or(() -> call.text("meeting_url")).orElse("");
    if (call.request().caller() instanceof Caller.AdminCaller && call.text(USER_ID).isEmpty()) {
      throw Problem.badRequest(USER_ID, "is needed from admins");
    }
    String sent =
        "A bot would be sent to %s %s."
            .formatted(place, call.text("start_at").map(at -> "at " + at).orElse("at once"));
    if (room.isEmpty()) {
      return sent
          + " Whether a bot of the user is there already was not checked, because native_meeting_id"
          + " is not given.";
    }
    return call.found(
            call.queried(OperationCall.of("botStatuses"), USER_ID)
                .query("platform", platform)
                .query("native_meeting_id", room.get()))
        .filter(it -> !BotExplanation.ended(it.path("status").asString("")))
        .map(it -> it.path(MEETING_ID).asLong())
        .filter(meeting -> isOwn(call, meeting))
        .map(
            meeting ->
                "The start would be refused (bot_already_there): meeting %s has a live bot in %s."
                    .formatted(meeting, place))
        .orElse(sent);
  }

  /**
   * Whether a live bot that the caller sees is the acting user's, and not of another member of a
   * team: those keep no bot out. The page of live bots after the next meeting begins with it and
   * names its user; a key for bots alone may read that.
   */
  private static boolean isOwn(ToolCall call, long meeting) {
    JsonNode first =
        call.answerOf(
                call.queried(OperationCall.of("activeBots"), USER_ID)
                    .query("limit", 1)
                    .query("cursor", Cursor.of(meeting + 1)))
            .at("/items/0");
    return first.path("id").asLong(0) == meeting
        && call.request().caller().owns(first.path(USER_ID).asLong());
  }

  private McpTool stopBot() {
    return tool(
        "stop_bot",
        "Stop a bot",
        "Asks a bot to leave its meeting; with kill it is ended without time to leave." + FIRST,
        ToolEffect.ENDS,
        Schema.object()
            .required(MEETING_ID, Schema.id())
            .optional("kill", Schema.bool().byDefault(false)),
        "stopBot",
        Set.of("stopBot", "botStatuses", "getMeeting"),
        call -> acting("stopBot", call).body(call.without(own())),
        ActingTools::stopWould);
  }

  private static String stopWould(ToolCall call) {
    String meeting = call.text(MEETING_ID).orElseThrow();
    JsonNode report = call.answerOf(call.queried(OperationCall.of("botStatuses"), MEETING_ID));
    JsonNode row = call.answerOf(OperationCall.of("getMeeting").path("id", meeting));
    if (!call.request().caller().owns(row.path(USER_ID).asLong())) {
      throw Problem.of(
          403, "not_owner", "A member of your team owns this; only its owner may change it.");
    }
    String status = report.path("status").asString();
    if (BotExplanation.ended(status)) {
      return "Nothing would change: the bot of meeting %s has ended (%s)."
          .formatted(meeting, status);
    }
    boolean kill = call.argument("kill").filter(JsonNode::asBoolean).isPresent();
    return "The bot of meeting %s (%s %s, %s) would be %s."
        .formatted(
            meeting,
            row.path("platform").asString(),
            row.path("platform_specific_id").asString(),
            status,
            kill ? "ended at once" : "asked to leave");
  }

  private McpTool submitTask() {
    return tool(
        "submit_task",
        "Submit a task",
        "Submits a task for a pod." + FIRST,
        ToolEffect.ADDS,
        answers.body("createTask").optional(USER_ID, user()),
        "createTask",
        Set.of("createTask", "listRegions"),
        call -> acting("createTask", call).body(call.without(own(USER_ID))),
        ActingTools::taskWould);
  }

  private static String taskWould(ToolCall call) {
    Optional<String> region = call.text("region");
    long pods =
        call.answerOf(OperationCall.of("listRegions"))
            .path("items")
            .valueStream()
            .filter(it -> region.isEmpty() || region.get().equals(it.path("region").asString()))
            .mapToLong(it -> it.path("pods").asLong())
            .sum();
    String where = region.map(it -> "in region " + it).orElse("in any region");
    return "A task of type %s would be queued for a pod %s, where %s."
        .formatted(
            call.text("type").orElse(""),
            where,
            pods == 0 ? "no pod is alive now" : "live pods: " + pods);
  }

  private McpTool tool(
      String name,
      String title,
      String description,
      ToolEffect effect,
      Schema input,
      String operation,
      Set<String> operations,
      Function<ToolCall, OperationCall> action,
      Function<ToolCall, String> would) {
    Schema output =
        Schema.object()
            .required(Confirmations.DRY_RUN, Schema.bool().describe("Nothing has happened."))
            .required("would", Schema.text().describe("What would happen, or has."))
            .required(Confirmations.CONFIRM, Schema.text().nullable())
            .required("expires_at", Schema.instant().nullable())
            .required("replayed", Schema.bool().describe("This answer was given before."))
            .required("result", Schema.anyObject().nullable());
    return new McpTool(
        new ToolDescription(
            name,
            title,
            description + " result is the answer of the operation " + operation + ".",
            effect,
            input
                .optional(
                    Confirmations.CONFIRM,
                    Schema.printable(1, 200).describe("The confirm of the first answer."))
                .optional(
                    Confirmations.DRY_RUN,
                    Schema.bool()
                        .byDefault(false)
                        .describe("Only say what would happen, even with confirm.")),
            output,
            operations),
        call -> Json.tree(act(call, action.apply(call), would)));
  }

  private ActionReport act(
      ToolCall call, OperationCall operation, Function<ToolCall, String> would) {
    call.request().operations().check(operation);
    Optional<String> confirm = call.text(Confirmations.CONFIRM);
    boolean dry = call.argument(Confirmations.DRY_RUN).filter(JsonNode::asBoolean).isPresent();
    if (confirm.isEmpty() || dry) {
      String text = would.apply(call);
      Confirmation confirmation = confirmations.of(call);
      return new ActionReport(
          true,
          text,
          Optional.of(confirmation.token()),
          Optional.of(Json.time(confirmation.expiresAt())),
          false,
          Optional.empty());
    }
    String number = confirmations.check(confirm.get(), call);
    Response response = call.request().operations().call(operation.once("mcp-" + number));
    return new ActionReport(
        false,
        "It is done.",
        Optional.empty(),
        Optional.empty(),
        response.headers().containsKey("Idempotent-Replayed"),
        Optional.of(McpTool.json(response)));
  }

  private static OperationCall acting(String operation, ToolCall call) {
    return call.queried(OperationCall.of(operation), USER_ID);
  }

  /** The arguments that are the tool's, not the operation's. */
  private static String[] own(String... more) {
    List<String> names = new ArrayList<>(List.of(Confirmations.CONFIRM, Confirmations.DRY_RUN));
    names.addAll(List.of(more));
    return names.toArray(String[]::new);
  }

  private static Schema user() {
    return Schema.id().describe("For operators: the user to act for.");
  }
}
