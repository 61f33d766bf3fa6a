/** Tests of the stand-in for Vexa's bot image. */
@NullMarked
package io.convoke.fakes.vexa;

import org.jspecify.annotations.NullMarked;
