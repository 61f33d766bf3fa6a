package io.convoke.agent;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A complete bot: it joins, says once what it heard, and stays until somebody wants it to go. */
public final class ExampleBot implements Bot {
  private final CountDownLatch meetingOver = new CountDownLatch(1);

  /** The process: BOT_CONFIG in, exit code out. */
  public static void main(String[] args) {
    BotProcess.run(new ExampleBot());
  }

  @Override
  public void join(BotSession botSession) throws NotAdmittedException {
    if (botSession.config().meetingUrl().isEmpty()) {
      throw new NotAdmittedException("admission_denied");
    }
    System.out.println("joined " + botSession.config().nativeMeetingId());
  }

  @Override
  public String stay(BotSession botSession) throws InterruptedException {
    botSession.transcript(
        List.of(
            new TranscriptSegment(
                0, 1.5, "Good morning", Optional.of("Ada"), botSession.config().language())));
    boolean over = meetingOver.await(1, TimeUnit.HOURS);
    return over ? "meeting_ended" : "max_time_reached";
  }

  @Override
  public void leave(BotSession botSession) {
    System.out.println("left " + botSession.config().nativeMeetingId());
  }

  @Override
  public AppliedSettings reconfigure(BotSession botSession, BotCommand change) {
    change.setting("bot_name").ifPresent(name -> System.out.println("I am now " + name));
    change
        .setting("task")
        .filter("end"::equals)
        .ifPresent(
            end -> {
              meetingOver.countDown();
            });
    return AppliedSettings.of(change, List.of("bot_name", "task"), "transcribes English alone");
  }
}
