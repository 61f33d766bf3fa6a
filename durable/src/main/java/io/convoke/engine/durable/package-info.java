/**
 * Durable workflows: plain blocking Java that survives crashes, on plain Postgres. This package is
 * what a user of the library sees; {@code runtime} replays and runs, {@code provider} says what a
 * store must do, {@code postgres} does it. A workflow's code is deterministic and touches the world
 * through activities only; nothing here knows what the workflows are about.
 */
@NullMarked
package io.convoke.engine.durable;

import org.jspecify.annotations.NullMarked;
