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
  public void join(Session session) throws NotAdmitted {
    if (session.config().meetingUrl().isEmpty()) {
      throw new NotAdmitted("admission_denied");
    }
    System.out.println("joined " + session.config().nativeMeetingId());
  }

  @Override
  public String stay(Session session) throws InterruptedException {
    session.transcript(
        List.of(
            new Segment(0, 1.5, "Good morning", Optional.of("Ada"), session.config().language())));
    boolean over = meetingOver.await(1, TimeUnit.HOURS);
    return over ? "meeting_ended" : "max_time_reached";
  }

  @Override
  public void leave(Session session) {
    System.out.println("left " + session.config().nativeMeetingId());
  }

  @Override
  public void reconfigure(Session session, Command change) {
    change.setting("bot_name").ifPresent(name -> System.out.println("I am now " + name));
    change
        .setting("task")
        .filter("end"::equals)
        .ifPresent(
            end -> {
              meetingOver.countDown();
            });
  }
}
