package io.convoke.lab.chaos.dispatch;

import io.convoke.lab.chaos.Words;
import java.time.Duration;

/** One planned disturbance. {@code at} counts from the beginning of the storm. */
sealed interface Step {

  Duration at();

  /** kill -9 of a pod, started again after a while under another name. */
  record KillPod(Duration at, int pod, Duration down) implements Step {
    @Override
    public String toString() {
      return Words.at(at, "kill -9 of pod " + pod + again(down));
    }
  }

  /** kill -9 of the next pod whose program says this word. */
  record KillWhoever(Duration at, String word, Duration down) implements Step {
    @Override
    public String toString() {
      return Words.from(at, "kill -9 of the next pod whose program says " + word + again(down));
    }
  }

  /** kill -9 of a server. */
  record KillServer(Duration at, int server, Duration down) implements Step {
    @Override
    public String toString() {
      return Words.at(at, "kill -9 of server " + server + again(down));
    }
  }

  /** kill -9 of a server a moment after several asked it for tasks. */
  record KillAsked(Duration at, int server, Duration after, Duration down) implements Step {
    @Override
    public String toString() {
      return Words.at(
          at,
          "kill -9 of server %d %d ms after it was asked for tasks%s"
              .formatted(server, after.toMillis(), again(down)));
    }
  }

  /**
   * A pod hangs, and goes on as if nothing had been: when all its leases have ended, or when it
   * counts as dead and believes in its leases still.
   */
  record PausePod(Duration at, int pod, Duration span) implements Step {
    @Override
    public String toString() {
      return Words.at(at, "pod " + pod + " hangs for " + Words.seconds(span));
    }
  }

  /** A server hangs. */
  record PauseServer(Duration at, int server, Duration span) implements Step {
    @Override
    public String toString() {
      return Words.at(at, "server " + server + " hangs for " + Words.seconds(span));
    }
  }

  /** Redis is killed with -9 and comes back with what it had written. */
  record KillRedis(Duration at, Duration down) implements Step {
    @Override
    public String toString() {
      return Words.at(at, "kill -9 of Redis" + again(down));
    }
  }

  /** The power fails: Redis comes back without what it wrote last. */
  record LosePower(Duration at, Duration lost, Duration down) implements Step {
    @Override
    public String toString() {
      return Words.at(
          at, "Redis loses its power and the last " + Words.seconds(lost) + again(down));
    }
  }

  /** Redis forgets everything. */
  record FlushRedis(Duration at) implements Step {
    @Override
    public String toString() {
      return Words.at(at, "Redis forgets everything");
    }
  }

  /** Redis breaks every connection. */
  record CutRedis(Duration at) implements Step {
    @Override
    public String toString() {
      return Words.at(at, "Redis breaks every connection");
    }
  }

  /** What a pod's open connections say and hear is lost from now on. */
  record SilencePod(Duration at, int pod) implements Step {
    @Override
    public String toString() {
      return Words.at(at, "the connections of pod " + pod + " go silent");
    }
  }

  /**
   * What the next pod whose program begins tells Redis arrives late: after others count it as dead
   * and have begun the task again.
   */
  record SlowWhoever(Duration at, Duration span) implements Step {
    @Override
    public String toString() {
      return Words.from(
          at,
          "what the next pod whose program begins says arrives " + Words.seconds(span) + " late");
    }
  }

  /**
   * The connections of the next pod whose program begins break, and what it said on them for a
   * moment before arrives when it may have said it again, and gone on.
   */
  record EchoWhoever(Duration at, Duration moment, Duration span) implements Step {
    @Override
    public String toString() {
      return Words.from(
          at,
          "the connections of the next pod whose program begins break after %s; what it said arrives after %s"
              .formatted(Words.seconds(moment), Words.seconds(span)));
    }
  }

  /** kill -9 of a server while Postgres hangs, so amid whatever it wanted to write there. */
  record KillWriting(Duration at, int server, Duration hanging, Duration down) implements Step {
    @Override
    public String toString() {
      return Words.at(
          at,
          "kill -9 of server %d after Postgres hung for %s%s"
              .formatted(server, Words.seconds(hanging), again(down)));
    }
  }

  /** An operator has a pod take nothing for a while. */
  record DrainPod(Duration at, int pod, Duration span) implements Step {
    @Override
    public String toString() {
      return Words.at(at, "pod " + pod + " is drained for " + Words.seconds(span));
    }
  }

  /** The same of a server and Redis. */
  record SilenceServer(Duration at, int server) implements Step {
    @Override
    public String toString() {
      return Words.at(at, "the connections of server " + server + " to Redis go silent");
    }
  }

  private static String again(Duration down) {
    return ", started again after " + Words.seconds(down);
  }
}
