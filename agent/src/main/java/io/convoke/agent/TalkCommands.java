package io.convoke.agent;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Commands to speak and to write into the chat. They are carried out one after the other on a
 * thread of their own, so that a long one keeps neither {@code leave} nor heartbeats waiting.
 */
final class TalkCommands {
  static final String SPEAK = "speak";
  static final String CHAT = "chat";

  private static final Logger log = LoggerFactory.getLogger(TalkCommands.class);
  private static final int REASON_MAX = 200;

  private final Bot bot;
  private final BotSession session;
  private final AudioSource audio;
  private final BiConsumer<String, AppliedSettings> done;
  private final Consumer<ChatMessage> written;
  private final LinkedBlockingQueue<BotCommand> waiting = new LinkedBlockingQueue<>();
  private final Set<String> open = ConcurrentHashMap.newKeySet();

  /** Gives the sound of a command, if the control plane still has it. */
  @FunctionalInterface
  interface AudioSource {
    Optional<byte[]> of(String commandId) throws InterruptedException;
  }

  /**
   * Nothing runs yet.
   *
   * @param done takes the id of each command that was carried out or refused
   * @param written takes each message that the bot wrote
   */
  TalkCommands(
      Bot bot,
      BotSession session,
      AudioSource audio,
      BiConsumer<String, AppliedSettings> done,
      Consumer<ChatMessage> written) {
    this.bot = bot;
    this.session = session;
    this.audio = audio;
    this.done = done;
    this.written = written;
  }

  /** Takes a command that is new. */
  void add(BotCommand botCommand) {
    boolean _ = open.add(botCommand.id());
    boolean _ = waiting.add(botCommand);
  }

  /** Whether a command waits or is being carried out: it is acknowledged later. */
  boolean holds(String commandId) {
    return open.contains(commandId);
  }

  /** Carries out commands until the bot leaves and the thread is interrupted. */
  void run() {
    while (true) {
      try {
        BotCommand botCommand = waiting.take();
        AppliedSettings result = carryOut(botCommand);
        done.accept(botCommand.id(), result);
        boolean _ = open.remove(botCommand.id());
      } catch (InterruptedException e) {
        if (session.leaving()) {
          return;
        }
        log.warn("the bot's own code has interrupted its commands");
      }
    }
  }

  private AppliedSettings carryOut(BotCommand botCommand) throws InterruptedException {
    String action = botCommand.action();
    try {
      if (action.equals(SPEAK)) {
        bot.speak(session, speech(botCommand));
      } else {
        String text = botCommand.setting("text").orElse("");
        bot.chat(session, text);
        written.accept(
            new ChatMessage(
                "command:" + botCommand.id(),
                Optional.of(session.config().botName()),
                text,
                Instant.now()));
      }
      return new AppliedSettings(List.of(action), Map.of());
    } catch (CommandRefusedException e) {
      return refused(action, e.reason());
    } catch (Exception | Error e) {
      if (e instanceof InterruptedException ended && session.leaving()) {
        throw ended;
      }
      log.warn("command {} failed", action, e);
      return refused(action, "the bot failed to do it");
    }
  }

  private SpeakCommand speech(BotCommand botCommand)
      throws CommandRefusedException, InterruptedException {
    Optional<String> text = botCommand.setting("text");
    if (text.isPresent()) {
      return new SpeakCommand.SpeakText(text.get(), botCommand.setting("voice"));
    }
    return new SpeakCommand.SpeakAudio(
        audio
            .of(botCommand.id())
            .orElseThrow(() -> new CommandRefusedException("the sound could not be fetched")));
  }

  private static AppliedSettings refused(String action, String reason) {
    return new AppliedSettings(List.of(), Map.of(action, ReportText.line(reason, REASON_MAX)));
  }
}
