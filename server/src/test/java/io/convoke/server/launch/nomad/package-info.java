/** Bots as dispatched jobs, against a fake of Nomad. */
@NullMarked
package io.convoke.server.launch.nomad;

import org.jspecify.annotations.NullMarked;
