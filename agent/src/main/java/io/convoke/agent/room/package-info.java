/**
 * A simulated room as an agent hears it: the stream of its events, opened again where it broke. It
 * joins nothing, leaves nothing and knows nobody's rules: that is the bot's and the handler's.
 */
@NullMarked
package io.convoke.agent.room;

import org.jspecify.annotations.NullMarked;
