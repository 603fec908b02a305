#include "colours.h"

const char *tool_colour(int i)
{
    static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#b8478f",
                                          "#b07d00", "#3aa0d8", "#6a3d9a", "#222222"};
    return colours[i % (int) (sizeof(colours) / sizeof(colours[0]))];
}
