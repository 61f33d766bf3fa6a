/**
 * What may be said about the bots of one run: everything observed, as one {@code BotHistory}, and
 * pure rules over it. Rules judge by what an outsider can see; the servers' own opinion is only one
 * more observation.
 */
@NullMarked
package io.convoke.chaos.bots.rules;

import org.jspecify.annotations.NullMarked;
