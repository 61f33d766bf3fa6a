/** Bots as dispatched jobs, against a stand-in for Nomad. */
@NullMarked
package io.convoke.server.launch.nomad;

import org.jspecify.annotations.NullMarked;
