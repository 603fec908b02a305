/*
 * Colours of the figures: distinct to colour-blind eyes, and dark enough on
 * white.
 */
#ifndef TOOL_COLOURS_H
#define TOOL_COLOURS_H

#define TOOL_COLOUR_TEXT "#1f2933"
#define TOOL_COLOUR_QUIET "#66727f"
#define TOOL_COLOUR_LINE "#cbd2d9"
#define TOOL_COLOUR_BAND "#f3f5f7"
#define TOOL_COLOUR_SWITCH "#3e4c59"
#define TOOL_COLOUR_LINK "#7b8794"
#define TOOL_COLOUR_BROKEN "#d0021b"

/** The colour of a stream or series; they repeat after eight. */
const char *tool_colour(int i);

#endif
