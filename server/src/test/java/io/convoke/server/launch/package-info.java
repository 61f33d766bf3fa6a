/** The contract of all launchers: {@link io.convoke.server.launch.LauncherContract}. */
@NullMarked
package io.convoke.server.launch;

import org.jspecify.annotations.NullMarked;
