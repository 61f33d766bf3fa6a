package io.convoke.engine.dispatch;

import io.convoke.engine.redis.LuaScript;
import java.util.List;

/**
 * The functions of dispatch, each put together from the clock, what they share, and its own file.
 *
 * <p>They are scripts and not {@code FUNCTION}s: a script is sent again by whoever misses it, needs
 * no loading on each node of a cluster, and runs on Redis 6.2.
 */
record LuaScripts(
    LuaScript enqueue,
    LuaScript restore,
    LuaScript claim,
    LuaScript renew,
    LuaScript complete,
    LuaScript fail,
    LuaScript retry,
    LuaScript stop,
    LuaScript expire,
    LuaScript reclaim,
    LuaScript overflow,
    LuaScript tick,
    LuaScript leave,
    LuaScript find,
    LuaScript survey,
    LuaScript markRestored,
    LuaScript giveBackClaims,
    LuaScript settle,
    LuaScript join,
    LuaScript turn,
    LuaScript wakeup,
    LuaScript drain) {
  /** By the store's own clock. */
  static final LuaScripts LIVE = with(LuaScript.resource(LuaScripts.class, "clock.lua").source());

  /** By another clock, for tests: a piece of Lua that defines {@code now} in ms. */
  static LuaScripts with(String clock) {
    String common = clock + LuaScript.resource(LuaScripts.class, "task.lua").source();
    return new LuaScripts(
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
  List<LuaScript> all() {
    return List.of(
        enqueue,
        restore,
        claim,
        renew,
        complete,
        fail,
        retry,
        stop,
        expire,
        reclaim,
        overflow,
        tick,
        leave,
        find,
        survey,
        markRestored,
        giveBackClaims,
        settle,
        join,
        turn,
        wakeup,
        drain);
  }

  private static LuaScript load(String common, String file) {
    return LuaScript.of(file, common + LuaScript.resource(LuaScripts.class, file).source());
  }
}
