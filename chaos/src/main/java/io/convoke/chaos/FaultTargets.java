package io.convoke.chaos;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The programs of a run that faults hit, by number: servers, or what a scenario has beside them.
 */
public interface FaultTargets {
  List<ChaosProgram> programs();

  /** Opens clients that read nothing of what these programs send them. */
  StalledClients stall(int number);

  /** The numbers of all. */
  default List<Integer> numbers() {
    return IntStream.range(0, programs().size()).boxed().toList();
  }

  /** The name of a program in a timeline. */
  default String name(int number) {
    return programs().get(number).name();
  }

  /** Ends a program with kill -9. */
  default void kill(int number) {
    programs().get(number).kill();
  }

  /** Ends a program as an operator would. */
  default void stop(int number) {
    programs().get(number).stop();
  }

  /** Starts a program again, and waits until it is ready or a further fault has ended it. */
  default void restart(int number) {
    boolean _ = programs().get(number).restart();
  }

  default void hang(int number, Duration span) {
    programs().get(number).hang(span);
  }

  /** Clients that do not read, until they are closed. */
  interface StalledClients extends AutoCloseable {
    @Override
    void close();
  }
}
