/** A strict stand-in for the CRMs that notes of meetings are brought to. */
@NullMarked
package io.convoke.fakes.crm;

import org.jspecify.annotations.NullMarked;
