/*
 * The moment at which Open MPI has selected its PML.
 *
 * All series open the coll framework, select the PML, which makes the BTLs look for their
 * interfaces, and then exchange what the processes have published; the coll components are asked
 * again after that alone. So who wants to publish what messages will go over has no function of its
 * own to do it in. But Open MPI closes the PML components that it has not selected at exactly that
 * moment, which its own PML "monitoring" makes use of as well: a component without functions is put
 * at the end of their list, is passed over by the selection, and told when it is closed.
 */
#ifndef COLL_PIPEBCAST_SELECTED_H
#define COLL_PIPEBCAST_SELECTED_H

#include "base/compat.h"

/**
 * Has `then` called once, as soon as the PML is selected: from inside MPI_Init, before the
 * exchange. To be called when the coll component opens. OMPI_ERR_OUT_OF_RESOURCE: it will not be.
 */
int coll_pipebcast_when_pml_is_selected(void (*then)(void));

/** Forgets it, unless it has been called. */
void coll_pipebcast_forget_pml_selection(void);

#endif
