package io.convoke.agent.meeting;

import io.convoke.agent.BotConfig;
import io.convoke.agent.RetryPolicy;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The recording of a meeting by a bot, from its first sound to its last uploaded part. */
final class MeetingRecording {
  private static final Logger log = LoggerFactory.getLogger(MeetingRecording.class);

  private final RecordingUpload upload;
  private final MeetingRecorder recorder;
  private final CountDownLatch finishing = new CountDownLatch(1);
  private final Thread cutter = Thread.ofVirtual().name("recorder").unstarted(this::run);

  /** Begins now. */
  MeetingRecording(BotConfig config, RetryPolicy retryPolicy) throws IOException {
    this.upload = new RecordingUpload(config, retryPolicy);
    long began = System.nanoTime();
    this.recorder =
        new MeetingRecorder(
            () -> (System.nanoTime() - began) / (1_000_000_000L / SpeechSound.RATE), upload::add);
    cutter.start();
  }

  void heard(String personId, byte[] pcm) {
    if (!upload.stopped()) {
      recorder.heard(personId, pcm);
    }
  }

  private void run() {
    try {
      while (!finishing.await(1, TimeUnit.SECONDS)) {
        recorder.cut();
      }
    } catch (InterruptedException e) {
      log.trace("nothing more is recorded");
    }
  }

  /** Ends it. The last parts are sent in the background. */
  void end() throws InterruptedException {
    finishing.countDown();
    cutter.join();
    upload.end(recorder.finish());
  }

  /** Waits for the last parts to be taken. */
  void await(Duration atMost) throws InterruptedException {
    if (!upload.await(atMost)) {
      log.warn("the end of the recording is not taken yet");
    }
  }
}
