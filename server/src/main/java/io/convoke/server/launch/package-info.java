/**
 * Where bots run. A {@link io.convoke.server.launch.Launcher} starts one process or container per
 * (meeting, attempt), finds it again after our own restart, says whether it lives, and ends it. It
 * knows nothing of meetings' states: it brings evidence, the bots' reducer decides. It never sees
 * our configuration, and a bot never inherits it.
 */
@NullMarked
package io.convoke.server.launch;

import org.jspecify.annotations.NullMarked;
