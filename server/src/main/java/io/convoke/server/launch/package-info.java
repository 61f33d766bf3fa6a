/**
 * Where bots run. A {@link io.convoke.server.launch.Launcher} starts one process or container per
 * (meeting, attempt), finds it again after a server restart, reports whether it runs, and ends it.
 * It knows nothing of meeting states: it reports facts, the bots' reducer decides. It never sees
 * our configuration, and a bot never inherits it.
 */
@NullMarked
package io.convoke.server.launch;

import org.jspecify.annotations.NullMarked;
