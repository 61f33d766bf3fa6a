package io.convoke.server.bots;

import io.convoke.server.http.Caller;
import io.convoke.server.http.CallerRole;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.Problem;
import io.convoke.server.http.Request;
import io.convoke.server.http.Response;
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

  private final CallbackService reports;

  VexaEndpoints(CallbackService reports) {
    this.reports = reports;
  }

  private record VexaPlainBody(String connectionId) {}

  private record VexaExitedBody(
      String connectionId,
      int exitCode,
      Optional<String> reason,
      Optional<String> completionReason) {
    VexaTranslator.VexaExit end() {
      return new VexaTranslator.VexaExit(Optional.of(exitCode), reason, completionReason);
    }
  }

  private record VexaStatusChangeBody(
      String connectionId,
      String status,
      Optional<Integer> exitCode,
      Optional<String> reason,
      Optional<String> completionReason) {
    List<BotEvent> events() {
      return VexaTranslator.of(
          VexaTranslator.VexaStatus.valueOf(status.toUpperCase(Locale.ROOT)),
          new VexaTranslator.VexaExit(exitCode, reason, completionReason));
    }
  }

  /** The fields that the image reads. */
  record VexaProcessedReply(String status, long meetingId, String meetingStatus) {
    static VexaProcessedReply of(CallbackService.CallbackReply callbackReply) {
      return new VexaProcessedReply(
          "processed", callbackReply.meetingId(), callbackReply.status().wireName());
    }
  }

  List<Endpoint> endpoints() {
    return List.of(
        callback("started", "vexaBotStarted", "Vexa's bot was admitted (up to release 0.5).")
            .body(body())
            .handle(request -> plain(request, VexaTranslator.letIn())),
        callback("joining", "vexaBotJoining", "Vexa's bot is about to open the meeting.")
            .body(body())
            .handle(request -> plain(request, VexaTranslator.onTheWay())),
        callback(
                "awaiting_admission",
                "vexaBotAwaitingAdmission",
                "Vexa's bot waits for admission to the meeting.")
            .body(body())
            .handle(request -> plain(request, VexaTranslator.inLobby())),
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
                    .required("status", Schema.oneOf(VexaTranslator.VexaStatus.class))
                    .optional("exit_code", EXIT_CODE.nullable())
                    .optional("reason", WORDS)
                    .optional("completion_reason", WORDS))
            .handle(this::statusChange));
  }

  private Response plain(Request request, List<BotEvent> events) {
    return report(request, request.body(VexaPlainBody.class).connectionId(), events);
  }

  private Response exited(Request request) {
    VexaExitedBody body = request.body(VexaExitedBody.class);
    return report(request, body.connectionId(), List.of(body.end().event(1)));
  }

  private Response statusChange(Request request) {
    VexaStatusChangeBody body = request.body(VexaStatusChangeBody.class);
    return report(request, body.connectionId(), body.events());
  }

  private Response report(Request request, String connectionId, List<BotEvent> events) {
    return switch (request.caller()) {
      case Caller.BotCaller botCaller when botCaller.connectionId().equals(connectionId) ->
          Response.ok(VexaProcessedReply.of(reports.vexa(botCaller, events)));
      case Caller.BotCaller _ -> throw Problem.forbidden("This token is for another session.");
      case Caller.UserCaller _,
          Caller.AdminCaller _,
          Caller.InternalCaller _,
          Caller.AnonymousCaller _ ->
          throw Problem.forbidden();
    };
  }

  private static Endpoint.Builder callback(String name, String id, String summary) {
    return Endpoint.post("/bots/internal/callback/" + name)
        .id(id)
        .tag("callbacks")
        .summary(summary)
        .roles(CallerRole.BOT)
        .tokenInQuery()
        .answers(200, HEARD)
        .problems(409, 410);
  }

  private static Schema body() {
    return Schema.object().required("connection_id", Schema.printable(1, 64));
  }
}
