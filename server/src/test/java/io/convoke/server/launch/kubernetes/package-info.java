/** Bots as pods, against a stand-in for Kubernetes. */
@NullMarked
package io.convoke.server.launch.kubernetes;

import org.jspecify.annotations.NullMarked;
