/**
 * People who come, talk and go: scenarios in YAML or JSON, generators of them from a seed, and the
 * player that acts them out. Everything but the player is pure.
 */
@NullMarked
package io.convoke.simulator.script;

import org.jspecify.annotations.NullMarked;
