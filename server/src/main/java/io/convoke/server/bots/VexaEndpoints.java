package io.convoke.server.bots;

import io.convoke.server.http.Answer;
import io.convoke.server.http.Caller;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.Problem;
import io.convoke.server.http.Request;
import io.convoke.server.http.Role;
import io.convoke.server.http.Schema;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * {@code /bots/internal/callback/...}: the callbacks of Vexa's bot image, at the URL in its {@code
 * BOT_CONFIG}, token included (docs/spec/contract.md, Bot callbacks). The answers have the fields
 * that the image reads: without {@code status: processed} it would call again and then give up.
 */
final class VexaEndpoints {
  private static final Schema WORDS = Schema.text(0, Schema.MAX_TEXT).nullable();
  private static final Schema EXIT_CODE = Schema.integer(-1000, 1000);

  private static final Schema HEARD =
      Schema.object()
          .required("status", Schema.oneOf("processed"))
          .required("meeting_id", Schema.id())
          .required("meeting_status", Schema.text())
          .named("VexaCallbackAnswer");

  private final BotReports reports;

  VexaEndpoints(BotReports reports) {
    this.reports = reports;
  }

  private record Plain(String connectionId) {}

  private record Exited(
      String connectionId,
      int exitCode,
      Optional<String> reason,
      Optional<String> completionReason) {
    VexaWords.End end() {
      return new VexaWords.End(Optional.of(exitCode), reason, completionReason);
    }
  }

  private record StatusChange(
      String connectionId,
      String status,
      Optional<Integer> exitCode,
      Optional<String> reason,
      Optional<String> completionReason) {
    List<BotEvent> events() {
      return VexaWords.of(
          VexaWords.Status.valueOf(status.toUpperCase(Locale.ROOT)),
          new VexaWords.End(exitCode, reason, completionReason));
    }
  }

  /** The fields that the image reads. */
  record Processed(String status, long meetingId, String meetingStatus) {
    static Processed of(BotReports.Heard heard) {
      return new Processed("processed", heard.meetingId(), heard.status().word());
    }
  }

  List<Endpoint> endpoints() {
    return List.of(
        callback("started", "vexaBotStarted", "Vexa's bot was admitted (up to release 0.5).")
            .body(body())
            .handle(request -> plain(request, VexaWords.letIn())),
        callback("joining", "vexaBotJoining", "Vexa's bot is about to open the meeting.")
            .body(body())
            .handle(request -> plain(request, VexaWords.onTheWay())),
        callback(
                "awaiting_admission",
                "vexaBotAwaitingAdmission",
                "Vexa's bot waits for admission to the meeting.")
            .body(body())
            .handle(request -> plain(request, VexaWords.onTheWay())),
        callback("exited", "vexaBotExited", "Vexa's bot ends.")
            .body(
                body()
                    .required("exit_code", EXIT_CODE)
                    .optional("reason", WORDS)
                    .optional("completion_reason", WORDS))
            .handle(this::exited),
        callback(
                "status_change",
                "vexaBotStatusChange",
                "Where Vexa's bot stands (from release 0.6 on).")
            .body(
                body()
                    .required("status", Schema.oneOf(VexaWords.Status.class))
                    .optional("exit_code", EXIT_CODE.nullable())
                    .optional("reason", WORDS)
                    .optional("completion_reason", WORDS))
            .handle(this::statusChange));
  }

  private Answer plain(Request request, List<BotEvent> events) {
    return report(request, request.body(Plain.class).connectionId(), events);
  }

  private Answer exited(Request request) {
    Exited body = request.body(Exited.class);
    return report(request, body.connectionId(), List.of(body.end().event(1)));
  }

  private Answer statusChange(Request request) {
    StatusChange body = request.body(StatusChange.class);
    return report(request, body.connectionId(), body.events());
  }

  private Answer report(Request request, String connectionId, List<BotEvent> events) {
    return switch (request.caller()) {
      case Caller.Bot bot when bot.connectionId().equals(connectionId) ->
          Answer.ok(Processed.of(reports.vexa(bot, events)));
      case Caller.Bot _ -> throw Problem.forbidden("This token is for another session.");
      case Caller.User _, Caller.Admin _, Caller.Internal _, Caller.Anonymous _ ->
          throw Problem.forbidden();
    };
  }

  private static Endpoint.Builder callback(String name, String id, String summary) {
    return Endpoint.post("/bots/internal/callback/" + name)
        .id(id)
        .tag("callbacks")
        .summary(summary)
        .roles(Role.BOT)
        .tokenInQuery()
        .answers(200, HEARD)
        .problems(409, 410);
  }

  private static Schema body() {
    return Schema.object().required("connection_id", Schema.printable(1, 64));
  }
}
