/**
 * Bots under torment: users who start and stop wildly, a relay between bots and servers that loses,
 * repeats and delays, processes that die at every step, a launcher that lies. It owns the plan, its
 * execution and what is observed; what is right about it belongs to {@code verdict}.
 */
@NullMarked
package io.convoke.chaos.bots;

import org.jspecify.annotations.NullMarked;
