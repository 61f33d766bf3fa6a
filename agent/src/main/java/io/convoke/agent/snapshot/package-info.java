/**
 * Pictures of a meeting at an interval: the task type {@code snapshot}. A hidden guest of the room
 * collects participants and speakers, a layout places the tiles, a renderer draws them, and the
 * picture is stored under a name unique to the attempt. It renders simulated rooms, which carry no
 * media.
 */
@NullMarked
package io.convoke.agent.snapshot;

import org.jspecify.annotations.NullMarked;
