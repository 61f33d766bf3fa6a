/** The example of docs/guides/run-pods.md, as a stranger would write it. */
@NullMarked
package io.convoke.agent.pod.example;

import org.jspecify.annotations.NullMarked;
