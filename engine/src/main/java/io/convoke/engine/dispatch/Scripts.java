package io.convoke.engine.dispatch;

import io.convoke.engine.redis.Script;
import java.util.List;

/**
 * The functions of dispatch, each put together from the clock, what they share, and its own file.
 *
 * <p>They are scripts and not {@code FUNCTION}s: a script is sent again by whoever misses it, needs
 * no loading on each node of a cluster, and runs on Redis 6.2.
 */
record Scripts(
    Script enqueue,
    Script adopt,
    Script claim,
    Script renew,
    Script complete,
    Script fail,
    Script retry,
    Script stop,
    Script expire,
    Script reclaim,
    Script overflow,
    Script tick,
    Script leave,
    Script find,
    Script survey,
    Script whole,
    Script disown,
    Script settle,
    Script join,
    Script turn,
    Script hint,
    Script drain) {
  /** By the store's own clock. */
  static final Scripts LIVE = with(Script.resource(Scripts.class, "clock.lua").source());

  /** By another clock, for tests: a piece of Lua that defines {@code now} in ms. */
  static Scripts with(String clock) {
    String common = clock + Script.resource(Scripts.class, "task.lua").source();
    return new Scripts(
        load(common, "enqueue.lua"),
        load(common, "adopt.lua").tellingServer(),
        load(common, "claim.lua").tellingServer(),
        load(common, "renew.lua").tellingServer(),
        load(common, "complete.lua").tellingServer(),
        load(common, "fail.lua").tellingServer(),
        load(common, "retry.lua").tellingServer(),
        load(common, "stop.lua"),
        load(common, "expire.lua"),
        load(common, "reclaim.lua").tellingServer(),
        load(common, "overflow.lua"),
        load(common, "tick.lua").tellingServer(),
        load(common, "leave.lua"),
        load(common, "find.lua"),
        load(common, "survey.lua"),
        load(common, "whole.lua"),
        load(common, "disown.lua"),
        load(common, "settle.lua"),
        load(common, "join.lua"),
        load(common, "turn.lua"),
        load(common, "hint.lua"),
        load(common, "drain.lua"));
  }

  /** For who sends many calls at once and wants them done in order: a missed script comes late. */
  List<Script> all() {
    return List.of(
        enqueue, adopt, claim, renew, complete, fail, retry, stop, expire, reclaim, overflow, tick,
        leave, find, survey, whole, disown, settle, join, turn, hint, drain);
  }

  private static Script load(String common, String file) {
    return Script.of(file, common + Script.resource(Scripts.class, file).source());
  }
}
