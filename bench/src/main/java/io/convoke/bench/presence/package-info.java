/**
 * The benchmark of presence: what one interval costs with many active meetings of which few change,
 * the server beside the literal loop of seed 000, counted in calls and transactions; and how long a
 * webhook takes until its row is committed. It owns the stand-in of the platform, the relay that
 * counts, and the seed's loop.
 */
@NullMarked
package io.convoke.bench.presence;

import org.jspecify.annotations.NullMarked;
