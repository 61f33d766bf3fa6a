/**
 * Bots: from the request for one in a meeting to its confirmed end. This package owns the status of
 * every meeting row that is not merely tracked: one reducer ({@link
 * io.convoke.server.bots.BotLifecycle}) decides, one class ({@link
 * io.convoke.server.bots.BotTransitions}) writes. Bots report, users request, the sweeper and the
 * launcher supply evidence; none of them writes a status. Redis carries commands faster than the
 * answers to a bot's own calls do, and holds no state.
 */
@NullMarked
package io.convoke.server.bots;

import org.jspecify.annotations.NullMarked;
