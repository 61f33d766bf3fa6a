package io.convoke.engine.dispatch;

import io.convoke.engine.redis.LuaScript;
import io.convoke.engine.redis.Redis;
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
 * Runs random operations on the scripts and compares each with the model: its result, and all tasks
 * of its key space afterwards. Uses many independent key spaces, so that calls are pipelined.
 */
final class ModelRun {
  private static final LuaScript AUDIT =
      LuaScript.of(
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
  private final List<ModelKeySpace> worlds = new ArrayList<>();
  private final List<KeySpace> keySpaces = new ArrayList<>();
  private final List<TaskScripts> scripts = new ArrayList<>();
  private final Map<String, Long> counts = new TreeMap<>();
  private final Map<String, String> lastState = new HashMap<>();
  private final Set<Transition> seen = new HashSet<>();

  /** Tasks with lost transitions since the last one read. */
  private final Set<String> gaps = new HashSet<>();

  private final long seed;

  ModelRun(Redis redis, int keySpaces, long seed, String prefix) {
    this.redis = redis;
    this.seed = seed;
    // Loaded first: a script that Redis lacks is sent again, after the calls that follow it.
    DispatchTestKit.MANUAL_CLOCK.values().forEach(luaScript -> load(redis, luaScript));
    load(redis, AUDIT);
    load(redis, ModelOp.FORGET);
    for (int i = 0; i < keySpaces; i++) {
      KeySpace keySpace = new KeySpace(prefix + i + ":");
      this.keySpaces.add(keySpace);
      String _ = redis.call(commands -> commands.set(keySpace.generation(), "g"));
      scripts.add(new TaskScripts(DispatchTestKit.MANUAL_CLOCK, keySpace, ModelKeySpace.CONFIG));
      worlds.add(new ModelKeySpace(scripts.getLast(), redis.runId(), "m" + i + "-", seed + i));
    }
  }

  private static void load(Redis redis, LuaScript luaScript) {
    String _ = redis.call(commands -> commands.scriptLoad(luaScript.source()));
  }

  /** The result of one operation. */
  private record Step<T>(
      ModelKeySpace world,
      ModelOp<T> op,
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

  /** Runs at least so many operations; returns the count of each kind. */
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
          // The outbox is lost too.
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

  /** Every transition in the outbox so far, by state names. */
  Set<Transition> seen() {
    return seen;
  }

  private Step<?> begin(int i) {
    ModelKeySpace modelKeySpace = worlds.get(i);
    KeySpace keySpace = keySpaces.get(i);
    modelKeySpace.pass();
    var _ = redis.async().set(keySpace.prefix() + "clock", Long.toString(modelKeySpace.now()));
    return begin(modelKeySpace, keySpace, modelKeySpace.next());
  }

  private <T> Step<T> begin(ModelKeySpace modelKeySpace, KeySpace keySpace, ModelOp<T> op) {
    op.before().forEach(scriptCall -> scriptCall.begin(redis));
    CompletableFuture<T> answer = op.call().begin(redis).toCompletableFuture();
    op.after().forEach(scriptCall -> scriptCall.begin(redis));
    List<String> ids = new ArrayList<>(modelKeySpace.ids());
    if (op.name().equals("enqueue")) {
      ids.add(op.call().args().getFirst());
    }
    return new Step<>(
        modelKeySpace,
        op,
        answer,
        ids,
        redis.evalAsync(AUDIT, List.of(keySpace.prefix()), ids).toCompletableFuture());
  }

  /** Checks that the outbox has legal transitions in order, and forgets ended tasks. */
  private void readAndForget() {
    for (int i = 0; i < worlds.size(); i++) {
      KeySpace keySpace = keySpaces.get(i);
      redis
          .call(commands -> commands.xrange(keySpace.outbox(), io.lettuce.core.Range.unbounded()))
          .forEach(entry -> TaskTransition.of(entry.getBody()).forEach(this::told));
      long _ = redis.call(commands -> commands.xtrim(keySpace.outbox(), 0));
      List<String> over = worlds.get(i).forget();
      if (!over.isEmpty()) {
        List<String> keys = new ArrayList<>();
        over.forEach(
            id -> {
              keys.add(keySpace.task(id));
              keys.add(keySpace.own("request:req-" + id));
              lastState.remove(id);
            });
        long _ = redis.call(commands -> commands.del(keys.toArray(String[]::new)));
      }
    }
  }

  private void told(TaskTransition taskTransition) {
    String before =
        lastState.put(taskTransition.id(), taskTransition.state() + " " + taskTransition.number());
    if (gaps.remove(taskTransition.id())) {
      return;
    }
    if (before == null) {
      if (taskTransition.state() != TaskState.PENDING || taskTransition.number() != 1) {
        throw new AssertionError("seed " + seed + ": begins with " + taskTransition);
      }
      return;
    }
    String from = before.replaceAll(" .*", "");
    long number = Long.parseLong(before.replaceAll(".* ", ""));
    boolean legal =
        TaskLifecycle.TABLE.rows().stream()
            .anyMatch(
                row -> row.from().equals(from) && row.to().equals(taskTransition.state().name()));
    if (!legal || taskTransition.number() != number + 1) {
      throw new AssertionError("seed " + seed + ": after " + before + " came " + taskTransition);
    }
    seen.add(new Transition(from, "", taskTransition.state().name()));
  }
}
