package org.example.janusbot;

import io.convoke.agent.Attendee;
import io.convoke.agent.AutomaticLeave;
import io.convoke.agent.Bot;
import io.convoke.agent.BotConfig;
import io.convoke.agent.BotFailure;
import io.convoke.agent.BotProcess;
import io.convoke.agent.BotSession;
import io.convoke.agent.ExitCode;
import io.convoke.agent.NotAdmittedException;
import io.convoke.agent.ParticipantEvent.ParticipantJoined;
import io.convoke.agent.ParticipantEvent.ParticipantLeft;
import io.convoke.agent.TranscriptSegment;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A bot in a room of a Janus, without a browser: hears each participant apart, gives each a
 * transcriber of its own, and leaves when it is told, when it is alone, when the room ends and when
 * a host removes it.
 */
public final class JanusBot implements Bot, MeetingAudio.MeetingListener {

  /** The command of a speaker's transcriber, see {@link SpeechProcess}. */
  private static final String TRANSCRIBER = "JANUS_BOT_TRANSCRIBER";

  /** What a draft begins with, on the line of a transcriber. */
  private static final String DRAFT = "~";

  private volatile Instant began = Instant.now();
  private final Map<String, SpeechProcess> transcribers = new ConcurrentHashMap<>();
  private final BlockingQueue<Change> changes = new LinkedBlockingQueue<>();
  private volatile BotSession session;
  private volatile MeetingAudio meeting;

  /** What wakes {@link #stay}. */
  private sealed interface Change {
    record Came(MeetingAudio.Person person) implements Change {}

    record Went(String id, Instant at) implements Change {}

    record Over(String reason) implements Change {}
  }

  /** The main class of the bot's process. */
  public static void main(String[] args) {
    BotProcess.run(new JanusBot());
  }

  @Override
  public void join(BotSession botSession) throws Exception {
    session = botSession;
    // The session began with the report that precedes this call.
    began = Instant.now();
    BotConfig config = botSession.config();
    String link =
        config
            .meetingUrl()
            .filter(url -> url.contains("#cvj_"))
            .orElseThrow(() -> new BotFailure(ExitCode.BAD_CONFIG, "missing_meeting_url"));
    JanusRoom room = new JanusRoom(URI.create(link));
    meeting = room;
    try {
      room.join(config.botName(), this).forEach(this::joined);
    } catch (MeetingAudio.JoinRefused refused) {
      throw new NotAdmittedException("admission_denied");
    } catch (IOException failed) {
      throw new BotFailure(ExitCode.PLATFORM_GONE, "platform_gone");
    }
  }

  @Override
  public String stay(BotSession botSession) throws Exception {
    AutomaticLeave rules = botSession.config().automaticLeave();
    Set<String> others = new HashSet<>();
    boolean anybodyEver = false;
    long aloneSince = System.nanoTime();
    while (true) {
      Duration limit = anybodyEver ? rules.everyoneLeft() : rules.noOneJoined();
      long left =
          others.isEmpty() ? aloneSince + limit.toNanos() - System.nanoTime() : Long.MAX_VALUE;
      Change change = changes.poll(Math.max(0, left), TimeUnit.NANOSECONDS);
      switch (change) {
        case null -> {
          return anybodyEver ? "everyone_left" : "no_one_joined";
        }
        case Change.Came(MeetingAudio.Person person) -> {
          anybodyEver = true;
          if (others.add(person.id())) {
            botSession.saw(
                new ParticipantJoined(
                    new Attendee(
                        person.id(),
                        Optional.empty(),
                        Optional.of(person.name()),
                        person.joinedAt())));
          }
        }
        case Change.Went(String id, Instant at) -> {
          if (others.remove(id)) {
            botSession.saw(new ParticipantLeft(id, at));
          }
          if (others.isEmpty()) {
            aloneSince = System.nanoTime();
          }
        }
        case Change.Over(String reason) -> {
          if (reason.equals("platform_gone")) {
            throw new BotFailure(ExitCode.PLATFORM_GONE, reason);
          }
          return reason;
        }
      }
    }
  }

  @Override
  public void leave(BotSession botSession) {
    MeetingAudio room = meeting;
    if (room != null) {
      room.close();
    }
    transcribers.values().parallelStream().forEach(SpeechProcess::close);
  }

  @Override
  public void joined(MeetingAudio.Person person) {
    changes.add(new Change.Came(person));
  }

  @Override
  public void left(String id, Instant at) {
    changes.add(new Change.Went(id, at));
    SpeechProcess transcriber = transcribers.remove(id);
    if (transcriber != null) {
      Thread _ = Thread.ofVirtual().start(transcriber::close);
    }
  }

  @Override
  public MeetingAudio.SoundSink heard(MeetingAudio.Person person) {
    String command = System.getenv(TRANSCRIBER);
    if (command == null || command.isBlank()) {
      return (pcm, rate) -> {};
    }
    Utterance utterance = new Utterance(this::seconds);
    try {
      SpeechProcess transcriber =
          new SpeechProcess(command, person.id(), line -> said(person, utterance, line));
      transcribers.put(person.id(), transcriber);
      return (pcm, rate) -> {
        utterance.heard(pcm);
        transcriber.samples(pcm, rate);
      };
    } catch (IOException failed) {
      System.err.println("no transcriber for " + person.id() + ": " + failed.getMessage());
      return (pcm, rate) -> {};
    }
  }

  private double seconds() {
    return Duration.between(began, Instant.now()).toMillis() / 1000.0;
  }

  /** A line is final words, or a draft of them behind {@code ~}. */
  private void said(MeetingAudio.Person person, Utterance utterance, String line) {
    boolean draft = line.startsWith(DRAFT);
    String words = draft ? line.substring(DRAFT.length()).strip() : line;
    if (words.isEmpty()) {
      return;
    }
    Utterance.Words times = draft ? utterance.draft(words) : utterance.said(words);
    session.transcript(
        List.of(
            new TranscriptSegment(
                times.from(),
                times.to(),
                words,
                Optional.of(person.name()),
                session.config().language(),
                !draft)));
  }

  @Override
  public void ended(String reason) {
    changes.add(new Change.Over(reason));
  }
}
