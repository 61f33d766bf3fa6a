package io.convoke.engine.dispatch;

import io.convoke.engine.dispatch.World.Op;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.redis.Script;
import io.convoke.engine.state.TransitionTable.Transition;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Random operations on the functions, each compared with the model: its answer, and all tasks of
 * its place as they stand after it. Many places at once, so that calls travel together; the places
 * know nothing of each other.
 */
final class ModelRun {
  private static final Script AUDIT =
      Script.of(
          "audit",
          """
          local p, queued, ordered, held, heads = KEYS[1], {}, {}, {}, {}
          for _, queue in ipairs(redis.call('SMEMBERS', p .. 'dispatch:lanes')) do
            for _, id in ipairs(redis.call('ZRANGE', p .. 'queue:' .. queue, 0, -1)) do
              queued[#queued + 1] = id
            end
            for _, type_of in ipairs({'snapshot', 'record'}) do
              local ids = redis.call('ZRANGE', p .. 'dispatch:order:' .. queue .. ':' .. type_of, 0, -1, 'WITHSCORES')
              for i = 1, #ids, 2 do
                ordered[#ordered + 1] = ids[i] .. ' ' .. queue .. ' ' .. type_of
              end
              local head = redis.call('ZSCORE', p .. 'dispatch:heads:' .. queue, type_of)
              if (head or '') ~= (ids[2] or '') then
                heads[#heads + 1] = queue .. ' ' .. type_of .. ' ' .. (head or '') .. ' ' .. (ids[2] or '')
              end
            end
          end
          for _, id in ipairs(redis.call('ZRANGE', p .. 'dispatch:delayed', 0, -1)) do
            local t = {cmsgpack.unpack(redis.call('GET', p .. 'task:' .. id))}
            queued[#queued + 1], ordered[#ordered + 1] = id, id .. ' ' .. t[12] .. ' ' .. t[15]
          end
          for _, pod in ipairs(redis.call('ZRANGE', p .. 'dispatch:pods', 0, -1)) do
            for _, id in ipairs(redis.call('ZRANGE', p .. 'dispatch:leases:' .. pod, 0, -1)) do
              held[#held + 1] = id
            end
          end
          local lines = {}
          for i, id in ipairs(ARGV) do
            local text = redis.call('GET', p .. 'task:' .. id)
            if text then
              local t = {cmsgpack.unpack(text)}
              -- state, desired, attempt, tries, fence, pod, lane, pending_at, completed_at
              local f = {t[1], t[2], t[3], t[20], t[11], t[13], t[12], t[6], t[8]}
              local lease = f[6] ~= '' and redis.call('ZSCORE', p .. 'dispatch:leases:' .. f[6], id) or ''
              f[9] = f[9] ~= '' and 'over' or ''
              f[10] = lease
              lines[i] = table.concat(f, ' ')
            else
              lines[i] = ''
            end
          end
          return {queued, ordered, held, lines, heads}
          """);

  private final Redis redis;
  private final List<World> worlds = new ArrayList<>();
  private final List<Place> places = new ArrayList<>();
  private final List<Functions> functions = new ArrayList<>();
  private final Map<String, Long> counts = new TreeMap<>();
  private final Map<String, String> lastState = new HashMap<>();
  private final Set<Transition> seen = new HashSet<>();

  /** Tasks some of whose moves were lost since the last that was read. */
  private final Set<String> gaps = new HashSet<>();

  private final long seed;

  ModelRun(Redis redis, int places, long seed, String prefix) {
    this.redis = redis;
    this.seed = seed;
    // A script that is sent a second time would come after the calls that follow it.
    Kit.BY_HAND.all().forEach(script -> load(redis, script));
    load(redis, AUDIT);
    load(redis, World.FORGET);
    for (int i = 0; i < places; i++) {
      Place place = new Place(prefix + i + ":");
      this.places.add(place);
      String _ = redis.call(commands -> commands.set(place.generation(), "g"));
      functions.add(new Functions(Kit.BY_HAND, place, World.TERMS));
      worlds.add(new World(functions.getLast(), redis.runId(), "m" + i + "-", seed + i));
    }
  }

  private static void load(Redis redis, Script script) {
    String _ = redis.call(commands -> commands.scriptLoad(script.source()));
  }

  /** What one operation brought. */
  private record Step<T>(
      World world,
      Op<T> op,
      CompletableFuture<T> answer,
      List<String> ids,
      CompletableFuture<@Nullable Object> audit) {

    void check() {
      try {
        op.check().accept(answer.join());
        List<?> told = (List<?>) audit.join();
        List<?> lines = (List<?>) told.get(3);
        if (op.name().equals("claim")) {
          world.overdueMayBeMarked(ids, lines);
        }
        world.compare(ids, lines);
        world.audit(
            (List<?>) told.get(0),
            (List<?>) told.get(1),
            (List<?>) told.get(2),
            (List<?>) told.get(4));
      } catch (AssertionError e) {
        throw new AssertionError(
            "after " + op.name() + " " + op.call().args() + ": " + e.getMessage(), e);
      }
    }
  }

  /** Makes at least so many operations; answers how many of each kind. */
  Map<String, Long> run(long operations) {
    long done = 0;
    for (int round = 1; done < operations; round++) {
      List<Step<?>> steps = new ArrayList<>();
      for (int i = 0; i < worlds.size(); i++) {
        steps.add(begin(i));
      }
      for (Step<?> step : steps) {
        try {
          step.check();
        } catch (AssertionError e) {
          throw new AssertionError("seed " + seed + ", round " + round + ", " + e.getMessage(), e);
        }
        if (step.op().name().equals("rebuild")) {
          // What the outbox had is forgotten too.
          gaps.addAll(step.ids());
        }
        counts.merge(step.op().name(), 1L, Long::sum);
        done++;
      }
      if (round % 50 == 0) {
        readAndForget();
      }
    }
    readAndForget();
    return counts;
  }

  /** Every move that the outbox told so far, by the names of the states. */
  Set<Transition> seen() {
    return seen;
  }

  private Step<?> begin(int i) {
    World world = worlds.get(i);
    Place place = places.get(i);
    world.pass();
    var _ = redis.async().set(place.prefix() + "clock", Long.toString(world.now()));
    return begin(world, place, world.next());
  }

  private <T> Step<T> begin(World world, Place place, Op<T> op) {
    op.before().forEach(call -> call.begin(redis));
    CompletableFuture<T> answer = op.call().begin(redis).toCompletableFuture();
    op.after().forEach(call -> call.begin(redis));
    List<String> ids = new ArrayList<>(world.ids());
    if (op.name().equals("enqueue")) {
      ids.add(op.call().args().getFirst());
    }
    return new Step<>(
        world,
        op,
        answer,
        ids,
        redis.evalAsync(AUDIT, List.of(place.prefix()), ids).toCompletableFuture());
  }

  /** Checks that the outbox tells a legal story, in order, and forgets what is over. */
  private void readAndForget() {
    for (int i = 0; i < worlds.size(); i++) {
      Place place = places.get(i);
      redis
          .call(commands -> commands.xrange(place.outbox(), io.lettuce.core.Range.unbounded()))
          .forEach(entry -> Move.of(entry.getBody()).forEach(this::told));
      long _ = redis.call(commands -> commands.xtrim(place.outbox(), 0));
      List<String> over = worlds.get(i).forget();
      if (!over.isEmpty()) {
        List<String> keys = new ArrayList<>();
        over.forEach(
            id -> {
              keys.add(place.task(id));
              keys.add(place.own("request:req-" + id));
              lastState.remove(id);
            });
        long _ = redis.call(commands -> commands.del(keys.toArray(String[]::new)));
      }
    }
  }

  private void told(Move move) {
    String before = lastState.put(move.id(), move.state() + " " + move.number());
    if (gaps.remove(move.id())) {
      return;
    }
    if (before == null) {
      if (move.state() != TaskState.PENDING || move.number() != 1) {
        throw new AssertionError("seed " + seed + ": begins with " + move);
      }
      return;
    }
    String from = before.replaceAll(" .*", "");
    long number = Long.parseLong(before.replaceAll(".* ", ""));
    boolean legal =
        TaskLifecycle.TABLE.rows().stream()
            .anyMatch(row -> row.from().equals(from) && row.to().equals(move.state().name()));
    if (!legal || move.number() != number + 1) {
      throw new AssertionError("seed " + seed + ": after " + before + " came " + move);
    }
    seen.add(new Transition(from, "", move.state().name()));
  }
}
