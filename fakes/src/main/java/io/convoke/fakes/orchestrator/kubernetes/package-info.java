/**
 * A strict fake of the parts of the Kubernetes API that run bots as bare pods: create, read, list,
 * watch and delete pods, read their logs, create secrets. It validates manifests as an API server
 * with strict field validation does, keeps resource versions, and has a kubelet that runs shell
 * processes. Pods may be kept without a node or an image, drained and rejected by a kubelet;
 * otherwise scheduling, networking and images are not modelled.
 */
@NullMarked
package io.convoke.fakes.orchestrator.kubernetes;

import org.jspecify.annotations.NullMarked;
