package io.convoke.agent.meeting;

import io.convoke.agent.Attendee;
import io.convoke.agent.Bot;
import io.convoke.agent.BotConfig;
import io.convoke.agent.BotFailure;
import io.convoke.agent.BotProgress;
import io.convoke.agent.BotSession;
import io.convoke.agent.ChatMessage;
import io.convoke.agent.CommandRefusedException;
import io.convoke.agent.ExitCode;
import io.convoke.agent.LeaveRuleMonitor;
import io.convoke.agent.NotAdmittedException;
import io.convoke.agent.ParticipantEvent;
import io.convoke.agent.RetryPolicy;
import io.convoke.agent.SpeakCommand;
import io.convoke.agent.TranscriptSegment;
import io.convoke.agent.meeting.MeetingAudio.Person;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A bot in a {@link MeetingAudio}: hears each participant apart, gives each a transcriber of its
 * own, and leaves when it is told, by the rules of {@link io.convoke.agent.AutomaticLeave}, when
 * the meeting ends and when it is removed.
 */
public final class MeetingBot implements Bot {
  private static final Logger log = LoggerFactory.getLogger(MeetingBot.class);

  /** What follows the name of a bot that records, so that each participant can see it. */
  static final String RECORDS = " (recording)";

  private final MeetingSource source;
  private final MeetingBotSettings settings;
  private final Map<String, SpokenPerson> speakers = new ConcurrentHashMap<>();

  /** What waits for last words, of people who left too. */
  private final Set<Thread> ending = ConcurrentHashMap.newKeySet();

  private final BlockingQueue<RoomChange> changes = new LinkedBlockingQueue<>();
  private final Synthesizer synthesizer = new Synthesizer("espeak-ng");
  private final LongAdder samples = new LongAdder();
  private volatile Instant began = Instant.now();
  private volatile @Nullable MeetingAudio meeting;
  private volatile @Nullable MeetingTalk talk;
  private volatile @Nullable LeaveRuleMonitor leaveRuleMonitor;
  private volatile @Nullable Instant lastSpeech;
  private volatile @Nullable MeetingRecording recording;

  /** A platform's meetings. */
  @FunctionalInterface
  public interface MeetingSource {
    /**
     * The meeting that a bot is to join, which is not joined yet.
     *
     * @throws BotFailure when the configuration names none
     */
    MeetingAudio meeting(BotConfig config) throws BotFailure;
  }

  /** What wakes {@link #stay}. */
  private sealed interface RoomChange {
    record Seen(ParticipantEvent event) implements RoomChange {}

    record Over(String reason) implements RoomChange {}
  }

  /** A bot for meetings of a platform. */
  public MeetingBot(MeetingSource source, MeetingBotSettings settings) {
    this.source = source;
    this.settings = settings;
  }

  @Override
  public void join(BotSession botSession) throws Exception {
    // The session began with the report that precedes this call.
    began = Instant.now();
    BotConfig config = botSession.config();
    MeetingAudio audio = source.meeting(config);
    meeting = audio;
    talk = new MeetingTalk(audio, synthesizer);
    boolean records = settings.records() || config.records();
    String name = records ? config.botName() + RECORDS : config.botName();
    try {
      audio.join(name, new Events(botSession)).forEach(this::joined);
    } catch (MeetingAudio.JoinRefused refused) {
      throw new NotAdmittedException("admission_denied");
    } catch (IOException failed) {
      throw new BotFailure(ExitCode.PLATFORM_GONE, "platform_gone");
    }
    if (records) {
      record(config);
    }
  }

  /** A bot that cannot record hears all the same. */
  private void record(BotConfig config) {
    try {
      recording = new MeetingRecording(config, RetryPolicy.DEFAULT);
    } catch (IOException failed) {
      log.error("the meeting is not recorded: {}", failed.toString());
    }
  }

  @Override
  public String stay(BotSession botSession) throws Exception {
    LeaveRuleMonitor rules =
        new LeaveRuleMonitor(
            botSession.config().automaticLeave(), entered().self(), System.nanoTime());
    leaveRuleMonitor = rules;
    while (true) {
      Optional<RoomChange> change =
          Optional.ofNullable(
              changes.poll(rules.until(System.nanoTime()).toNanos(), TimeUnit.NANOSECONDS));
      if (change.isPresent()) {
        switch (change.get()) {
          case RoomChange.Seen(ParticipantEvent event) -> {
            if (rules.see(event, System.nanoTime())) {
              botSession.saw(event);
            }
          }
          case RoomChange.Over(String reason) -> {
            if (reason.equals("platform_gone")) {
              throw new BotFailure(ExitCode.PLATFORM_GONE, reason);
            }
            return reason;
          }
        }
      }
      Optional<String> rule = rules.reason(System.nanoTime());
      if (rule.isPresent()) {
        return rule.get();
      }
    }
  }

  @Override
  public void leave(BotSession botSession) throws InterruptedException {
    MeetingTalk said = talk;
    if (said != null) {
      said.close();
    }
    // Words and recording end first: finish waits for them, and to leave takes long where the
    // platform hangs.
    speakers.values().forEach(this::end);
    MeetingRecording its = recording;
    if (its != null) {
      its.end();
    }
    MeetingAudio audio = meeting;
    if (audio != null) {
      audio.close();
    }
    // Also of those who were first heard meanwhile; to end one again does nothing.
    speakers.values().forEach(this::end);
  }

  @Override
  public void finish(BotSession botSession, Duration atMost) throws InterruptedException {
    long until = System.nanoTime() + atMost.toNanos();
    for (Thread one : ending) {
      boolean _ = one.join(Duration.ofNanos(until - System.nanoTime()));
    }
    MeetingRecording its = recording;
    if (its != null) {
      its.await(Duration.ofNanos(until - System.nanoTime()));
    }
  }

  /** Ends a person's sound. The last words come in the background. */
  private void end(SpokenPerson speaker) {
    boolean _ = ending.removeIf(one -> !one.isAlive());
    boolean _ = ending.add(Thread.ofVirtual().start(speaker::close));
  }

  @Override
  public void speak(BotSession botSession, SpeakCommand what) throws Exception {
    MeetingTalk said = talk;
    if (said == null) {
      throw new CommandRefusedException("the bot is not in the meeting");
    }
    said.speak(what, botSession.config().language());
  }

  @Override
  public void chat(BotSession botSession, String text) throws Exception {
    entered().write(text);
  }

  @Override
  public Optional<BotProgress> progress() {
    LeaveRuleMonitor monitor = leaveRuleMonitor;
    double heard = (double) samples.sum() / SpeechSound.RATE;
    return monitor == null
        ? Optional.empty()
        : Optional.of(
            new BotProgress(
                Optional.of(heard).filter(seconds -> seconds > 0),
                Optional.of(monitor.others()),
                Optional.ofNullable(lastSpeech)));
  }

  private MeetingAudio entered() {
    MeetingAudio audio = meeting;
    if (audio == null) {
      throw new IllegalStateException("the bot has not joined");
    }
    return audio;
  }

  private void joined(Person person) {
    changes.add(
        new RoomChange.Seen(
            new ParticipantEvent.ParticipantJoined(
                new Attendee(
                    person.id(),
                    Optional.empty(),
                    Optional.of(person.name()),
                    person.joinedAt()))));
  }

  private SpokenPerson speaker(BotSession botSession, Person person) {
    return new SpokenPerson(
        person,
        settings.transcriber(),
        () -> Duration.between(began, Instant.now()).toMillis() / 1000.0,
        (words, times, draft) ->
            botSession.transcript(
                List.of(
                    new TranscriptSegment(
                        times.from(),
                        times.to(),
                        words,
                        Optional.of(person.name()),
                        botSession.config().language(),
                        !draft,
                        times.level()))),
        (pcm, speaking) -> {
          samples.add(pcm.length / 2);
          if (speaking) {
            lastSpeech = Instant.now();
          }
          MeetingRecording its = recording;
          if (its != null) {
            its.heard(person.id(), pcm);
          }
        });
  }

  /** What the meeting tells. */
  private final class Events implements MeetingAudio.MeetingListener {
    private final BotSession botSession;

    private Events(BotSession botSession) {
      this.botSession = botSession;
    }

    @Override
    public void joined(Person person) {
      MeetingBot.this.joined(person);
    }

    @Override
    public void left(String id, Instant at) {
      changes.add(new RoomChange.Seen(new ParticipantEvent.ParticipantLeft(id, at)));
      SpokenPerson speaker = speakers.remove(id);
      if (speaker != null) {
        end(speaker);
      }
    }

    @Override
    public MeetingAudio.SoundSink heard(Person person) {
      return speakers.computeIfAbsent(person.id(), _ -> speaker(botSession, person));
    }

    @Override
    public void wrote(Person person, String text) {
      botSession.chatted(
          new ChatMessage(
              UUID.randomUUID().toString(), Optional.of(person.name()), text, Instant.now()));
    }

    @Override
    public void ended(String reason) {
      changes.add(new RoomChange.Over(reason));
    }
  }
}
