/*
 * The moment at which Open MPI has selected its PML.
 *
 * All series open the coll framework, select the PML and then exchange published records. The coll
 * components are asked again only after that. So a component that publishes the transport of its
 * messages has no function of its own for that. But Open MPI closes the unselected PML components
 * at that moment, as its own PML "monitoring" makes use of. A component without functions is put at
 * the end of their list. The selection ignores it, and tells it when it is closed.
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
