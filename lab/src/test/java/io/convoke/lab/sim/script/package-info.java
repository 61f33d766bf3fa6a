@NullMarked
package io.convoke.lab.sim.script;

import org.jspecify.annotations.NullMarked;
