/**
 * What every launcher must do, proven the same way for each: {@link
 * io.convoke.server.launch.LauncherContract}.
 */
@NullMarked
package io.convoke.server.launch;

import org.jspecify.annotations.NullMarked;
