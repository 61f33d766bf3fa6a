/** Bots as pods, against a fake of Kubernetes. */
@NullMarked
package io.convoke.server.launch.kubernetes;

import org.jspecify.annotations.NullMarked;
