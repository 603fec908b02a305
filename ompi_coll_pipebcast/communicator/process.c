#include "communicator/process.h"

#include <stdio.h>
#include <stdlib.h>

#include "communicator/record.h"

coll_pipebcast_process_t coll_pipebcast_process;

void coll_pipebcast_process_open(void)
{
    coll_pipebcast_process = (coll_pipebcast_process_t){.medium = {.mtu = 0}};
    OBJ_CONSTRUCT(&coll_pipebcast_process.lock, opal_mutex_t);
}

void coll_pipebcast_release(void *object)
{
    opal_object_t *released = object;
    if (released != NULL) {
        OBJ_RELEASE(released);
    }
}

void coll_pipebcast_process_close(void)
{
    coll_pipebcast_process_t *process = &coll_pipebcast_process;
    coll_pipebcast_records_forget();
    coll_pipebcast_release(process->topology);
    coll_pipebcast_release(process->of_job);
    coll_pipebcast_release(process->model);
    coll_pipebcast_release(process->assumed);
    free(process->opened);
    OBJ_DESTRUCT(&process->lock);
}

char *coll_pipebcast_error_text(const pb_diag_t *diag)
{
    char more[40] = "", *text = NULL;
    if (diag->n_errors > 1) {
        snprintf(more, sizeof(more), " (and %zu more)", diag->n_errors - 1);
    }
    return asprintf(&text, "%s%s", pb_diag_first(diag), more) < 0 ? NULL : text;
}
