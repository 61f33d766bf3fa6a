package io.convoke.server.bots;

import io.convoke.engine.json.Json;
import io.convoke.server.bots.TalkService.BotCommandGiven;
import io.convoke.server.bots.TalkService.Talk;
import io.convoke.server.http.ApiScope;
import io.convoke.server.http.CallerRole;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.Problem;
import io.convoke.server.http.Request;
import io.convoke.server.http.Response;
import io.convoke.server.http.Schema;
import io.convoke.server.meetings.AllowedMeetingHosts;
import io.convoke.server.meetings.MeetingPlatform;
import io.convoke.server.meetings.MeetingSelector;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** {@code /bots/{platform}/{native_meeting_id}/...}: what a bot says and writes in its meeting. */
final class TalkEndpoints {
  private static final int TEXT_MAX = 2000;

  /** Of a body with the largest audio, beside which little else is permitted. */
  private static final int BODY_MAX = SpeechAudio.TEXT_MAX + 16 * 1024;

  private static final Schema GIVEN = Schema.of(BotCommandGiven.class);

  private final BotStore store;
  private final TalkService talk;
  private final AllowedMeetingHosts hosts;

  TalkEndpoints(BotStore store, TalkService talk, AllowedMeetingHosts hosts) {
    this.store = store;
    this.talk = talk;
    this.hosts = hosts;
  }

  private record SpeakBody(
      Optional<String> text, Optional<String> voice, Optional<String> audioBase64) {
    Talk talk() {
      if (text.isPresent() == audioBase64.isPresent()) {
        throw Problem.badRequest("text", "either text or audio_base64 is needed");
      }
      if (text.isEmpty() && voice.isPresent()) {
        throw Problem.badRequest("voice", "is for text only");
      }
      return text.filter(words -> !words.isBlank())
          .<Talk>map(words -> new Talk.SpokenText(words, voice))
          .orElseGet(() -> new Talk.SpokenAudio(SpeechAudio.of(sound())));
    }

    private String sound() {
      return audioBase64.orElseThrow(() -> Problem.badRequest("text", "is blank"));
    }
  }

  private record ChatBody(String text) {}

  List<Endpoint> endpoints() {
    return List.of(
        command("speak", "speakAsBot", "Let a bot say something in its meeting.")
            .description(
                "Text, which the bot turns into speech, or a WAV file of up to 1 MiB with 16 bit"
                    + " PCM. What it says while it still speaks waits. Event"
                    + " bot.command_acknowledged tells that the bot has taken it, or in not_applied"
                    + " why not.")
            .body(
                Schema.object()
                    .optional("text", Schema.text(1, TEXT_MAX))
                    .optional(
                        "voice",
                        Schema.printable(1, 64).describe("A voice of the bot's synthesizer."))
                    .optional("audio_base64", Schema.text(1, SpeechAudio.TEXT_MAX))
                    .example(Json.read("{\"text\": \"Good morning. I take the minutes.\"}")),
                BODY_MAX)
            .handle(this::speak),
        command("chat", "chatAsBot", "Let a bot write into the chat of its meeting.")
            .description(
                "Event bot.command_acknowledged tells that the bot has taken it, or in not_applied"
                    + " why not; the message is then in GET /meetings/{id}/chat.")
            .body(
                Schema.object()
                    .required("text", Schema.text(1, TEXT_MAX))
                    .example(Json.read("{\"text\": \"The notes: https://example.org/notes\"}")))
            .handle(this::chat));
  }

  private static Endpoint.Builder command(String name, String id, String summary) {
    return Endpoint.post("/bots/{platform}/{native_meeting_id}/" + name)
        .id(id)
        .tag("bots")
        .summary(summary)
        .roles(CallerRole.USER)
        .scope(ApiScope.BOTS)
        .path(
            "platform",
            Schema.oneOf(MeetingPlatform.class).describe("The platform of the meeting."))
        .path("native_meeting_id", BotStartBody.NATIVE_ID.describe("The meeting's id there."))
        .creates()
        .answers(202, GIVEN)
        .problems(404, 409, 429);
  }

  private Response speak(Request request) {
    Talk said = request.body(SpeakBody.class).talk();
    return tell(request, said);
  }

  private Response chat(Request request) {
    ChatBody body = request.body(ChatBody.class);
    if (body.text().isBlank()) {
      throw Problem.badRequest("text", "is blank");
    }
    return tell(request, new Talk.ChatText(body.text()));
  }

  private Response tell(Request request, Talk said) {
    BotRow row = bot(request);
    var _ = request.action().target("meeting", row.id()).after(length(said));
    return Response.accepted(talk.tell(row.id(), said, request.caller().scope()));
  }

  /** For the audit journal, which does not keep what was said. */
  private static Map<String, Object> length(Talk said) {
    return switch (said) {
      case Talk.SpokenText(String text, _) -> Map.of("speak_characters", text.length());
      case Talk.SpokenAudio(SpeechAudio(byte[] wav)) -> Map.of("speak_bytes", wav.length);
      case Talk.ChatText(String text) -> Map.of("chat_characters", text.length());
    };
  }

  private BotRow bot(Request request) {
    String platform = request.path("platform");
    String typed = request.path("native_meeting_id");
    return store
        .newest(
            request.visibleUsers(),
            platform,
            List.of(
                MeetingSelector.of(platform, Optional.of(typed), Optional.empty(), hosts)
                    .nativeId(),
                typed))
        .filter(found -> request.sees(found.meeting().userId()))
        .orElseThrow(() -> Problem.notFound("meeting"));
  }
}
