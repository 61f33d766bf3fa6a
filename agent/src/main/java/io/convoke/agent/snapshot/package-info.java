/**
 * Pictures of a meeting at an interval: the task type {@code snapshot}. A hidden guest of the room
 * collects participants and speakers, a layout places each tile, a painter draws them, and the
 * picture is written under a name that no other attempt has. What a room of a real platform looks
 * like it does not know: there is no media in a simulated one.
 */
@NullMarked
package io.convoke.agent.snapshot;

import org.jspecify.annotations.NullMarked;
