/**
 * Scripted participants: scenarios in YAML or JSON, generators from a seed, and the runner that
 * plays them. Everything but the runner is pure.
 */
@NullMarked
package io.convoke.simulator.script;

import org.jspecify.annotations.NullMarked;
