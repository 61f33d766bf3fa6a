package org.example.janusbot;

import io.convoke.agent.BotConfig;
import io.convoke.agent.BotFailure;
import io.convoke.agent.BotProcess;
import io.convoke.agent.ExitCode;
import io.convoke.agent.meeting.MeetingAudio;
import io.convoke.agent.meeting.MeetingBot;
import io.convoke.agent.meeting.MeetingBotSettings;
import java.net.URI;

/** A bot in a room of a Janus, without a browser. What it does there is the library's. */
public final class JanusBot {
  private JanusBot() {}

  /** The main class of the bot's process. */
  public static void main(String[] args) {
    BotProcess.run(
        new MeetingBot(JanusBot::room, MeetingBotSettings.of("JANUS_BOT", System.getenv())));
  }

  private static MeetingAudio room(BotConfig config) throws BotFailure {
    return new JanusRoom(
        config
            .meetingUrl()
            .filter(url -> url.contains("#cvj_"))
            .map(URI::create)
            .orElseThrow(() -> new BotFailure(ExitCode.BAD_CONFIG, "missing_meeting_url")));
  }
}
