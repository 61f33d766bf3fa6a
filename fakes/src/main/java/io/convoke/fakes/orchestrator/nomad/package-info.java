/**
 * A strict fake of the parts of Nomad's HTTP API that run bots: dispatch of one parameterized job
 * with its idempotency token, listing by prefix with blocking queries, allocations, stop, signals
 * and logs. It checks token, namespace, parameters and metadata as Nomad does; scheduling is not
 * modelled.
 */
@NullMarked
package io.convoke.fakes.orchestrator.nomad;

import org.jspecify.annotations.NullMarked;
