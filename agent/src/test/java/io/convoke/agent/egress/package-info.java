@NullMarked
package io.convoke.agent.egress;

import org.jspecify.annotations.NullMarked;
