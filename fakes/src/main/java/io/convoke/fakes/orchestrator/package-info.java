/**
 * What the stand-ins for Nomad and Kubernetes share: an HTTP desk that can fail, dawdle, lose an
 * answer after doing the work and restart, and workloads that are real processes. A stand-in checks
 * each request against the published API and complains of whatever does not belong; it is not
 * Nomad, and not Kubernetes, and proves nothing about them.
 */
@NullMarked
package io.convoke.fakes.orchestrator;

import org.jspecify.annotations.NullMarked;
