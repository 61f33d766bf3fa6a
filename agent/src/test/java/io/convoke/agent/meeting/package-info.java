/** Tests of the bot that hears. */
@NullMarked
package io.convoke.agent.meeting;

import org.jspecify.annotations.NullMarked;
