/**
 * Rules for the bots of one run: pure functions over one {@code BotHistory}. They judge by external
 * observation; what the servers report is only one more observation.
 */
@NullMarked
package io.convoke.chaos.bots.rules;

import org.jspecify.annotations.NullMarked;
