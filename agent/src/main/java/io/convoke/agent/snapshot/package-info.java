/**
 * Pictures of a meeting at an interval: the task {@code snapshot} of seed 004. A silent guest of
 * the room sees who is there and who speaks, a layout says where each tile goes, a painter draws
 * them, and the picture is written under a name that no other attempt has. What a room of a real
 * platform looks like it does not know: there is no media in a simulated one.
 */
@NullMarked
package io.convoke.agent.snapshot;

import org.jspecify.annotations.NullMarked;
