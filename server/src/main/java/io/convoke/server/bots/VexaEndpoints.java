package io.convoke.server.bots;

import io.convoke.server.http.Caller;
import io.convoke.server.http.CallerRole;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.Problem;
import io.convoke.server.http.Request;
import io.convoke.server.http.Response;
import io.convoke.server.http.Schema;
import io.convoke.server.http.TokenPlace;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * {@code /bots/internal/...}: the callbacks of Vexa's bot image, at the URL in its configuration
 * (docs/spec/contract.md, Bot callbacks). The token is a segment of the path, because the oldest
 * releases drop the query; bots that an older server launched have it there. Release 0.12 has it in
 * a header. The answers have the fields that the image reads: without {@code status: processed} it
 * would call again and then give up.
 */
final class VexaEndpoints {
  /** As long as they are: 0.12 passes on what its browser says, with a line for each try. */
  private static final Schema WORDS = Schema.text().nullable();

  /** The last call of 0.10 tells each beginning and end of speech in the meeting. */
  private static final int STATUS_BYTES_MAX = 4 << 20;

  private static final int TOKEN_MAX = 200;
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
    return Stream.concat(
            Stream.of(TokenPlace.PATH, TokenPlace.QUERY)
                .flatMap(place -> callbacks(place).stream()),
            Stream.of(lifecycle()))
        .toList();
  }

  private List<Endpoint> callbacks(TokenPlace place) {
    return List.of(
        callback(place, "started", "vexaBotStarted", "Vexa's bot was admitted (release 0.5).")
            .body(body())
            .handle(request -> plain(request, VexaTranslator.letIn())),
        callback(place, "joining", "vexaBotJoining", "Vexa's bot is about to open the meeting.")
            .body(body())
            .handle(request -> plain(request, VexaTranslator.onTheWay())),
        callback(
                place,
                "awaiting_admission",
                "vexaBotAwaitingAdmission",
                "Vexa's bot waits for admission to the meeting.")
            .body(body())
            .handle(request -> plain(request, VexaTranslator.inLobby())),
        callback(place, "exited", "vexaBotExited", "Vexa's bot ends.")
            .body(
                body()
                    .required("exit_code", EXIT_CODE)
                    .optional("reason", WORDS)
                    .optional("completion_reason", WORDS))
            .handle(this::exited),
        callback(
                place,
                "status_change",
                "vexaBotStatusChange",
                "Where Vexa's bot stands (releases 0.6 to 0.10).")
            .body(statusBody(), STATUS_BYTES_MAX)
            .handle(this::statusChange));
  }

  private Endpoint lifecycle() {
    return described(
            "/bots/internal/lifecycle",
            "vexaBotLifecycle",
            "Where Vexa's bot stands (from release 0.12 on).")
        .tokenIn(TokenPlace.SECRET_HEADER)
        .body(statusBody(), STATUS_BYTES_MAX)
        .handle(this::statusChange);
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

  private static Endpoint.Builder callback(
      TokenPlace place, String name, String id, String summary) {
    return switch (place) {
      case PATH ->
          described("/bots/internal/callback/{token}/" + name, id, summary)
              .path(
                  "token",
                  Schema.printable(1, TOKEN_MAX).describe("The token of the bot's BOT_CONFIG."))
              .tokenIn(place);
      case QUERY, HEADER_ALONE, SECRET_HEADER ->
          described(
                  "/bots/internal/callback/" + name,
                  id + "ByQuery",
                  summary + " As bots that an older server launched call it.")
              .tokenIn(TokenPlace.QUERY);
    };
  }

  private static Endpoint.Builder described(String path, String id, String summary) {
    return Endpoint.post(path)
        .id(id)
        .tag("callbacks")
        .summary(summary)
        .roles(CallerRole.BOT)
        .answers(200, HEARD)
        .problems(409, 410);
  }

  private static Schema statusBody() {
    return body()
        .required("status", Schema.oneOf(VexaTranslator.VexaStatus.class))
        .optional("exit_code", EXIT_CODE.nullable())
        .optional("reason", WORDS)
        .optional("completion_reason", WORDS);
  }

  private static Schema body() {
    return Schema.object().required("connection_id", Schema.printable(1, 64));
  }
}
