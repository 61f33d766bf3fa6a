package io.convoke.agent;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs one {@link Bot} from its first report to its last: started, joined, heartbeats, commands,
 * stopping, exited. The bot's own code runs on one thread; whatever comes first, its end or a
 * reason to go, decides the departure, once.
 */
public final class BotRunner implements BotSession {
  private static final Logger log = LoggerFactory.getLogger(BotRunner.class);
  private static final Duration STEP_MAX = Duration.ofSeconds(3);

  /**
   * How long the bot finishes, and what waits is sent, before {@code exited}, after which the
   * control plane takes nothing. With the steps around it that is less than the two minutes that a
   * bot may be stopping.
   */
  private static final Duration REPORTS_MAX = Duration.ofSeconds(90);

  /** Between two calls for commands of which the first was answered early, or not at all. */
  private static final Duration COMMANDS_PAUSE = Duration.ofMillis(250);

  /** The same when the control plane refuses the call; commands then ride on heartbeats alone. */
  private static final Duration COMMANDS_REFUSED_PAUSE = Duration.ofMinutes(1);

  /** The control plane accepts an absence that two lists, 15 s apart, report. */
  private static final Duration CONFIRM_AFTER = Duration.ofSeconds(16);

  private final BotConfig config;
  private final Bot bot;
  private final RetryPolicy retryPolicy;
  private final CallbackClient callbackClient;
  private final ReportSender<TranscriptSegment> transcripts;
  private final ReportSender<Map<String, Object>> chats;
  private final ParticipantReporter attendance;
  private final CommandInbox inbox = new CommandInbox();
  private final TalkCommands talk;
  private final Map<String, AppliedSettings> results =
      Collections.synchronizedMap(CommandInbox.remembering());
  private final Optional<CommandChannel> channel;
  private final CompletableFuture<LeaveCause> departure = new CompletableFuture<>();
  private final LinkedBlockingQueue<Boolean> beatNow = new LinkedBlockingQueue<>(1);
  private volatile long lastHeard = System.nanoTime();
  private volatile boolean reported;
  private volatile boolean finished;
  private final CompletableFuture<Boolean> hurried = new CompletableFuture<>();
  private final CountDownLatch started = new CountDownLatch(1);

  /** {@code patience} is how long the control plane may be unreachable before the bot ends. */
  public BotRunner(BotConfig config, Bot bot, RetryPolicy retryPolicy) {
    this.config = config;
    this.bot = bot;
    this.retryPolicy = retryPolicy;
    this.callbackClient = new CallbackClient(config, retryPolicy);
    this.transcripts =
        new ReportSender<>(
            "transcript segments", callbackClient::transcript, TranscriptSegment::json);
    this.chats = new ReportSender<>("chat messages", callbackClient::chat, message -> message);
    this.talk =
        new TalkCommands(
            bot,
            this,
            callbackClient::speech,
            this::carriedOut,
            message -> chats.add(List.of(message.json(true))));
    this.attendance = new ParticipantReporter(callbackClient, config.connectionId(), CONFIRM_AFTER);
    this.channel =
        config
            .redisUrl()
            .map(url -> new CommandChannel(url, config.commandChannel(), inbox, this::beatSoon));
  }

  /** Why the bot leaves, and whether the control plane still accepts a report. */
  private record LeaveCause(String reason, ExitCode exitCode, boolean reportable, Duration hurry) {}

  @Override
  public BotConfig config() {
    return config;
  }

  @Override
  public void awaitingAdmission() throws InterruptedException {
    boolean _ = hear(callbackClient.awaitingAdmission());
  }

  @Override
  public void transcript(List<TranscriptSegment> segments) {
    transcripts.add(segments.stream().filter(TranscriptSegment::hasWords).toList());
  }

  @Override
  public void chatted(ChatMessage chatMessage) {
    if (chatMessage.hasWords()) {
      chats.add(List.of(chatMessage.json(false)));
    }
  }

  @Override
  public void saw(ParticipantEvent participantEvent) {
    attendance.add(participantEvent);
  }

  @Override
  public boolean leaving() {
    return departure.isDone();
  }

  /** Asks the bot to leave, as SIGTERM does; it then has a few seconds, also one that leaves. */
  public void terminate() {
    boolean _ = hurried.complete(true);
    depart(new LeaveCause("terminated", ExitCode.LEFT, true, STEP_MAX));
  }

  /** Runs the bot and returns the exit code of its process. */
  public ExitCode run() throws InterruptedException {
    Thread life = Thread.ofVirtual().name("bot").start(this::live);
    Thread orders = Thread.ofVirtual().name("orders").start(this::obey);
    Thread talking = Thread.ofVirtual().name("talk").start(talk::run);
    Thread commands = Thread.ofVirtual().name("commands").unstarted(this::awaitCommands);
    Thread pulse = Thread.ofVirtual().name("pulse").unstarted(this::beat);
    transcripts.start();
    chats.start();
    attendance.start();
    try (callbackClient) {
      pulse.start();
      if (channel.isEmpty()) {
        commands.start();
      }
      LeaveCause leaving = departure.join();
      leave(leaving, life, pulse);
      return leaving.exitCode();
    } finally {
      channel.ifPresent(CommandChannel::close);
      life.interrupt();
      orders.interrupt();
      talking.interrupt();
      pulse.interrupt();
      commands.interrupt();
      transcripts.close();
      chats.close();
      attendance.close();
    }
  }

  private void live() {
    try {
      if (goesOn(callbackClient.started())) {
        reported = true;
        started.countDown();
        channel.ifPresent(CommandChannel::open);
        bot.join(this);
        if (goesOn(callbackClient.joined())) {
          String reason = Objects.requireNonNullElse(bot.stay(this), "left");
          depart(new LeaveCause(reason, ExitCode.LEFT, true, retryPolicy.horizon()));
        }
      }
    } catch (InterruptedException e) {
      log.debug("the bot was interrupted");
    } catch (BotFailure e) {
      depart(new LeaveCause(e.reason(), e.exitCode(), true, retryPolicy.horizon()));
    } catch (Exception | Error e) {
      log.error("the bot failed", e);
    } finally {
      // The first departure counts: this one is of a bot that has ended without any.
      depart(new LeaveCause("crashed", ExitCode.CRASHED, true, retryPolicy.horizon()));
    }
  }

  private void leave(LeaveCause leaving, Thread life, Thread pulse) throws InterruptedException {
    log.info("leaving: {}", leaving.reason());
    if (leaving.reportable() && leaving.exitCode() == ExitCode.LEFT && reported) {
      CallbackReply _ = callbackClient.stopping(leaving.reason(), STEP_MAX);
    }
    life.interrupt();
    boolean _ = life.join(STEP_MAX);
    goodbye("Leaving the meeting", () -> bot.leave(this), STEP_MAX);
    if (leaving.reportable()) {
      Duration most = hurried.isDone() ? STEP_MAX : REPORTS_MAX;
      finishReports(leaving.hurry().compareTo(most) < 0 ? leaving.hurry() : most);
      finished = true;
      beatSoon();
      boolean _ = pulse.join(STEP_MAX);
      CallbackReply _ =
          callbackClient.exited(leaving.exitCode().code(), leaving.reason(), leaving.hurry());
    }
  }

  /** A part of the bot's own end. */
  @FunctionalInterface
  private interface LastStep {
    void run() throws Exception;
  }

  /** Waits for a part of the bot's own end, and goes on without it when its time is over. */
  private void goodbye(String what, LastStep lastStep, Duration atMost)
      throws InterruptedException {
    CompletableFuture<Boolean> done = new CompletableFuture<>();
    Thread _ =
        Thread.ofVirtual()
            .name("goodbye")
            .start(
                () -> {
                  try {
                    lastStep.run();
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  } catch (Exception e) {
                    log.warn("{} failed: {}", what, e.toString());
                  } finally {
                    boolean _ = done.complete(true);
                  }
                });
    boolean _ = isDone(CompletableFuture.anyOf(done, hurried), atMost);
    if (!done.isDone() && hurried.isDone()) {
      boolean _ = isDone(done, STEP_MAX);
    }
  }

  /** Has the bot finish, and then all that waits sent side by side, within this time together. */
  private void finishReports(Duration atMost) throws InterruptedException {
    long begun = System.nanoTime();
    goodbye("Finishing the bot's work", () -> bot.finish(this, atMost), atMost);
    Duration left = atMost.minusNanos(System.nanoTime() - begun);
    // What it reported last is to be sent too.
    Duration rest = hurried.isDone() || left.compareTo(STEP_MAX) < 0 ? STEP_MAX : left;
    long until = System.nanoTime() + rest.toNanos();
    chats.end();
    transcripts.finish(rest);
    chats.finish(Duration.ofNanos(until - System.nanoTime()));
    attendance.finish(Duration.ofNanos(until - System.nanoTime()));
  }

  private void beat() {
    try {
      while (beats()) {
        long interval = config.heartbeatInterval().toMillis();
        long jitter = interval / 10;
        Boolean _ =
            beatNow.poll(
                interval - jitter + ThreadLocalRandom.current().nextLong(2 * jitter + 1),
                TimeUnit.MILLISECONDS);
        if (reported && !leaving()) {
          boolean _ = hear(callbackClient.heartbeat(progress()));
        } else if (reported && beats()) {
          CallbackReply _ = callbackClient.heartbeat(Optional.empty());
        }
      }
    } catch (InterruptedException e) {
      log.trace("no more heartbeats");
    }
  }

  /**
   * Whether heartbeats go on: also while a bot that leaves has time to finish, for the row of one
   * that has failed is {@code active} until {@code exited}.
   */
  private boolean beats() {
    return !leaving()
        || (!finished && !hurried.isDone() && departure.join().hurry().compareTo(STEP_MAX) > 0);
  }

  /** What the bot says of its work; one that fails to, or says null, is alive all the same. */
  private Optional<Map<String, Object>> progress() {
    try {
      return bot.progress().map(BotProgress::json);
    } catch (RuntimeException | Error e) {
      log.warn("a heartbeat goes without the bot's progress", e);
      return Optional.empty();
    }
  }

  /** Without Redis: one call after the other that waits for commands. */
  private void awaitCommands() {
    try {
      started.await();
      int failures = 0;
      Duration pause = Duration.ZERO;
      while (!departed(pause)) {
        CallbackReply callbackReply = callbackClient.commands();
        failures = callbackReply instanceof CallbackReply.NoReply ? failures + 1 : 0;
        boolean _ = hear(callbackReply);
        pause =
            switch (callbackReply) {
              case CallbackReply.CallbackAccepted _ -> COMMANDS_PAUSE;
              case CallbackReply.NoReply _ -> COMMANDS_PAUSE.plus(retryPolicy.pause(failures));
              case CallbackReply.CallbackRefused _, CallbackReply.LaunchOver _ ->
                  COMMANDS_REFUSED_PAUSE;
            };
      }
    } catch (InterruptedException e) {
      log.trace("no more calls for commands");
    }
  }

  /** Obeys until the bot leaves; an interrupt by the bot's own code does not end it. */
  private void obey() {
    while (true) {
      try {
        CommandInbox.CommandDelivery commandDelivery = inbox.next();
        BotCommand botCommand = commandDelivery.command();
        if (commandDelivery.first()) {
          obey(botCommand).ifPresent(result -> results.put(botCommand.id(), result));
        }
        if (!talk.holds(botCommand.id())) {
          acknowledge(botCommand.id());
        }
      } catch (InterruptedException e) {
        if (leaving()) {
          return;
        }
        log.warn("the bot's own code has interrupted its commands");
      }
    }
  }

  private void acknowledge(String commandId) throws InterruptedException {
    CallbackReply _ = callbackClient.ack(commandId, Optional.ofNullable(results.get(commandId)));
  }

  /** One that is not heard is acknowledged again when the command comes again. */
  private void carriedOut(String commandId, AppliedSettings result) {
    results.put(commandId, result);
    try {
      acknowledge(commandId);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private Optional<AppliedSettings> obey(BotCommand botCommand) throws InterruptedException {
    switch (botCommand.action()) {
      case "leave" -> depart(new LeaveCause("stopped", ExitCode.LEFT, true, retryPolicy.horizon()));
      case "reconfigure" -> {
        try {
          AppliedSettings result = bot.reconfigure(this, botCommand);
          Map<String, Object> _ = result.json(); // one that holds null fails here, not in the reply
          return Optional.of(result);
        } catch (Exception | Error e) {
          if (e instanceof InterruptedException ended && leaving()) {
            throw ended;
          }
          log.warn("new settings were not taken over: {}", e.toString());
          return Optional.of(AppliedSettings.none(botCommand, "the bot failed to change it"));
        }
      }
      case TalkCommands.SPEAK, TalkCommands.CHAT -> talk.add(botCommand);
      default -> {
        log.warn("unknown command ignored: {}", botCommand.action());
        return Optional.of(
            new AppliedSettings(
                List.of(), Map.of(botCommand.action(), "this bot does not know the command")));
      }
    }
    return Optional.empty();
  }

  /** Takes an answer in; false if the bot must not go on. */
  private boolean hear(CallbackReply callbackReply) {
    return switch (callbackReply) {
      case CallbackReply.CallbackAccepted(var _, var commands) -> {
        lastHeard = System.nanoTime();
        commands.forEach(inbox::offer);
        yield true;
      }
      case CallbackReply.CallbackRefused _ -> {
        lastHeard = System.nanoTime();
        yield true;
      }
      case CallbackReply.LaunchOver _ -> {
        depart(new LeaveCause("told_to_go", ExitCode.TOLD_TO_GO, false, Duration.ZERO));
        yield false;
      }
      case CallbackReply.NoReply _ -> {
        boolean lost = System.nanoTime() - lastHeard > retryPolicy.horizon().toNanos();
        if (lost) {
          lost();
        }
        yield !lost;
      }
    };
  }

  /** The same for a report without which the bot cannot go on: it is not made again. */
  private boolean goesOn(CallbackReply callbackReply) {
    if (callbackReply instanceof CallbackReply.NoReply) {
      lost();
      return false;
    }
    return hear(callbackReply);
  }

  private void lost() {
    depart(new LeaveCause("control_plane_lost", ExitCode.CONTROL_PLANE_LOST, true, STEP_MAX));
  }

  /** Waits; true once the bot is to go. */
  private boolean departed(Duration wait) throws InterruptedException {
    return isDone(departure, wait);
  }

  /** Waits; true once it is so. */
  private static boolean isDone(CompletableFuture<?> future, Duration wait)
      throws InterruptedException {
    try {
      Object _ = future.get(wait.toNanos(), TimeUnit.NANOSECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      throw new IllegalStateException("none of these fails", e);
    }
  }

  private void beatSoon() {
    boolean _ = beatNow.offer(Boolean.TRUE);
  }

  private void depart(LeaveCause how) {
    boolean _ = departure.complete(how);
  }
}
