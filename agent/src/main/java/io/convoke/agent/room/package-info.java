/**
 * The event stream of a simulated room, reopened where it broke. Joining, leaving and the rules for
 * it belong to the bot and the handler.
 */
@NullMarked
package io.convoke.agent.room;

import org.jspecify.annotations.NullMarked;
