package org.example.sendbot;

import io.convoke.client.ConvokeClient;
import io.convoke.client.ConvokeException.RequestRefused;
import io.convoke.client.EventStream;
import io.convoke.client.calls.ListParticipants;
import io.convoke.client.calls.StartBot;
import io.convoke.client.types.Meeting;
import io.convoke.client.types.ParticipantView;
import java.net.URI;
import java.util.Map;
import java.util.Set;

/** Sends a bot into a meeting, waits until it is in, and shows who is there: SendBot URL. */
public final class SendBot {
  private static final Set<String> SETTLED = Set.of("active", "completed", "failed");

  private SendBot() {}

  public static void main(String[] arguments) {
    URI server = URI.create(System.getenv().getOrDefault("CONVOKE_URL", "http://localhost:8080"));
    try (ConvokeClient convoke =
        ConvokeClient.builder(server).apiKey(System.getenv("CONVOKE_API_KEY")).build()) {
      Meeting meeting =
          convoke.call(StartBot.of("daily").meetingUrl(arguments[0]).botName("Notes"));
      String subject = "meeting:" + meeting.id();
      Map<String, String> about = Map.of("type", "meeting.status_changed", "subject", subject);
      try (EventStream events = convoke.events(about, 0)) {
        String status;
        do {
          status = events.next().data().path("to").asString();
          System.out.println("status " + status);
        } while (!SETTLED.contains(status));
      }
      for (ParticipantView person :
          convoke.call(ListParticipants.of(meeting.id()).active(true)).items()) {
        System.out.println("there " + person.userName().orElse("a person without a name"));
      }
      System.out.println("meeting " + meeting.id());
    } catch (RequestRefused refused) {
      String trace = refused.problem().traceId().orElse("unknown");
      System.err.println(refused.getMessage() + " (trace " + trace + ")");
      System.exit(1);
    }
  }
}
