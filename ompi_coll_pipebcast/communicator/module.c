#include "communicator/module.h"

#include <string.h>

#include "base/parameters.h"
#include "communicator/advice.h"
#include "communicator/placement.h"
#include "communicator/process.h"

static void module_construct(coll_pipebcast_module_t *module)
{
    memset(&module->super + 1, 0, sizeof(*module) - sizeof(module->super));
    coll_pipebcast_lock_init(&module->lock);
    OBJ_CONSTRUCT(&module->tasks, coll_pipebcast_tasks_t);
    module->tasks.module = module;
    module->settings = coll_pipebcast_settings_now();
    module->passes_for = COLL_PIPEBCAST_UNABLE;
    module->tags = coll_pipebcast_tags_new();
    coll_pipebcast_sweep_construct(&module->sweep, module);
    coll_pipebcast_multicast_construct(&module->multicast, module);
    pb_arrival_mode_init(&module->arrival_mode);
    pb_arrival_credit_init(&module->credit, coll_pipebcast_params.arrival_wait);
}

void coll_pipebcast_module_release_fallback(coll_pipebcast_module_t *module)
{
    if (module->fallback.bcast_module != NULL) {
        OBJ_RELEASE(module->fallback.bcast_module);
        OBJ_RELEASE(module->fallback.ibcast_module);
        OBJ_RELEASE(module->fallback.bcast_init_module);
    }
    module->fallback = (coll_pipebcast_functions_t){0};
}

static void module_destruct(coll_pipebcast_module_t *module)
{
    coll_pipebcast_module_release_fallback(module);
    coll_pipebcast_progress_forget(&module->tasks);
    OBJ_DESTRUCT(&module->tasks);
    coll_pipebcast_lock_fini(&module->lock);
    coll_pipebcast_sweep_destruct(&module->sweep);
    coll_pipebcast_multicast_destruct(&module->multicast);
    pb_arrival_credit_fini(&module->credit);
    if (module->advised != NULL) {
        coll_pipebcast_advice->give_back(module->advised);
    }
    pb_planner_free(module->planner); /* before what it plans on */
    coll_pipebcast_placed_free(module->placed);
    coll_pipebcast_release(module->model);
}

OBJ_CLASS_INSTANCE(coll_pipebcast_module_t, mca_coll_base_module_t, module_construct,
                   module_destruct);
