/**
 * A strict fake of the parts of Nomad's HTTP API that run bots: dispatch of one parameterized job
 * with its idempotency token, listing by prefix with blocking queries, allocations, stop, signals
 * and logs. It checks token, namespace, parameters and metadata as Nomad does. Of scheduling it has
 * the end of a node, and a driver that starts no task.
 */
@NullMarked
package io.convoke.fakes.orchestrator.nomad;

import org.jspecify.annotations.NullMarked;
