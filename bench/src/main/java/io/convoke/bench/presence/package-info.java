/**
 * The benchmark of presence: the cost of one interval with many active meetings of which few
 * change, the server beside the reference loop of docs/spec/presence.md, counted in calls and
 * transactions; and the time from a webhook to its committed row. It owns the fake platform, the
 * counting proxy and the reference loop.
 */
@NullMarked
package io.convoke.bench.presence;

import org.jspecify.annotations.NullMarked;
