/**
 * Durable workflows: plain blocking Java that survives crashes, on plain Postgres. This package is
 * the API; {@code runtime} replays and runs workflows, {@code provider} is the interface of a
 * store, {@code postgres} implements it. The code of a workflow is deterministic and has side
 * effects through activities only.
 */
@NullMarked
package io.convoke.engine.durable;

import org.jspecify.annotations.NullMarked;
