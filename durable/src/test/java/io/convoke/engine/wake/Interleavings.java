package io.convoke.engine.wake;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs a story with every interleaving of its actors' steps. An actor is plain code on a thread of
 * its own that says before each visible step that it is about to take it; one actor moves at a
 * time.
 *
 * <p>Two ways of getting to the same place are followed once: a place is what each actor remembers
 * together with what the story says about its shared state.
 */
final class Interleavings {
  /** One world with its actors, made anew for each interleaving. */
  interface Story {
    /** Everything that actors share, as text. */
    String state();

    /** The violation in a state in which no actor can move; empty if there is none. */
    Optional<String> verdict();
  }

  record Outcome(int stories, Optional<String> counterexample) {}

  private static final int STEPS_MAX = 200;

  private final Set<String> places = new HashSet<>();
  private final Deque<List<Integer>> toTry = new ArrayDeque<>();
  private int stories;

  /** Tells all interleavings until one goes wrong. */
  static Outcome explore(Function<Interleavings.Run, Story> beginning) {
    return new Interleavings().all(beginning);
  }

  private Outcome all(Function<Interleavings.Run, Story> beginning) {
    toTry.push(List.of());
    while (!toTry.isEmpty()) {
      List<Integer> choices = toTry.pop();
      stories++;
      Optional<String> wrong = tell(beginning, choices);
      if (wrong.isPresent()) {
        return new Outcome(stories, wrong);
      }
    }
    return new Outcome(stories, Optional.empty());
  }

  private Optional<String> tell(
      Function<Interleavings.Run, Story> beginning, List<Integer> prefix) {
    try (Run run = new Run()) {
      Story story = beginning.apply(run);
      run.begin();
      List<Integer> choices = new ArrayList<>();
      while (true) {
        List<Actor> movable = run.movable();
        if (movable.isEmpty()) {
          return story.verdict().map(wrong -> wrong + "\n  " + String.join("\n  ", run.told));
        }
        int step = choices.size();
        if (step == STEPS_MAX) {
          return Optional.of("does not end\n  " + String.join("\n  ", run.told));
        }
        if (step < prefix.size()) {
          choices.add(prefix.get(step));
        } else {
          if (!places.add(run.place() + story.state())) {
            return Optional.empty();
          }
          for (int other = 1; other < movable.size(); other++) {
            List<Integer> branch = new ArrayList<>(choices);
            branch.add(other);
            toTry.push(branch);
          }
          choices.add(0);
        }
        run.move(movable.get(choices.getLast()));
      }
    }
  }

  /** The actors of one interleaving. */
  static final class Run implements AutoCloseable {
    private final List<Actor> actors = new ArrayList<>();
    private final List<String> told = new ArrayList<>();
    private final Semaphore stopped = new Semaphore(0);
    private volatile boolean over;

    /** Adds an actor; its code calls {@link Actor#step} and {@link Actor#when}. */
    Actor actor(String name, Function<Actor, Runnable> body) {
      Actor actor = new Actor(this, name);
      actors.add(actor);
      actor.thread = Thread.ofVirtual().unstarted(() -> actor.run(body.apply(actor)));
      return actor;
    }

    /** The actor on whose thread this is called. */
    Actor current() {
      return actors.stream()
          .filter(actor -> Thread.currentThread().equals(actor.thread))
          .findFirst()
          .orElseThrow();
    }

    /** Whether no other actor can move. */
    boolean quiet(Actor but) {
      return actors.stream()
          .noneMatch(actor -> actor != but && !actor.ended && actor.enabled.getAsBoolean());
    }

    private void begin() {
      for (Actor actor : actors) {
        Thread thread = actor.thread;
        if (thread != null) {
          thread.start();
          stopped.acquireUninterruptibly();
        }
      }
    }

    private List<Actor> movable() {
      return actors.stream().filter(actor -> !actor.ended && actor.enabled.getAsBoolean()).toList();
    }

    private void move(Actor actor) {
      actor.go.release();
      stopped.acquireUninterruptibly();
      told.add(actor.name + ": " + actor.seen.getLast());
    }

    private String place() {
      StringBuilder place = new StringBuilder();
      actors.forEach(actor -> place.append(actor.memory()).append(actor.next).append(';'));
      return place.toString();
    }

    @Override
    public void close() {
      over = true;
      actors.forEach(actor -> actor.go.release());
      for (Actor actor : actors) {
        Thread thread = actor.thread;
        try {
          if (thread != null) {
            thread.join();
          }
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }
    }
  }

  /** One who acts; each step is atomic. */
  static final class Actor {
    private final Run run;
    private final String name;
    private final Semaphore go = new Semaphore(0);
    private final List<String> seen = new ArrayList<>();
    private int remembered;
    private String next = "";
    private volatile BooleanSupplier enabled = () -> true;
    private volatile boolean ended;
    private @Nullable Thread thread;

    private Actor(Run run, String name) {
      this.run = run;
      this.name = name;
    }

    /**
     * Begins a new round: nothing that this actor saw before has a bearing on what it does next. It
     * makes rounds alike, so that they are told once.
     */
    void forget() {
      remembered = seen.size();
    }

    private List<String> memory() {
      return seen.subList(remembered, seen.size());
    }

    /** Takes a step when it is this actor's turn. */
    <T> T step(String what, Supplier<T> action) {
      return when(() -> true, what, action);
    }

    /** Takes a step as soon as a condition holds and it is this actor's turn. */
    <T> T when(BooleanSupplier condition, String what, Supplier<T> action) {
      if (run.over) {
        throw new Over();
      }
      enabled = condition;
      next = what;
      run.stopped.release();
      go.acquireUninterruptibly();
      if (run.over) {
        throw new Over();
      }
      T result = action.get();
      seen.add(what + " -> " + result);
      return result;
    }

    private void run(Runnable body) {
      try {
        body.run();
      } catch (Over over) {
        return;
      } catch (RuntimeException e) {
        seen.add("failed with " + e);
      }
      ended = true;
      next = "ended";
      run.stopped.release();
    }
  }

  /** The story was told; actors go home. */
  private static final class Over extends Error {
    private static final long serialVersionUID = 1;
  }
}
